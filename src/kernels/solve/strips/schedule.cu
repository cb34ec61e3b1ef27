/*
   The order of the unknowns inside strips: a list schedule.

   In level order a chunk waits for the last of its unknowns, whose far ones come at very different times.  So the sweep is played through
   on the GPU in steps, each of them a chunk of every strip: a strip takes the unknowns that are ready, those first that a long path
   follows, and hands an unknown on to other strips STRIPS_HOP steps later.  Strips play at the same time: what is not decided of an earlier
   strip comes STRIPS_HOP steps after its clock or later, so a strip goes on up to there without it.  Nothing depends on which of them the
   hardware lets run first, so the schedule is the same each time.  See doc/algorithms/strips.md.
*/
#include "arrange.cuh"
#include "least.cuh"

namespace {

using namespace sptrsv;

constexpr int      MOST      = SPTRSV_STRIP_MOST / 4;        /* unknowns of a strip: what shared memory holds of it */
constexpr int      TEAM      = 256;                          /* threads that play a strip */
constexpr int      BATCH     = 4;                            /* entries of an unknown that are looked up at once */
constexpr int      BYTES     = 4;                            /* of a word */
constexpr unsigned TELLS     = 3;                            /* steps after which a strip sets its clock */
constexpr unsigned FAR       = 1u << 7;                      /* needs far unknowns; beside the number of near ones, in a byte */
constexpr unsigned OVER      = 1u << 30;                     /* OVER + the last step: the clock of a strip that has ended */
constexpr unsigned UNDECIDED = ~0u, FOREVER = UNDECIDED - 1; /* steps */
static_assert(SPTRSV_STRIP_ENTRIES < FAR);

/* An unknown whose near ones are solved */
struct Waiting {
  int      number; /* in its strip, as all numbers of unknowns here but positions */
  unsigned from;   /* the step from which its far ones are there, UNDECIDED if that is not known */
  int      needed; /* then one of those that are not decided */
};

/* Lists of them, two of a kind: one, list, is read while the other, list ^ 1, is filled.  SOON: up to the safe step */
enum { SOON, LATER = 2, LISTS = 4 };

/* Device arrays */
struct Play {
  NearFar    graph;
  const int *group, *of_strip; /* as in StripsSort */
  Waiting   *waiting;          /* [LISTS][n] */
  unsigned  *step;             /* [n] of each position in which its unknown is solved */
  unsigned  *clock;            /* [strips] the strip has decided all steps before */
  int       *chunk;            /* [n] of each position, counted in its strip; a number is left out where there is a pause */
  unsigned  *most;             /* behind `clock`: chunks of a strip, steps of all */
  int        teams;            /* that solve at the same time */
};

/* What a team shares */
struct Board {
  LeastFirst<MOST> ready;              /* unknowns' numbers */
  unsigned         left[MOST / BYTES]; /* a byte for each unknown: near ones that it needs yet, + FAR */
  int              chosen[WARP], count;
  int              begin[WARP], users[WARP + 1]; /* of the chosen unknowns: where the list of users is, and users of those before */
  int              waiting[LISTS];               /* unknowns in each list */
  unsigned         earliest[2];                  /* step in each list of SOON */
  unsigned         safe, start;
};

/* A strip that a team plays */
struct Strip {
  const Play &play;
  Board      &board;
  int         number, first, size; /* first: position */
};

/* Finds out when the far unknowns are there that the unknown needs.  Those that never will be do not count.  Entries of a batch are loaded
   together. */
__device__ __forceinline__ void look_for_far(const Strip &s, Waiting &one)
{
  const Adjacency &far = s.play.graph.far;
  const int        q = s.first + one.number, end = far.end[q];

  one.from = 0;
  for (int e = far.begin[q]; e < end && one.from != UNDECIDED; e += BATCH) {
    int      needed[BATCH];
    unsigned step[BATCH];

#pragma unroll
    for (int k = 0; k < BATCH; k++) needed[k] = far.idx[min(e + k, end - 1)];
#pragma unroll
    for (int k = 0; k < BATCH; k++) step[k] = load_relaxed(s.play.step + needed[k]);
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      if (step[k] != UNDECIDED) one.from = max(one.from, step[k] + STRIPS_HOP);
      else if (s.board.safe != FOREVER) {
        one.from   = UNDECIDED;
        one.needed = needed[k];
        break;
      }
    }
  }
}

