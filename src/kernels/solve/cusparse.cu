/* `cusparse`: cuSPARSE's SpSV, the baseline.  It takes the triangle's diagonal itself and natural order, so there is a copy of the values
   with the reciprocals inverted back, and permutations are launches of their own. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cusparse.h>
#include "../plan/triangle.cuh"

#define SPTRSV_CUSPARSE(call)                                                                                                              \
  do {                                                                                                                                     \
    const cusparseStatus_t status_ = (call);                                                                                               \
    if (status_ != CUSPARSE_STATUS_SUCCESS) return status_ == CUSPARSE_STATUS_ALLOC_FAILED ? SPTRSV_OUT_OF_MEMORY : SPTRSV_CUSPARSE_ERROR; \
  } while (0)

#if CUSPARSE_VERSION >= 12100 /* CUDA 12.1.1; before, a plan cannot be given new values, and with 11.8 some solutions are NaN */

namespace {

using namespace sptrsv;

struct CusparsePlan {
  cusparseHandle_t     handle;
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t b, x;
  cusparseSpSVDescr_t  spsv;
  void                *values, *buffer, *permuted[2]; /* permuted: b and x in the order of the matrix, where that is another */
  int                 *in_perm, *out_perm;            /* device [n] or NULL */
  bool                 analysed;
};

constexpr auto *plan_of = data_of<CusparsePlan>;

cudaDataType type_of(SptrsvPlan plan)
{
  return plan->options.type == SPTRSV_DOUBLE ? CUDA_R_64F : CUDA_R_32F;
}

cusparseOperation_t operation_of(SptrsvPlan plan)
{
  return plan->options.op == SPTRSV_TRANSPOSE ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
}

template <class V> __global__ void invert_diagonal_kernel(int n, const int *split, V *values)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[split[i]] = 1 / values[split[i]];
}

SptrsvStatus upload_permutation(SptrsvPlan plan, const int *perm, int **d_perm, void **vector)
{
  const size_t n = (size_t)plan->analysis->a.n;

  if (!perm) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvUpload(&plan->memory, perm, n, d_perm));
  return sptrsvDeviceAllocate(&plan->memory, n * sptrsvValueSize(plan->options.type), vector);
}

SptrsvStatus build(SptrsvPlan plan)
{
  const SptrsvAnalysis a    = plan->analysis;
  cusparseFillMode_t   fill = plan->options.triangle == SPTRSV_LOWER ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
  cusparseDiagType_t   diag = plan->options.diagonal == SPTRSV_DIAG_UNIT ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
  const int            n = a->a.n, nnz = a->a.nnz;
  CusparsePlan        *d = plan_of(plan);

  if (!n) return SPTRSV_SUCCESS; /* cuSPARSE refuses empty vectors */
  SPTRSV_TRY(sptrsvDeviceAllocate(&plan->memory, (size_t)nnz * sptrsvValueSize(plan->options.type), &d->values));
  SPTRSV_TRY(upload_permutation(plan, plan->options.in_perm, &d->in_perm, &d->permuted[0]));
  SPTRSV_TRY(upload_permutation(plan, plan->options.out_perm, &d->out_perm, &d->permuted[1]));
  SPTRSV_CUSPARSE(cusparseCreate(&d->handle));
  SPTRSV_CUSPARSE(cusparseCreateCsr(&d->matrix, n, n, nnz, a->device.row_ptr, a->device.col_idx, d->values, CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of(plan)));
  SPTRSV_CUSPARSE(cusparseSpMatSetAttribute(d->matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)));
  SPTRSV_CUSPARSE(cusparseSpMatSetAttribute(d->matrix, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof(diag)));
  SPTRSV_CUSPARSE(cusparseCreateDnVec(&d->b, n, d->values, type_of(plan))); /* solve() sets the vectors */
  SPTRSV_CUSPARSE(cusparseCreateDnVec(&d->x, n, d->values, type_of(plan)));
  SPTRSV_CUSPARSE(cusparseSpSV_createDescr(&d->spsv));
  return SPTRSV_SUCCESS;
}

/* The constant alpha of SpSV in the right type */
const void *one(SptrsvPlan plan)
{
  return by_type(plan->options.type, [](auto v) -> const void * {
    static const decltype(v) one = 1;

    return &one;
  });
}

