/* Memory that set-ups keep, and pinned memory (setup_memory.c): random histories of set-ups, scratch, spare blocks and words, over a
   cudaMalloc(), which fails by turns, and a cudaHostAlloc() of this program, which only give addresses away, next to each other.  Runs
   without a GPU; the emulator cuts no slabs. */
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include "check.h"
#include "../../src/kernels/setup_memory.h"

enum { MOST = 240, SMALL = 4096, LARGE = 48 << 20, SLAB = 32 << 20, HISTORIES = 200, STEPS = 400, FULL = 128, SPARE = 1 << 20 };

typedef struct {
  char  *p;
  size_t bytes;
} Piece;
typedef struct {
  int   count;
  Piece item[MOST];
} Pieces;

/* Of device memory: what CUDA has given, and of that what the library has given on or was given */
static struct {
  Pieces   blocks, taken, spare;
  Pieces   pinned, words; /* likewise of pinned memory */
  uint64_t seed;
  char    *end;      /* of all blocks so far */
  bool     fails;    /* by turns */
  int      failures; /* since it was set to 0 */
  size_t   most;     /* bytes of a block that can be had */
} gpu;

static int random_below(int n)
{
  return (int)(random_unit(&gpu.seed) * n);
}

static void add(Pieces *pieces, char *p, size_t bytes)
{
  if (pieces->count == MOST) abort();
  pieces->item[pieces->count++] = (Piece){p, bytes};
}

static bool take_out(Pieces *pieces, const char *p, Piece *out)
{
  for (int k = 0; k < pieces->count; k++) {
    if (pieces->item[k].p != p) continue;
    *out            = pieces->item[k];
    pieces->item[k] = pieces->item[--pieces->count];
    return true;
  }
  return false;
}

/* How many pieces have a byte in common with one */
static int overlaps(const Pieces *pieces, Piece one)
{
  int count = 0;

  for (int k = 0; k < pieces->count; k++)
    count += one.p < pieces->item[k].p + pieces->item[k].bytes && pieces->item[k].p < one.p + one.bytes;
  return count;
}

/* -------------------------------------------------- in the place of CUDA's ---------------------------------------------------- */

cudaError_t __wrap_cudaMalloc(void **p, size_t bytes);
cudaError_t __wrap_cudaFree(void *p);
cudaError_t __wrap_cudaHostAlloc(void **p, size_t bytes, unsigned flags);
cudaError_t __wrap_cudaFreeHost(void *p);

static void *give_address(Pieces *blocks, size_t bytes)
{
  char *const p = gpu.end;

  add(blocks, p, bytes);
  gpu.end += (bytes + SPTRSV_ALIGNED - 1) / SPTRSV_ALIGNED * SPTRSV_ALIGNED;
  return p;
}

cudaError_t __wrap_cudaMalloc(void **p, size_t bytes)
{
  if (bytes > gpu.most || (gpu.fails && !random_below(4))) {
    gpu.failures++;
    return cudaErrorMemoryAllocation;
  }
  *p = give_address(&gpu.blocks, bytes);
  return cudaSuccess;
}

cudaError_t __wrap_cudaHostAlloc(void **p, size_t bytes, unsigned flags)
{
  (void)flags;
  *p = give_address(&gpu.pinned, bytes);
  return cudaSuccess;
}

cudaError_t __wrap_cudaFreeHost(void *p)
{
  Piece block = {NULL, 0};

  expect(take_out(&gpu.pinned, p, &block), "it frees pinned memory that CUDA has not given");
  expect(!overlaps(&gpu.words, block), "it frees a page of which a word is in use");
  return cudaSuccess;
}

cudaError_t __wrap_cudaFree(void *p)
{
  Piece block = {NULL, 0}, spare;

  expect(take_out(&gpu.blocks, p, &block), "it frees what CUDA has not given");
  expect(!overlaps(&gpu.taken, block), "it frees a slab of which a piece is in use");
  (void)take_out(&gpu.spare, p, &spare);
  return cudaSuccess;
}