__device__ __forceinline__ void put(const Strip &s, int list, const Waiting &one)
{
  s.play.waiting[(size_t)list * s.play.graph.far.n + s.first + atomicAdd(s.board.waiting + list, 1)] = one;
}

/* Puts an unknown whose near ones are solved to one of these lists */
__device__ __forceinline__ void wait_for_far(const Strip &s, int number, bool far, int soon, int later)
{
  Waiting one = {number, 0, 0};

  if (far) look_for_far(s, one);
  put(s, one.from <= s.board.safe ? soon : later, one);
}

/* Counts near needs; an unknown without any waits for far ones.  Returns the step in which a team is free: when the strip ends
   that comes so many strips before */
__device__ __forceinline__ unsigned begin_strip(const Strip &s, Waiter &waiter)
{
  Board &b = s.board;

  if (!threadIdx.x) {
    b.earliest[0] = b.earliest[1] = UNDECIDED;
    b.safe                        = 0;
    unsigned clock                = OVER;
    if (s.number >= s.play.teams) {
      do clock = load_acquire(s.play.clock + s.number - s.play.teams);
      while (clock < OVER && (waiter.stays() || !waiter.gives_up()));
    }
    b.start = clock < OVER ? 0 : clock - OVER;
  }
  if (threadIdx.x < LISTS) b.waiting[threadIdx.x] = 0;
  b.ready.clear();
  __syncthreads();
  for (int w = threadIdx.x; w < (s.size + BYTES - 1) / BYTES; w += TEAM) {
    b.left[w] = 0;
    for (int number = BYTES * w; number < min(BYTES * (w + 1), s.size); number++) {
      const NearFar &graph = s.play.graph;
      const int      q     = s.first + number;
      const unsigned near = graph.near.end[q] - graph.near.begin[q], far = graph.far.begin[q] < graph.far.end[q] ? FAR : 0;

      b.left[w] |= (far | near) << 8 * (number % BYTES);
      if (!near) wait_for_far(s, number, far, SOON, LATER);
    }
  }
  __syncthreads();
  return b.start;
}

/* Waits until the step `now` is safe: what earlier strips have not decided comes later.  This ends, since the first strip that is not over
   waits for none.  Returns the last safe step.  next: of the strips that are the thread's to look at, the first one that is not over */
__device__ __forceinline__ unsigned await_clocks(const Strip &s, unsigned now, int &next, Waiter &waiter)
{
  unsigned safe = FOREVER;

  if (!threadIdx.x) s.board.safe = FOREVER;
  __syncthreads();
  for (int k = next; k < s.number; k += TEAM) {
    unsigned clock;

    do clock = load_acquire(s.play.clock + k);
    while (clock + STRIPS_HOP <= now && (waiter.stays() || !waiter.gives_up()));
    if (clock + STRIPS_HOP <= now || clock >= OVER) next += k == next ? TEAM : 0;
    else safe = min(safe, clock + STRIPS_HOP - 1);
  }
  atomicMin(&s.board.safe, safe);
  __syncthreads();
  return s.board.safe;
}

/* From the list `later` to the other one, but for unknowns that come soon */
__device__ __forceinline__ void sort_later(const Strip &s, int later, int soon)
{
  const Waiting *const list = s.play.waiting + (size_t)later * s.play.graph.far.n + s.first;
  const unsigned       safe = s.board.safe;

  for (int k = threadIdx.x; k < s.board.waiting[later]; k += TEAM) {
    Waiting one = list[k];

    if (one.from == UNDECIDED && (safe == FOREVER || load_relaxed(s.play.step + one.needed) != UNDECIDED)) look_for_far(s, one);
    put(s, one.from <= safe ? soon : later ^ 1, one);
  }
  __syncthreads();
}