SptrsvStatus analyse(SptrsvPlan plan)
{
  CusparsePlan *d = plan_of(plan);
  size_t        bytes;

  if (!d->buffer) { /* else an earlier analysis failed */
    SPTRSV_CUSPARSE(cusparseSpSV_bufferSize(d->handle, operation_of(plan), one(plan), d->matrix, d->b, d->x, type_of(plan),
                                            CUSPARSE_SPSV_ALG_DEFAULT, d->spsv, &bytes));
    SPTRSV_TRY(sptrsvDeviceAllocate(&plan->memory, bytes, &d->buffer));
  }
  SPTRSV_CUSPARSE(cusparseSpSV_analysis(d->handle, operation_of(plan), one(plan), d->matrix, d->b, d->x, type_of(plan),
                                        CUSPARSE_SPSV_ALG_DEFAULT, d->spsv, d->buffer));
  d->analysed = true;
  return SPTRSV_SUCCESS;
}

SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  const SptrsvAnalysis a = plan->analysis;
  CusparsePlan        *d = plan_of(plan);
  const int            n = a->a.n, blocks = (n + 255) / 256;

  if (!n) return SPTRSV_SUCCESS;
  SPTRSV_CUDA(cudaMemcpyAsync(d->values, values, (size_t)a->a.nnz * sptrsvValueSize(plan->options.type), cudaMemcpyDeviceToDevice, stream));
  if (plan->options.diagonal == SPTRSV_DIAG_INVERTED) {
    SPTRSV_CUDA(by_type(plan->options.type, [&](auto v) {
      return launch(invert_diagonal_kernel<decltype(v)>, blocks, 256, stream, n, a->device.split, (decltype(v) *)d->values);
    }));
  }
  SPTRSV_CUSPARSE(cusparseSetStream(d->handle, stream));
  if (!d->analysed) return analyse(plan);
  SPTRSV_CUSPARSE(cusparseSpSV_updateMatrix(d->handle, d->spsv, d->values, CUSPARSE_SPSV_UPDATE_GENERAL));
  return SPTRSV_SUCCESS;
}

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  CusparsePlan         *d    = plan_of(plan);
  const int             n    = plan->analysis->a.n;
  const SptrsvValueType type = plan->options.type;
  const void           *b    = s->b;
  void                 *x    = d->out_perm ? d->permuted[1] : s->x;

  if (d->in_perm) {
    SPTRSV_TRY(move_values(n, d->in_perm, nullptr, type, b, d->permuted[0], s->stream));
    b = d->permuted[0];
  }
  SPTRSV_CUSPARSE(cusparseSetStream(d->handle, s->stream));
  SPTRSV_CUSPARSE(cusparseDnVecSetValues(d->b, const_cast<void *>(b)));
  SPTRSV_CUSPARSE(cusparseDnVecSetValues(d->x, x));
  SPTRSV_CUSPARSE(cusparseSpSV_solve(d->handle, operation_of(plan), one(plan), d->matrix, d->b, d->x, type_of(plan),
                                     CUSPARSE_SPSV_ALG_DEFAULT, d->spsv));
  return d->out_perm ? move_values(n, nullptr, d->out_perm, type, x, s->x, s->stream) : SPTRSV_SUCCESS;
}

void describe(SptrsvPlan, char *text, size_t size)
{
  int major = 0, minor = 0, patch = 0;

  (void)cusparseGetProperty(MAJOR_VERSION, &major);
  (void)cusparseGetProperty(MINOR_VERSION, &minor);
  (void)cusparseGetProperty(PATCH_LEVEL, &patch);
  (void)snprintf(text, size, "SpSV of cuSPARSE %d.%d.%d", major, minor, patch);
}

void destroy(SptrsvPlan plan)
{
  CusparsePlan *d = plan_of(plan);

  if (d->spsv) (void)cusparseSpSV_destroyDescr(d->spsv);
  if (d->b) (void)cusparseDestroyDnVec(d->b);
  if (d->x) (void)cusparseDestroyDnVec(d->x);
  if (d->matrix) (void)cusparseDestroySpMat(d->matrix);
  if (d->handle) (void)cusparseDestroy(d->handle);
}

} // namespace

/* clang-format off */
static const SptrsvMethod cusparse = {
  {"cusparse", "NVIDIA cuSPARSE, SpSV", "the baseline", SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_FOREIGN, "", SPTRSV_REALS},
  sizeof(CusparsePlan), build, update, solve, describe, destroy, nullptr, nullptr, nullptr};
/* clang-format on */

const SptrsvFamily sptrsvCusparseFamily = {{&cusparse}, nullptr, nullptr};

#else

const SptrsvFamily sptrsvCusparseFamily = {};

#endif
