/* Plans of the methods of Li and Liu: rows, columns, levels and counters of a sweep on the device. */
#include <cstdio>
#include <cstdlib>
#include "../../analysis/adjacency.cuh"
#include "li.cuh"

namespace sptrsv {

namespace {

/* jlev and ilev of Li's listings */
SptrsvStatus create_levels(SptrsvPlan plan, const SptrsvOrdered &o, SubstitutionPlan *d)
{
  const SptrsvSweep *sweep;
  int               *jlev;

  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SptrsvStatus status = sptrsvLevelLists(o.n, o.row, sweep->level, &d->levels, &d->ilev, &jlev);
  if (!status) status = sptrsvUpload(jlev, (size_t)o.n * sizeof(int), (void **)&d->jlev, &plan->device_bytes);
  free(jlev);
  plan->host_bytes += ((size_t)d->levels + 1) * sizeof(int);
  return status;
}

SptrsvStatus create_columns(SptrsvPlan plan, const SptrsvOrdered &o, const int *row_ptr, bool with_values, SubstitutionPlan *d)
{
  Scratch<int> col_idx, source, ptr, idx, moved;

  SPTRSV_TRY(col_idx.upload(o.col_idx, o.nnz));
  if (with_values) SPTRSV_TRY(source.upload(o.source, o.nnz));
  SPTRSV_TRY(transpose(lists(o.n, row_ptr, col_idx), o.nnz, source, ptr, idx, with_values ? &moved : nullptr));
  ptr.release(&d->col_ptr, &plan->device_bytes);
  idx.release(&d->row_idx, &plan->device_bytes);
  if (with_values) moved.release(&d->value_source, &plan->device_bytes);
  return SPTRSV_SUCCESS;
}

/* Columns become places in out, where x is read */
SptrsvStatus create_places(SptrsvPlan plan, SptrsvOrdered *o, SubstitutionPlan *d)
{
  const int *perm = plan->options.out_perm;

  for (int k = 0; k < o->nnz; k++) {
    const int row = o->row[o->col_idx[k]];

    o->col_idx[k] = perm ? perm[row] : row;
  }
  SPTRSV_TRY(sptrsvUpload(o->col_idx, (size_t)o->nnz * sizeof(int), (void **)&d->place, &plan->device_bytes));
  return sptrsvUpload(o->source, (size_t)o->nnz * sizeof(int), (void **)&d->value_source, &plan->device_bytes);
}

SptrsvStatus create_counters(SptrsvPlan plan, const int *row_ptr, SubstitutionPlan *d)
{
  SPTRSV_TRY(sptrsvDeviceAllocate(3 * (size_t)d->rows * sizeof(unsigned), (void **)&d->missing, &plan->device_bytes));
  SPTRSV_TRY(count_lengths(lists(d->rows, row_ptr, nullptr), 3, d->missing));
  SPTRSV_CUDA(cudaStreamSynchronize(nullptr)); /* the first solve may come in another stream */
  SPTRSV_TRY(tickets_create(substitution_blocks(d->rows), 0, &d->tickets, &plan->device_bytes));
  plan->stalled = d->tickets.stalled;
  return SPTRSV_SUCCESS;
}

double share_in_block(const SptrsvOrdered &o)
{
  int count = 0;

  for (int r = 0; r < o.n; r++) {
    for (int k = o.row_ptr[r]; k < o.row_ptr[r + 1]; k++) count += o.col_idx[k] / WARPS_PER_BLOCK == r / WARPS_PER_BLOCK;
  }
  return o.nnz ? (double)count / o.nnz : 0;
}

SptrsvStatus create_parts(SptrsvPlan plan, unsigned parts, SptrsvOrdered *o, SubstitutionPlan *d)
{
  const size_t n = (size_t)o->n, size = value_size(plan->options.type);
  size_t      *total = &plan->device_bytes;
  Scratch<int> row_ptr;

  d->rows     = o->n;
  d->nnz      = o->nnz;
  d->in_block = share_in_block(*o);
  SPTRSV_TRY(row_ptr.upload(o->row_ptr, n + 1));
  if (parts & IN_LEVELS) SPTRSV_TRY(create_levels(plan, *o, d));
  if (parts & BY_COLUMNS) SPTRSV_TRY(create_columns(plan, *o, row_ptr, !(parts & BY_ROWS), d));
  if (parts & BY_ROWS) SPTRSV_TRY(create_places(plan, o, d));
  if (parts & SUMMED) SPTRSV_TRY(sptrsvDeviceAllocateZeroed((parts & COUNTED ? 2 : 1) * n * size, &d->left_sum, total));
  SPTRSV_TRY(sptrsvDeviceAllocate((size_t)o->nnz * size, &d->values, total));
  SPTRSV_TRY(sptrsvDeviceAllocate(n * size, &d->reciprocal, total));
  SPTRSV_TRY(sptrsvUpload(o->diagonal, n * sizeof(int), (void **)&d->diagonal_source, total));
  SPTRSV_TRY(upload_places(o->n, o->row, plan->options.in_perm, &d->source, total));
  SPTRSV_TRY(upload_places(o->n, o->row, plan->options.out_perm, &d->target, total));
  if (parts & COUNTED) SPTRSV_TRY(create_counters(plan, row_ptr, d));
  if (parts & BY_ROWS) row_ptr.release(&d->row_ptr, total);
  return SPTRSV_SUCCESS;
}

} // namespace

SptrsvStatus substitution_build(SptrsvPlan plan, unsigned parts)
{
  SubstitutionPlan *d;
  SptrsvOrdered     o;

  SPTRSV_TRY(sptrsvNew(1, &d));
  plan->data = d;
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &o));
  const SptrsvStatus status = create_parts(plan, parts, &o, d);
  sptrsvOrderedFree(&o);
  return status;
}

SptrsvStatus substitution_update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  const SubstitutionPlan &d = *substitution_of(plan);

  return take_values({(size_t)d.nnz, d.value_source, d.values, d.rows, d.diagonal_source, d.reciprocal}, plan->options.diagonal,
                     plan->options.type, values, stream);
}

void substitution_destroy(SptrsvPlan plan)
{
  SubstitutionPlan *d = substitution_of(plan);

  if (!d) return;
  for (void *p :
       {(void *)d->row_ptr, (void *)d->place, (void *)d->col_ptr, (void *)d->row_idx, (void *)d->jlev, (void *)d->value_source,
        (void *)d->diagonal_source, (void *)d->source, (void *)d->target, (void *)d->missing, d->values, d->reciprocal, d->left_sum})
    sptrsvDeviceFree(p);
  free(d->ilev);
  tickets_destroy(&d->tickets);
  free(d);
}

} // namespace sptrsv
