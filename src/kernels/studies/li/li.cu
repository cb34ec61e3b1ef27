/* Plans of the methods of Li and Liu: rows, columns, levels and counters of a sweep on the device. */
#include <cstdlib>
#include "../../analysis/adjacency.cuh"
#include "li.cuh"

namespace {

using namespace sptrsv;

/* jlev and ilev of Li's listings */
SptrsvStatus create_levels(SptrsvPlan plan, const SptrsvOrdered &ordered, LiPlan *data)
{
  const SptrsvSweep *sweep;
  int               *jlev;

  SPTRSV_TRY(sptrsvAnalysisLevels(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SptrsvStatus status = sptrsvLevelLists(ordered.n, ordered.row, sweep->level, &data->levels, &data->ilev, &jlev);
  if (!status) status = sptrsvUpload(&plan->memory, jlev, ordered.n, &data->jlev);
  free(jlev);
  plan->memory.bytes[SPTRSV_HOST] += ((size_t)data->levels + 1) * sizeof(int);
  return status;
}

/* Columns from rows, on the device; value_source is that of the columns' entries, or NULL.  A column's entries ascend, so that the rows
   that come next hear of it first (doc/algorithms/authors.md). */
SptrsvStatus create_columns(SptrsvPlan plan, const SptrsvOrdered &ordered, const int *row_ptr, int **col_ptr, int **row_idx,
                            int **value_source)
{
  Scratch<int> col_idx, entry, source;

  SPTRSV_TRY(col_idx.upload(ordered.col_idx, ordered.nnz));
  SPTRSV_TRY(entry.create(ordered.nnz));
  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, ordered.n + 1, col_ptr));
  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, ordered.nnz, row_idx));
  SPTRSV_TRY(transpose_in_order(ordered.n, ordered.nnz, row_ptr, col_idx, *col_ptr, *row_idx, entry));
  if (!value_source) return SPTRSV_SUCCESS;
  SPTRSV_TRY(source.upload(ordered.source, ordered.nnz));
  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, ordered.nnz, value_source));
  return gather(ordered.nnz, source, entry, *value_source);
}

/* Column numbers become positions in out, where x is read */
void number_by_position(const SptrsvOrdered &ordered, const int *perm)
{
  for (int k = 0; k < ordered.nnz; k++) {
    const int row = ordered.row[ordered.col_idx[k]];

    ordered.col_idx[k] = perm ? perm[row] : row;
  }
}

SptrsvStatus create_counters(SptrsvPlan plan, const int *row_ptr, LiPlan *data)
{
  const int rows = data->triangle.rows;

  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, 3 * (size_t)rows, &data->missing));
  SPTRSV_TRY(count_lengths(lists(rows, row_ptr, nullptr), 3, data->missing));
  SPTRSV_TRY(tickets_create(&plan->memory, li_blocks(rows), 0, &data->tickets));
  plan->stalled = data->tickets.stalled;
  return SPTRSV_SUCCESS;
}

double share_in_block(const SptrsvOrdered &ordered)
{
  int count = 0;

  for (int r = 0; r < ordered.n; r++) {
    for (int k = ordered.row_ptr[r]; k < ordered.row_ptr[r + 1]; k++) count += ordered.col_idx[k] / WARPS_PER_BLOCK == r / WARPS_PER_BLOCK;
  }
  return ordered.nnz ? (double)count / ordered.nnz : 0;
}

SptrsvStatus create(SptrsvPlan plan, unsigned arrays, const SptrsvOrdered &ordered, LiPlan *data)
{
  const size_t left_sums = (size_t)ordered.n * (arrays & COUNTED ? 2 : 1);
  Triangle<>  &t         = data->triangle;
  Scratch<int> row_ptr;

  data->in_block = share_in_block(ordered);
  SPTRSV_TRY(row_ptr.upload(ordered.row_ptr, (size_t)ordered.n + 1));
  if (arrays & IN_LEVELS) SPTRSV_TRY(create_levels(plan, ordered, data));
  if (arrays & BY_ROWS) {
    if (arrays & BY_COLUMNS) SPTRSV_TRY(create_columns(plan, ordered, row_ptr, &data->col_ptr, &data->row_idx, nullptr));
    number_by_position(ordered, plan->options.out_perm);
    SPTRSV_TRY(triangle_upload(plan, ordered, &t));
  } else {
    SPTRSV_TRY(triangle_create(plan, ordered, &t));
    SPTRSV_TRY(create_columns(plan, ordered, row_ptr, &t.ptr, &t.idx, &t.value_source));
  }
  if (arrays & SUMMED)
    SPTRSV_TRY(sptrsvDeviceAllocateZeroed(&plan->memory, left_sums * sptrsvValueSize(plan->options.type), &data->left_sum));
  return arrays & COUNTED ? create_counters(plan, row_ptr, data) : SPTRSV_SUCCESS;
}

} // namespace

namespace sptrsv {

SptrsvStatus li_create(SptrsvPlan plan, unsigned arrays)
{
  SptrsvOrdered ordered;
  LiPlan       *data = li_of(plan);

  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &ordered));
  const SptrsvStatus status = create(plan, arrays, ordered, data);
  sptrsvOrderedFree(&ordered);
  return status;
}

void li_destroy(SptrsvPlan plan)
{
  free(li_of(plan)->ilev);
}

} // namespace sptrsv