/* --------------------------------------------------------- what is done ------------------------------------------------------- */

static void take_piece(size_t bytes, bool in_setup)
{
  size_t      held  = 0;
  char *const p     = sptrsvSlabTake(bytes, &held);
  const Piece piece = {p, held};

  expect(!p || in_setup, "scratch is given outside of set-ups");
  expect(p || !in_setup || gpu.failures || gpu.taken.count >= FULL, "no scratch, though there is memory");
  if (!p) return;
  expect(held >= bytes && (uintptr_t)p % SPTRSV_ALIGNED == 0, "a piece of %zu bytes at %p for %zu", held, (void *)p, bytes);
  expect(!overlaps(&gpu.taken, piece), "two pieces overlap");
  for (int k = 0; k < gpu.blocks.count; k++) {
    const Piece block = gpu.blocks.item[k];

    if (overlaps(&(Pieces){1, {block}}, piece)) expect(p >= block.p && p + held <= block.p + block.bytes, "a piece is not in one slab");
  }
  expect(overlaps(&gpu.blocks, piece) == 1, "a piece is in %d slabs", overlaps(&gpu.blocks, piece));
  add(&gpu.taken, p, held);
}

static void give_piece(void)
{
  Piece piece;

  if (gpu.taken.count && take_out(&gpu.taken, gpu.taken.item[random_below(gpu.taken.count)].p, &piece)) sptrsvSlabGive(piece.p);
}

static void keep_spare(size_t bytes, bool in_setup)
{
  void *p = NULL;

  if (cudaMalloc(&p, bytes)) return;
  if (sptrsvSpareKeep(p, bytes)) {
    expect(in_setup, "a spare block is kept outside of set-ups");
    add(&gpu.spare, p, bytes);
  } else {
    expect(!in_setup || gpu.spare.count == 64, "a spare block is not kept");
    (void)cudaFree(p);
  }
}

static void take_spare(size_t bytes)
{
  size_t held  = 0;
  void  *p     = sptrsvSpareTake(bytes, &held);
  Piece  spare = {NULL, 0};

  if (!p) return;
  if (!expect(take_out(&gpu.spare, p, &spare), "a block that was not kept")) return;
  expect(held == spare.bytes && held >= bytes && held <= bytes + bytes / 8, "a block of %zu bytes, said to have %zu, for %zu", spare.bytes,
         held, bytes);
  (void)cudaFree(p);
}

static void free_kept(void)
{
  const int  before = gpu.blocks.count;
  const bool some   = sptrsvKeptFree();

  expect(some == (gpu.blocks.count < before), "%d blocks of %d are left, %s", gpu.blocks.count, before, some ? "some freed" : "none freed");
  expect(!gpu.spare.count, "spare blocks are left");
}

/* Set-ups in each other, kept memory, and what they take; pieces may outlive the set-up, as those of one that fails do */
static void live(uint64_t seed, bool fails)
{
  int setups = 0, keeps = 0;

  gpu.seed  = seed;
  gpu.fails = fails;
  for (int step = 0; step < STEPS; step++) {
    const int    what  = random_below(16);
    const size_t bytes = (size_t)random_below(what % 2 ? SMALL : random_below(8) ? SLAB / 8 : LARGE);

    gpu.failures = 0;
    if (what < 5 && gpu.taken.count < MOST - 1) take_piece(bytes, setups);
    else if (what < 9) give_piece();
    else if (what < 11 && gpu.blocks.count < MOST - 1) keep_spare((size_t)random_below(SPARE), setups);
    else if (what == 11) take_spare((size_t)random_below(SPARE));
    else if (what == 12) {
      sptrsvSetupBegin();
      setups++;
    } else if (what == 13 && setups) {
      setups--;
      expect_success(sptrsvSetupEnd(SPTRSV_HOST, SPTRSV_SUCCESS));
    } else if (what == 14 && keeps) {
      keeps--;
      sptrsvMemoryRelease();
    } else if (what == 15 && keeps < 2) {
      keeps++;
      sptrsvMemoryKeep();
    } else if (!random_below(20)) free_kept();
    if (!setups && !keeps && !gpu.taken.count) expect(!gpu.blocks.count, "%d blocks are left behind set-ups", gpu.blocks.count);
  }
  while (setups--) expect_success(sptrsvSetupEnd(SPTRSV_HOST, SPTRSV_SUCCESS));
  while (keeps--) sptrsvMemoryRelease();
  while (gpu.taken.count) give_piece();
  expect(!gpu.blocks.count, "%d blocks are left in the end", gpu.blocks.count);
}