/* From the list `soon` to the other one, but for unknowns that are ready */
__device__ __forceinline__ void take_ready(const Strip &s, unsigned now, int soon)
{
  const Waiting *const list = s.play.waiting + (size_t)soon * s.play.graph.far.n + s.first;

  for (int k = threadIdx.x; k < s.board.waiting[soon]; k += TEAM) {
    const Waiting one = list[k];

    if (one.from <= now) s.board.ready.add(one.number);
    else {
      put(s, soon ^ 1, one);
      atomicMin(s.board.earliest + soon, one.from);
    }
  }
  __syncthreads();
}

/* The first warp chooses up to WARP unknowns that are ready, by priority, and looks up their users */
__device__ __forceinline__ void choose(const Strip &s)
{
  Board    &b    = s.board;
  const int lane = threadIdx.x, count = b.ready.take(lane, b.chosen);
  const int q     = lane < count ? s.first + b.chosen[lane] : -1;
  const int begin = q < 0 ? 0 : s.play.graph.users.begin[q], length = q < 0 ? 0 : s.play.graph.users.end[q] - begin;
  const int before = sum_before(lane, length);

  b.begin[lane] = begin;
  b.users[lane] = before;
  if (lane == WARP - 1) {
    b.users[WARP] = before + length;
    b.count       = count;
  }
}

/* Solves the chosen unknowns in the step `now`: near users need one less, and one that needs no other waits for far ones */
__device__ __forceinline__ void solve_chosen(const Strip &s, unsigned now, int chunk, int soon, int later, const Waiter &waiter)
{
  const Board &b = s.board;

  if ((int)threadIdx.x < b.count) {
    const int q = s.first + b.chosen[threadIdx.x];

    store_relaxed(s.play.step + q, now);
    s.play.chunk[q] = chunk;
  }
  for (int k = threadIdx.x; k < b.users[WARP]; k += TEAM) {
    int of = 0;

    waiter.work_goes_on((unsigned)k, TEAM);
    for (int step = WARP / 2; step; step /= 2) of += b.users[of + step] <= k ? step : 0;
    const int number = s.play.graph.users.idx[b.begin[of] + k - b.users[of]] - s.first, shift = number % BYTES * 8;

    const unsigned left = atomicSub(s.board.left + number / BYTES, 1u << shift) >> shift;
    if (left % FAR == 1) wait_for_far(s, number, left & FAR, soon, later);
  }
}

/* Decides step by step, and tells the clock, until each unknown of the strip has its step */
__device__ __forceinline__ void play_strip(const Strip &s, Waiter &waiter)
{
  const Board &b   = s.board;
  unsigned     now = begin_strip(s, waiter), told = 0, safe = 0;
  int          soon = SOON, later = LATER, solved = 0, chunk = 0, next = threadIdx.x;
  bool         looks = true, follows = false; /* follows: the step before had a chunk */
  const auto   tell = [&](unsigned clock) {
    if (!threadIdx.x) subtract_release(s.play.clock + s.number, told - clock);
    told = clock;
  };

  while (solved < s.size) {
    if (looks) {
      tell(now);
      safe = await_clocks(s, now, next, waiter);
      sort_later(s, later, soon);
      if (!threadIdx.x) s.board.waiting[later] = 0;
      later = later ^ 1;
    }
    take_ready(s, now, soon);
    if (threadIdx.x < WARP) choose(s);
    if (threadIdx.x == TEAM - 1) { /* both are of the next step */
      s.board.waiting[soon]      = 0;
      s.board.earliest[soon ^ 1] = UNDECIDED;
    }
    __syncthreads();
    const unsigned waits_to = min(b.earliest[soon], safe + 1);
    soon                    = soon ^ 1;
    solve_chosen(s, now, chunk, soon, later, waiter);
    chunk += b.count > 0 || follows;
    follows = b.count > 0;
    solved += b.count;
    now   = b.count ? now + 1 : waits_to;
    looks = now > safe;
    __syncthreads();
    if (now >= told + TELLS) tell(now);
  }
  tell(OVER + now);
  if (!threadIdx.x) {
    atomicMax(s.play.most, (unsigned)chunk);
    atomicMax(s.play.most + 1, now);
  }
}

/* Sweeps that are played at the same time, strip by strip in turn; the second one may have no strips */
struct Plays {
  Play play[2];
  int  strips[2];
};

