/*
   Set-up of the methods in roworder.cu.  Rows stay where they are; yuenyeung's execute_row_id is made on the device, from the row pointers
   there.
*/
#include <algorithm>
#include <cstdio>
#include <cstring>
#include "../../device/scratch.cuh"
#include "roworder.cuh"
#include "yuenyeung.h"

namespace {

using namespace sptrsv;
using Form = RowOrderForm;

/* Algorithm 6, lines 12 to 16.  count [matrices + 1]: groups of each sub-matrix of WARP rows, one for each row if their mean length, with
   the diagonal, reaches the threshold; the last count is 0. */
__global__ void count_kernel(int n, int matrices, const int *row_ptr, double threshold, int *count)
{
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k <= matrices; k += gridDim.x * blockDim.x) {
    const int    start = k * WARP, rows = k < matrices ? min(WARP, n - start) : 0;
    const double mean = rows ? (double)(row_ptr[start + rows] - row_ptr[start]) / rows + 1 : 0;

    count[k] = mean >= threshold ? rows : min(rows, 1);
  }
}

/* Lines 17 to 23; first: sums of the counts before */
__global__ void fill_kernel(int n, int matrices, const int *first, int *execute_row_id)
{
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;

  for (int i = thread; i < n; i += gridDim.x * blockDim.x) {
    const int k = i / WARP, group = first[k] + i % WARP;

    if (group < first[k + 1]) execute_row_id[group] = i;
  }
  if (!thread) execute_row_id[first[matrices]] = n;
}

constexpr auto *plan_of = data_of<RowOrderPlan>;

/* yuenyeung's threshold for each GPU model: a row that its training prints (make train), or a better one */
constexpr struct {
  const char *gpu;
  double      threshold;
} measured[] = {{"NVIDIA H100 80GB HBM3", 8}}; /* least loss on grids and files, bench/papers/yuenyeung.md */

/* The threshold of the authors' published code, for other GPUs */
constexpr double published = 10;

SptrsvStatus choose_threshold(const SptrsvPlanOptions &options, RowOrderPlan *data)
{
  char gpu[SPTRSV_NAME_LENGTH];

  data->threshold = options.tuning.yuenyeung.threshold;
  data->origin    = "given";
  if (data->threshold > 0) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvDeviceName(gpu, sizeof(gpu)));
  data->threshold = published;
  data->origin    = "built in, not measured on this GPU model";
  for (const auto &row : measured) {
    if (strcmp(gpu, row.gpu)) continue;
    data->threshold = row.threshold;
    data->origin    = "built in, measured on this GPU model";
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus choose_groups(SptrsvPlan plan, RowOrderPlan *data)
{
  const int rows = data->sweep.rows;

  data->groups = data->form == Form::WARP_LEVEL ? rows : (rows + WARP - 1) / WARP;
  if (data->form != Form::FUSED) return SPTRSV_SUCCESS;
  SPTRSV_TRY(choose_threshold(plan->options, data));
  SPTRSV_TRY(sptrsvRowGroups(rows, data->sweep.ptr, data->threshold, &plan->memory, &data->sweep.execute_row_id, &data->groups));

  /* A thread-level group of r rows is r - 1 groups less than rows: WARP - 1 less, the last one perhaps fewer. */
  const int thread_level = (rows - data->groups + WARP - 2) / (WARP - 1);
  data->warp_rows        = data->groups - thread_level;
  return SPTRSV_SUCCESS;
}

template <Form FORM> SptrsvStatus build(SptrsvPlan plan)
{
  SptrsvOrdered ordered;
  RowOrderPlan *data = plan_of(plan);
  int           resident;

  data->form = FORM;
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &plan->scratch, &ordered));
  SPTRSV_TRY(triangle_upload(plan, ordered, &data->sweep));
  SPTRSV_TRY(unknowns_create(&plan->memory, (size_t)data->sweep.rows, plan->options.type, &data->sweep.x));
  SPTRSV_TRY(choose_groups(plan, data));
  SPTRSV_TRY(roworder_resident(FORM, plan->options.type, &resident));
  const int blocks = std::max(1, std::min(resident, (data->groups + ROWORDER_WARPS - 1) / ROWORDER_WARPS));

  SPTRSV_TRY(tickets_create(&plan->memory, data->groups, (size_t)blocks * ROWORDER_WARPS, &data->sweep.tickets));
  plan->stalled = data->sweep.tickets.stalled;
  return SPTRSV_SUCCESS;
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const RowOrderPlan &data = *plan_of(plan);

  if (data.form == Form::WARP_LEVEL) (void)snprintf(text, size, "%d rows at warp level", data.sweep.rows);
  else if (data.form != Form::FUSED) (void)snprintf(text, size, "%d groups of %d rows", data.groups, WARP);
  else
    (void)snprintf(text, size, "%d groups of %d rows at thread level, %d rows at warp level, threshold %g (%s)",
                   data.groups - data.warp_rows, WARP, data.warp_rows, data.threshold, data.origin);
}

} // namespace