/* Where memory for a slab is short, there may be some for what is needed */
static void test_shortage(void)
{
  const size_t most = gpu.most;
  size_t       held = 0;
  void        *p;

  case_begin("no room for a slab");
  gpu.fails = false;
  gpu.most  = SLAB / 2;
  sptrsvSetupBegin();
  p = sptrsvSlabTake(SMALL, &held);
  expect(p && held == SMALL, "%zu bytes", held);
  if (p) sptrsvSlabGive(p);
  expect(!sptrsvSlabTake(SLAB, &held), "more than there is");
  expect_success(sptrsvSetupEnd(SPTRSV_HOST, SPTRSV_SUCCESS));
  gpu.most = most;
  case_end();
}

/* Scratch of a set-up comes from one slab, and its place is taken again */
static void test_one_slab(void)
{
  case_begin("one slab for many pieces");
  gpu.fails = false;
  sptrsvSetupBegin();
  for (int round = 0; round < 3; round++) {
    for (int k = 0; k < FULL - 1; k++) take_piece(SLAB / FULL, true);
    expect(gpu.blocks.count == 1, "%d slabs", gpu.blocks.count);
    while (gpu.taken.count) give_piece();
  }
  take_piece(SLAB, true);
  expect(gpu.blocks.count == 1, "free neighbours are no piece: %d slabs", gpu.blocks.count);
  give_piece();
  expect_success(sptrsvSetupEnd(SPTRSV_HOST, SPTRSV_SUCCESS));
  expect(!gpu.blocks.count, "%d blocks are left", gpu.blocks.count);
  case_end();
}

/* More words than a page has, and larger pieces, given back in any order; on a GPU the page may not be cudaHostAlloc()'s */
static void test_words(void)
{
  void *p;
  Piece piece;

  case_begin("pinned words");
  for (int step = 0; step < 4 * STEPS; step++) {
    const size_t bytes = random_below(8) ? sizeof(unsigned) << random_below(2) : (size_t)random_below(SMALL);

    if (random_below(100) < (step / STEPS % 2 ? 30 : 70) && gpu.words.count < MOST - 1) {
      if (!expect_success(sptrsvPinnedTake(bytes, &p))) continue;
      expect(!overlaps(&gpu.words, (Piece){p, bytes}), "two words overlap");
      add(&gpu.words, p, bytes);
    } else if (gpu.words.count && take_out(&gpu.words, gpu.words.item[random_below(gpu.words.count)].p, &piece)) sptrsvPinnedGive(piece.p);
  }
  while (gpu.words.count && take_out(&gpu.words, gpu.words.item[0].p, &piece)) sptrsvPinnedGive(piece.p);
  expect(!gpu.pinned.count, "%d pieces are left", gpu.pinned.count);
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("slabs", argc, argv);
  gpu.end  = (char *)((uintptr_t)1 << 40); /* NOLINT(performance-no-int-to-ptr): nobody reads there */
  gpu.most = SIZE_MAX;
  test_one_slab();
  test_shortage();
  test_words();
  for (int fails = 0; fails < 2; fails++) {
    case_begin("histories%s", fails ? ", memory fails by turns" : "");
    for (int k = 0; k < HISTORIES; k++) live((uint64_t)k + 1, fails);
    case_end();
  }
  return test_end();
}
