/* Rows of a sweep on the device, as the analysis has them there or by way of the host. */
#include <cstdlib>
#include "rows.cuh"

namespace sptrsv {

DeviceRows::~DeviceRows()
{
  sptrsvOrderedFree(&unknowns);
  free(cut_level);
}

void DeviceRows::take_analysis(SptrsvPlan plan)
{
  const SptrsvTriangle side = plan->options.triangle;

  rows.needs     = triangle_rows(plan->analysis, side);
  rows.backwards = side == SPTRSV_UPPER;
  rows.diagonal  = plan->options.diagonal == SPTRSV_DIAG_UNIT ? nullptr : plan->analysis->d_split;
}

SptrsvStatus DeviceRows::take_unknowns()
{
  const int n = unknowns.n;

  SPTRSV_TRY(row_ptr.upload(unknowns.row_ptr, (size_t)n + 1));
  SPTRSV_TRY(col_idx.upload(unknowns.col_idx, unknowns.nnz));
  SPTRSV_TRY(source.upload(unknowns.source, unknowns.nnz));
  SPTRSV_TRY(row.upload(unknowns.row, n));
  SPTRSV_TRY(diagonal.upload(unknowns.diagonal, n));
  rows.needs    = lists(n, row_ptr, col_idx);
  rows.source   = source;
  rows.row      = row;
  rows.diagonal = diagonal;
  return SPTRSV_SUCCESS;
}

SptrsvStatus DeviceRows::create(SptrsvPlan plan, int most, bool by_host)
{
  const SptrsvPlanOptions &o = plan->options;
  const SptrsvSweep       *sweep;

  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, o.triangle, o.op, &sweep));
  if (by_host || o.op == SPTRSV_TRANSPOSE || sweep->statistics.longest > most) {
    SPTRSV_TRY(sptrsvCutRows(plan->analysis, &o, most, &unknowns, &cut_level));
    SPTRSV_TRY(take_unknowns());
    level = cut_level;
    for (int i = 0; i < unknowns.n; i++) levels = std::max(levels, level[i] + 1);
  } else {
    take_analysis(plan);
    level  = sweep->level;
    levels = (int)sweep->statistics.levels;
  }
  SPTRSV_TRY(d_level.upload(level, rows.needs.n));
  rows.level = d_level;
  if (o.in_perm) SPTRSV_TRY(in_perm.upload(o.in_perm, plan->analysis->a.n));
  if (o.out_perm) SPTRSV_TRY(out_perm.upload(o.out_perm, plan->analysis->a.n));
  rows.in_perm  = in_perm;
  rows.out_perm = out_perm;
  return SPTRSV_SUCCESS;
}

} // namespace sptrsv