/* A team for each strip, in their order */
__global__ void __launch_bounds__(TEAM) play_kernel(const Plays plays, Tickets tickets)
{
  __shared__ Board board;
  BlockTurn        turn(tickets);
  const unsigned   paired = 2 * (unsigned)min(plays.strips[0], plays.strips[1]);

  for (unsigned k = turn.start; k < tickets.work; k = turn.next()) {
    const Play play  = (k < paired ? k % 2 : plays.strips[1] > plays.strips[0]) ? plays.play[1] : plays.play[0];
    const int  strip = (int)(k < paired ? k / 2 : k - paired / 2);
    const int  first = play.group[play.of_strip[strip]], end = play.group[play.of_strip[strip + 1]];

    play_strip({play, board, strip, first, end - first}, turn);
  }
}

/* What a sweep is played with */
struct Stage {
  StripsSort   sort;
  ScopedMemory memory;
};

SptrsvStatus set_stage(const StripsCourse &course, Stage &stage, Play *play)
{
  const size_t n     = (size_t)course.rows->rows.needs.n;
  StripsOrder  order = course.order;

  order.most = MOST;
  SPTRSV_TRY(strips_sort_by_priority(course.rows->rows, course.rows->levels, course.heights, order, &stage.sort));
  SPTRSV_TRY(near_far(course.rows->rows, stage.sort, &stage.memory, &play->graph));
  const size_t strips = (size_t)stage.sort.strips;
  SPTRSV_TRY(sptrsvScratchNew(&stage.memory, n, &play->chunk));
  SPTRSV_TRY(sptrsvScratchNew(&stage.memory, n, &play->step));
  SPTRSV_TRY(sptrsvScratchNew(&stage.memory, LISTS * n, &play->waiting));
  SPTRSV_TRY(sptrsvScratchNew(&stage.memory, strips + 2, &play->clock));
  SPTRSV_CUDA(cudaMemsetAsync(play->step, 0xff, n * sizeof(unsigned)));
  SPTRSV_CUDA(cudaMemsetAsync(play->clock, 0, (strips + 2) * sizeof(unsigned)));
  play->most     = play->clock + strips;
  play->group    = stage.sort.group;
  play->of_strip = stage.sort.of_strip;
  SPTRSV_TRY(count_processors(&play->teams));
  play->teams *= SPTRSV_STRIP_TEAMS;
  return SPTRSV_SUCCESS;
}

SptrsvStatus play_through(const Plays &plays)
{
  const int    strips = plays.strips[0] + plays.strips[1], teams = std::min(plays.play[0].teams, strips);
  ScopedMemory memory;
  Tickets      tickets;

  SPTRSV_TRY(tickets_create(&memory, (size_t)strips, (size_t)teams, &tickets));
  SPTRSV_CUDA(launch(play_kernel, teams, TEAM, nullptr, plays, tickets));
  SPTRSV_CUDA(cudaStreamSynchronize(nullptr));
  return *tickets.stalled ? SPTRSV_STALLED : SPTRSV_SUCCESS;
}

SptrsvStatus take_schedule(const Play &play, const StripsSort &sort, SptrsvOrder *schedule)
{
  const int n = play.graph.far.n;
  unsigned  most[2];

  SPTRSV_TRY(read_back(play.most, most, 2));
  SPTRSV_TRY(scatter(n, play.chunk, sort.sorted, schedule->chunk));
  SPTRSV_CUDA(cudaMemcpyAsync(schedule->strip, sort.strip, (size_t)n * sizeof(int), cudaMemcpyDeviceToDevice, nullptr));
  schedule->strips = sort.strips;
  schedule->chunks = (int)most[0];
  schedule->steps  = (int)most[1];
  return SPTRSV_SUCCESS;
}

} // namespace

SptrsvStatus sptrsv::strips_schedule(const StripsCourse course[], int count)
{
  Stage stage[2];
  Plays plays = {};

  for (int k = 0; k < count; k++) {
    SPTRSV_TRY(set_stage(course[k], stage[k], &plays.play[k]));
    plays.strips[k] = stage[k].sort.strips;
  }
  SPTRSV_TRY(play_through(plays));
  for (int k = 0; k < count; k++) SPTRSV_TRY(take_schedule(plays.play[k], stage[k].sort, course[k].kept));
  return SPTRSV_SUCCESS;
}
