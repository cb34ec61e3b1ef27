/* cuSPARSE is not emulated but trusted: the functions that src/kernels/solve/cusparse.cu calls, with a serial solve in the order
   of the stream. */
#pragma once
#include <cuda_runtime.h>

#define CUSPARSE_VERSION 12600

typedef enum { CUSPARSE_STATUS_SUCCESS, CUSPARSE_STATUS_ALLOC_FAILED } cusparseStatus_t;
typedef enum { CUSPARSE_INDEX_32I } cusparseIndexType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO } cusparseIndexBase_t;
typedef enum { CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE } cusparseOperation_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT } cusparseDiagType_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE } cusparseSpMatAttribute_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPSV_UPDATE_GENERAL } cusparseSpSVUpdate_t;
typedef enum { CUDA_R_32F, CUDA_R_64F } cudaDataType;
typedef enum { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL } libraryPropertyType;

struct cusparseContext {
  cudaStream_t stream;
};
struct cusparseSpSVDescr {};
struct cusparseSpMatDescr {
  int64_t            n;
  const int         *row_ptr, *col_idx;
  void              *values;
  cusparseFillMode_t fill;
  cusparseDiagType_t diag;
};
struct cusparseDnVecDescr {
  void *values;
};
typedef cusparseContext    *cusparseHandle_t;
typedef cusparseSpSVDescr  *cusparseSpSVDescr_t;
typedef cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef cusparseDnVecDescr *cusparseDnVecDescr_t;

template <class T, class... A> cusparseStatus_t simt_create(T **object, A... members)
{
  *object = new T{members...};
  return CUSPARSE_STATUS_SUCCESS;
}
template <class T> cusparseStatus_t simt_destroy(T *object)
{
  delete object;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
  return simt_create(handle, cudaStream_t(nullptr));
}
inline cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *spsv)
{
  return simt_create(spsv);
}
inline cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vector, int64_t, void *values, cudaDataType)
{
  return simt_create(vector, values);
}
inline cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t, int64_t, void *row_ptr, void *col_idx,
                                          void *values, cusparseIndexType_t, cusparseIndexType_t, cusparseIndexBase_t, cudaDataType)
{
  return simt_create(matrix, rows, (const int *)row_ptr, (const int *)col_idx, values, CUSPARSE_FILL_MODE_LOWER,
                     CUSPARSE_DIAG_TYPE_NON_UNIT);
}
inline cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
  return simt_destroy(handle);
}
inline cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t spsv)
{
  return simt_destroy(spsv);
}
inline cusparseStatus_t cusparseDestroyDnVec(cusparseDnVecDescr_t vector)
{
  return simt_destroy(vector);
}
inline cusparseStatus_t cusparseDestroySpMat(cusparseSpMatDescr_t matrix)
{
  return simt_destroy(matrix);
}
inline cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseGetProperty(libraryPropertyType, int *value)
{
  *value = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void *values)
{
  vector->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix, cusparseSpMatAttribute_t which, void *value, size_t)
{
  if (which == CUSPARSE_SPMAT_FILL_MODE) matrix->fill = *(const cusparseFillMode_t *)value;
  else matrix->diag = *(const cusparseDiagType_t *)value;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void *, cusparseSpMatDescr_t,
                                                cusparseDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                                cusparseSpSVDescr_t, size_t *bytes)
{
  *bytes = 1;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t, cusparseOperation_t, const void *, cusparseSpMatDescr_t,
                                              cusparseDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                              cusparseSpSVDescr_t, void *)
{
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t, cusparseSpSVDescr_t, void *, cusparseSpSVUpdate_t)
{
  return CUSPARSE_STATUS_SUCCESS;
}

/* The triangle by dot products of its rows; its transpose by columns, which are the same rows */
template <class V> void simt_solve(const cusparseSpMatDescr &A, bool transpose, const V *b, V *x)
{
  const bool lower = A.fill == CUSPARSE_FILL_MODE_LOWER, forward = lower != transpose;

  for (int64_t i = 0; i < A.n; i++) x[i] = b[i];
  for (int64_t k = 0; k < A.n; k++) {
    const int i        = (int)(forward ? k : A.n - 1 - k);
    V         diagonal = 1;

    for (int e = A.row_ptr[i]; e < A.row_ptr[i + 1]; e++) {
      const int j = A.col_idx[e];
      const V   v = ((const V *)A.values)[e];

      if (j == i && A.diag == CUSPARSE_DIAG_TYPE_NON_UNIT) diagonal = v;
      if (!transpose && (lower ? j < i : j > i)) x[i] -= v * x[j];
    }
    x[i] /= diagonal;
    for (int e = A.row_ptr[i]; transpose && e < A.row_ptr[i + 1]; e++) {
      const int j = A.col_idx[e];

      if (lower ? j < i : j > i) x[j] -= ((const V *)A.values)[e] * x[i];
    }
  }
}
inline cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op, const void *, cusparseSpMatDescr_t matrix,
                                           cusparseDnVecDescr_t right, cusparseDnVecDescr_t solution, cudaDataType type, cusparseSpSVAlg_t,
                                           cusparseSpSVDescr_t)
{
  const bool        transpose = op == CUSPARSE_OPERATION_TRANSPOSE;
  const auto        A         = *matrix;
  const void *const b         = right->values;
  void *const       x         = solution->values;

  (void)simt::enqueue(handle->stream, [=] {
    if (type == CUDA_R_64F) simt_solve(A, transpose, (const double *)b, (double *)x);
    else simt_solve(A, transpose, (const float *)b, (float *)x);
  });
  return CUSPARSE_STATUS_SUCCESS;
}
