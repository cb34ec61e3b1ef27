/* Rows of a sweep on the device, as the analysis has them there, or cut. */
#include "rows.cuh"

namespace sptrsv {

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

SptrsvStatus DeviceRows::create(SptrsvPlan plan, bool blocks, int most)
{
  const SptrsvPlanOptions &o        = plan->options;
  const SptrsvAnalysis     analysis = blocks ? plan->analysis->blocks : plan->analysis;
  const int                n        = plan->analysis->a.n;
  const SptrsvSweep       *sweep;

  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, o.triangle, o.op, &sweep));
  if (blocks || sweep->statistics.longest <= most) SPTRSV_TRY(take_analysis(analysis, o.triangle, o.op));
  else {
    SPTRSV_TRY(sptrsvDeviceCut(analysis, o.triangle, o.op, most));
    const SptrsvCut &cut = analysis->cut;

    rows.needs  = lists(cut.n, cut.row_ptr, cut.col_idx);
    rows.source = cut.source;
    rows.row    = cut.row;
    rows.level  = cut.level;
    levels      = cut.levels;
    level_ptr   = cut.level_ptr;
  }
  if (o.in_perm) SPTRSV_TRY(in_perm.upload(o.in_perm, n));
  if (o.out_perm) SPTRSV_TRY(out_perm.upload(o.out_perm, n));
  rows.in_perm  = in_perm;
  rows.out_perm = out_perm;
  rows.diagonal = o.diagonal == SPTRSV_DIAG_UNIT ? nullptr : analysis->device.split;
  return SPTRSV_SUCCESS;
}

} // namespace sptrsv
