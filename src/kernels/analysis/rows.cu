/* Rows of a sweep on the device, as the analysis has them there or by way of the host. */
#include <cstdlib>
#include "rows.cuh"

namespace sptrsv {

DeviceRows::~DeviceRows()
{
  sptrsvOrderedFree(&unknowns);
  free(own_level_ptr);
}

SptrsvStatus DeviceRows::take_analysis(SptrsvPlan plan, const SptrsvSweep &sweep)
{
  const SptrsvTriangle side = plan->options.triangle;

  rows.needs     = triangle_rows(plan->analysis, side);
  rows.backwards = side == SPTRSV_UPPER;
  rows.diagonal  = plan->options.diagonal == SPTRSV_DIAG_UNIT ? nullptr : plan->analysis->d_split;
  rows.level     = sweep.d_level;
  levels         = (int)sweep.statistics.levels;
  level_ptr      = sweep.level_ptr;
  if (sweep.d_level) return SPTRSV_SUCCESS;
  SPTRSV_TRY(d_level.upload(sweep.level, rows.needs.n));
  rows.level = d_level;
  return SPTRSV_SUCCESS;
}

SptrsvStatus DeviceRows::take_unknowns(const int *level)
{
  const int n = unknowns.n;

  SPTRSV_TRY(row_ptr.upload(unknowns.row_ptr, (size_t)n + 1));
  SPTRSV_TRY(col_idx.upload(unknowns.col_idx, unknowns.nnz));
  SPTRSV_TRY(source.upload(unknowns.source, unknowns.nnz));
  SPTRSV_TRY(row.upload(unknowns.row, n));
  SPTRSV_TRY(diagonal.upload(unknowns.diagonal, n));
  SPTRSV_TRY(d_level.upload(level, n));
  SPTRSV_TRY(sptrsvLevelPointers(n, level, &levels, &own_level_ptr));
  rows.needs    = lists(n, row_ptr, col_idx);
  rows.source   = source;
  rows.row      = row;
  rows.diagonal = diagonal;
  rows.level    = d_level;
  level_ptr     = own_level_ptr;
  return SPTRSV_SUCCESS;
}

SptrsvStatus DeviceRows::create(SptrsvPlan plan, int most, bool by_host)
{
  const SptrsvPlanOptions &o = plan->options;
  const SptrsvSweep       *sweep;

  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, o.triangle, o.op, &sweep));
  if (by_host || o.op == SPTRSV_TRANSPOSE || sweep->statistics.longest > most) {
    int               *level;
    const SptrsvStatus cut = sptrsvCutRows(plan->analysis, &o, most, &unknowns, &level), taken = cut ? cut : take_unknowns(level);

    free(level);
    SPTRSV_TRY(taken);
  } else SPTRSV_TRY(take_analysis(plan, *sweep));
  if (o.in_perm) SPTRSV_TRY(in_perm.upload(o.in_perm, plan->analysis->a.n));
  if (o.out_perm) SPTRSV_TRY(out_perm.upload(o.out_perm, plan->analysis->a.n));
  rows.in_perm  = in_perm;
  rows.out_perm = out_perm;
  return SPTRSV_SUCCESS;
}

} // namespace sptrsv
