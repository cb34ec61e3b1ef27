/* Matrices and device memory of the cases. */
#include "cases_parts.h"

extern "C" {
#include "../kernels/factor_ways.h"
}

namespace simt {

namespace {

constexpr int PAIRS = 4 * SPTRSV_WARP; /* in the batches (factor/entries.cuh) that a warp takes first */

/* Neighbours are coupled, and all rows with the last two: the last entries wait for n - 2 pairs */
bool is_stored(int n, int i, int j)
{
  const int distance = i < j ? j - i : i - j;

  return i >= n - 2 || j >= n - 2 || distance == 0 || (distance == 1 && (i < j ? j : i) % 8);
}

void create_two_arms(const char *name, int n, ZooMatrix *A)
{
  const int room = 7 * n;

  *A         = {name, n, 0, nullptr, nullptr, nullptr, true};
  A->row_ptr = (int32_t *)place_new(SPTRSV_HOST, (size_t)(n + 1) * sizeof(int32_t), nullptr);
  A->col_idx = (int32_t *)place_new(SPTRSV_HOST, (size_t)room * sizeof(int32_t), nullptr);
  A->values  = (double *)place_new(SPTRSV_HOST, (size_t)room * sizeof(double), nullptr);
  for (int i = 0; i < n; i++) {
    A->row_ptr[i] = A->nnz;
    for (int j = 0; j < n; j++) {
      if (is_stored(n, i, j)) A->col_idx[A->nnz++] = j;
    }
  }
  A->row_ptr[n] = A->nnz;
  zoo_randomize(A, 71);
}

} // namespace

Matrix::Matrix(int k)
{
  if (k < zoo_count()) zoo_create(k, true, this);
  else if (k < matrix_count()) create_two_arms("two-arms", PAIRS + 12, this);
  else create_two_arms("short-arms", MOST_OF_ROW - 28, this);
}

int matrix_count()
{
  return zoo_count() + 1;
}

void Vector::create(size_t bytes, const void *content)
{
  free();
  size = bytes;
  p    = place_new(SPTRSV_DEVICE, bytes, content);
}

void Vector::free()
{
  if (p) place_free(SPTRSV_DEVICE, p);
}

std::string Vector::bits() const
{
  return device_bits(p, size);
}

void DevicePattern::create(const ZooMatrix &A)
{
  n   = A.n;
  nnz = A.nnz;
  row_ptr.create((size_t)(n + 1) * sizeof(int32_t), A.row_ptr);
  col_idx.create((size_t)nnz * sizeof(int32_t), A.col_idx);
}

SptrsvStatus DevicePattern::analyse(SptrsvAnalysis *analysis) const
{
  const SptrsvCsr csr = {n, nnz, row_ptr.p, col_idx.p, SPTRSV_INT32, SPTRSV_DEVICE};

  return sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, nullptr, analysis);
}

std::string device_bits(const void *p, size_t bytes)
{
  std::string copy(bytes, 0);

  place_get(SPTRSV_DEVICE, &copy[0], p, bytes);
  return copy;
}

std::string values_of(const ZooMatrix &A, SptrsvValueType type, bool inverted)
{
  void             *values = zoo_values(&A, type, inverted, SPTRSV_HOST);
  const std::string copy((const char *)values, (size_t)A.nnz * value_size(type));

  place_free(SPTRSV_HOST, values);
  return copy;
}

std::string said(SptrsvStatus status)
{
  return status ? failure().empty() ? sptrsvGetErrorString(status) : failure() : "";
}

const char *type_name(SptrsvValueType type)
{
  return value_types[type].name;
}

} // namespace simt