SptrsvStatus sptrsvRowGroups(int n, const int *d_row_ptr, double threshold, SptrsvMemory *memory, int **d_execute_row_id, int *groups)
{
  const int    matrices = (n + WARP - 1) / WARP;
  Scratch<int> count, first;

  SPTRSV_TRY(create_all((size_t)matrices + 1, count, first));
  SPTRSV_TRY(launch_for(count_kernel, (size_t)matrices + 1, nullptr, n, matrices, d_row_ptr, threshold, count));
  SPTRSV_TRY(exclusive_sum((int *)count, (int *)first, matrices + 1));
  SPTRSV_TRY(read_back(first + matrices, groups));
  SPTRSV_TRY(sptrsvDeviceNew(memory, *groups + 1, d_execute_row_id));
  return launch_for(fill_kernel, n, nullptr, n, matrices, first, *d_execute_row_id);
}

static const char paper[] =
    "@article{zhang2021yuenyeung,\n"
    "  title   = {{YuenyeungSpTRSV}: A Thread-Level and Warp-Level Fusion Synchronization-Free Sparse Triangular Solve},\n"
    "  author  = {Feng Zhang and Jiya Su and Weifeng Liu and Bingsheng He and Ruofan Wu and Xiaoyong Du and Rujia Wang},\n"
    "  journal = {IEEE Transactions on Parallel and Distributed Systems},\n"
    "  year    = {2021},\n"
    "  doi     = {10.1109/TPDS.2021.3066635}\n"
    "}\n";

/* clang-format off */
const SptrsvMethod sptrsvCapellini = {
  {"capellini", "Zhang et al. (YuenyeungSpTRSV), Algorithm 5", "a thread per row, writing first",
   SPTRSV_DEVICE, SPTRSV_STUDY, paper, SPTRSV_REALS},
  sizeof(RowOrderPlan), build<Form::WRITING_FIRST>, update_sweep<RowOrderPlan>, roworder_solve, describe, nullptr, nullptr, nullptr,
  nullptr};
const SptrsvMethod sptrsvTwoPhase = {
  {"twophase", "Zhang et al. (YuenyeungSpTRSV), Algorithm 4",
   "a thread per row, waits on other warps first, then rounds inside the warp", SPTRSV_DEVICE, SPTRSV_STUDY, paper, SPTRSV_REALS},
  sizeof(RowOrderPlan), build<Form::TWO_PHASE>, update_sweep<RowOrderPlan>, roworder_solve, describe, nullptr, nullptr, nullptr, nullptr};
const SptrsvMethod sptrsvYuenyeungMethod = {
  {"yuenyeung", "Zhang et al. (YuenyeungSpTRSV), Algorithms 3, 5 and 6",
   "thread or warp per row, by groups of 32 rows and a threshold", SPTRSV_DEVICE, SPTRSV_STUDY, paper, SPTRSV_REALS},
  sizeof(RowOrderPlan), build<Form::FUSED>, update_sweep<RowOrderPlan>, roworder_solve, describe, nullptr, nullptr, nullptr, nullptr};
const SptrsvMethod sptrsvSyncFreeCsr = {
  {"syncfree-csr", "Zhang et al. (YuenyeungSpTRSV), Algorithm 3", "a warp per row", SPTRSV_DEVICE, SPTRSV_STUDY, paper, SPTRSV_REALS},
  sizeof(RowOrderPlan), build<Form::WARP_LEVEL>, update_sweep<RowOrderPlan>, roworder_solve, describe, nullptr, nullptr, nullptr, nullptr};
/* clang-format on */
