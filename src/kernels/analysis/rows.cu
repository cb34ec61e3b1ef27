/* Rows of a sweep on the device, as the analysis has them there, cut, or by way of the host. */
#include <cstdlib>
#include "rows.cuh"

namespace sptrsv {

DeviceRows::~DeviceRows()
{
  sptrsvOrderedFree(&unknowns);
  free(own_level_ptr);
}

SptrsvStatus DeviceRows::take_analysis(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op)
{
  const bool         transpose = op == SPTRSV_TRANSPOSE;
  const SptrsvSweep *sweep;

  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, triangle, op, &sweep));
  if (transpose) SPTRSV_TRY(sptrsvDeviceTranspose(analysis));
  rows.needs     = sweep_rows(analysis, triangle, op);
  rows.backwards = sptrsvSide(triangle, op) == SPTRSV_UPPER;
  rows.source    = transpose ? analysis->d_t_source : nullptr;
  rows.level     = sweep->d_level;
  levels         = (int)sweep->statistics.levels;
  level_ptr      = sweep->level_ptr;
  if (sweep->d_level) return SPTRSV_SUCCESS;
  SPTRSV_TRY(d_level.upload(sweep->level, rows.needs.n));
  rows.level = d_level;
  return SPTRSV_SUCCESS;
}

void DeviceRows::take_cut(const SptrsvCut &cut)
{
  rows.needs  = lists(cut.n, cut.row_ptr, cut.col_idx);
  rows.source = cut.source;
  rows.row    = cut.row;
  rows.level  = cut.level;
  levels      = cut.levels;
  level_ptr   = cut.level_ptr;
}

SptrsvStatus DeviceRows::take_host(SptrsvAnalysis analysis, const SptrsvPlanOptions &options, int most)
{
  int         *level;
  SptrsvStatus status = sptrsvCutRows(analysis, &options, most, &unknowns, &level);
  const int    n      = unknowns.n;

  if (!status) status = row_ptr.upload(unknowns.row_ptr, (size_t)n + 1);
  if (!status) status = col_idx.upload(unknowns.col_idx, unknowns.nnz);
  if (!status) status = source.upload(unknowns.source, unknowns.nnz);
  if (!status) status = row.upload(unknowns.row, n);
  if (!status) status = d_level.upload(level, n);
  if (!status) status = sptrsvLevelPointers(n, level, &levels, &own_level_ptr);
  free(level);
  rows.needs  = lists(n, row_ptr, col_idx);
  rows.source = source;
  rows.row    = row;
  rows.level  = d_level;
  level_ptr   = own_level_ptr;
  return status;
}

SptrsvStatus DeviceRows::create(SptrsvPlan plan, int most, bool by_host)
{
  const SptrsvPlanOptions &o        = plan->options;
  const SptrsvAnalysis     analysis = plan->analysis;
  const SptrsvSweep       *sweep;

  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, o.triangle, o.op, &sweep));
  if (by_host) SPTRSV_TRY(take_host(analysis, o, most));
  else if (sweep->statistics.longest <= most) SPTRSV_TRY(take_analysis(analysis, o.triangle, o.op));
  else {
    SPTRSV_TRY(sptrsvDeviceCut(analysis, o.triangle, o.op, most));
    take_cut(analysis->cut);
  }
  if (o.in_perm) SPTRSV_TRY(in_perm.upload(o.in_perm, analysis->a.n));
  if (o.out_perm) SPTRSV_TRY(out_perm.upload(o.out_perm, analysis->a.n));
  rows.diagonal = o.diagonal == SPTRSV_DIAG_UNIT ? nullptr : analysis->d_split;
  rows.in_perm  = in_perm;
  rows.out_perm = out_perm;
  return SPTRSV_SUCCESS;
}

} // namespace sptrsv
