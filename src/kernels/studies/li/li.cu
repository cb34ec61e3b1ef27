/* Plans of the methods of Li and Liu: rows, columns, levels and counters of a sweep on the device. */
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
  SPTRSV_TRY(sptrsvLevelOrder(sweep, ordered.row, &plan->scratch, &jlev));
  data->levels = (int)sweep->statistics.levels;
  data->ilev   = sweep->level_ptr;
  return sptrsvUpload(&plan->memory, jlev, ordered.n, &data->sweep.jlev);
}

/* Column numbers become positions in out, where x is read */
void number_by_position(const SptrsvOrdered &ordered, const int *perm)
{
  for (int k = 0; k < ordered.nnz; k++) {
    const int row = ordered.row[ordered.col_idx[k]];

    ordered.col_idx[k] = perm ? perm[row] : row;
  }
}

SptrsvStatus create_counters(SptrsvPlan plan, const int *row_ptr, LiSweep<> *sweep)
{
  const size_t rows = (size_t)sweep->rows;

  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, 3 * rows, &sweep->missing));
  sweep->in_degree = sweep->missing + 2 * rows;
  SPTRSV_TRY(count_lengths(lists(sweep->rows, row_ptr, nullptr), 3, sweep->missing));
  SPTRSV_TRY(tickets_create(&plan->memory, li_blocks(sweep->rows), 0, &sweep->tickets));
  plan->stalled = sweep->tickets.stalled;
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

} // namespace

SptrsvStatus sptrsv::li_create(SptrsvPlan plan, unsigned arrays)
{
  SptrsvOrdered ordered;
  LiPlan       *data  = li_of(plan);
  LiSweep<>    *sweep = &data->sweep;
  Scratch<int>  row_ptr;

  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &plan->scratch, &ordered));
  const size_t left_sums = (size_t)ordered.n * (arrays & COUNTED ? 2 : 1);

  data->in_block = share_in_block(ordered);
  SPTRSV_TRY(row_ptr.upload(ordered.row_ptr, (size_t)ordered.n + 1));
  if (arrays & IN_LEVELS) SPTRSV_TRY(create_levels(plan, ordered, data));
  if (arrays & BY_ROWS) {
    if (arrays & BY_COLUMNS) SPTRSV_TRY(upload_columns(plan, ordered, row_ptr, &sweep->col_ptr, &sweep->row_idx, nullptr));
    number_by_position(ordered, plan->options.out_perm);
    SPTRSV_TRY(triangle_upload(plan, ordered, sweep));
  } else {
    SPTRSV_TRY(triangle_upload_columns(plan, ordered, row_ptr, sweep));
    SPTRSV_TRY(sptrsvDeviceAllocateZeroed(&plan->memory, left_sums * sptrsvValueSize(plan->options.type), &sweep->left_sum));
  }
  return arrays & COUNTED ? create_counters(plan, row_ptr, sweep) : SPTRSV_SUCCESS;
}
