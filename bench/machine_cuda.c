/* machine_cuda.c - A GPU's memory and events, and SpMV by cuSPARSE, all in the legacy default stream. */
#if defined(SPTRSV_HAVE_CUDA)
  #include "machine.h"
  #include <cuda_runtime_api.h>
  #define DISABLE_CUSPARSE_DEPRECATED /* otherwise its header warns */
  #include <cusparse.h>
  #include <stdio.h>
  #include <stdlib.h>

typedef struct {
  cusparseHandle_t     handle;
  cusparseSpMatDescr_t A;
  cusparseDnVecDescr_t x, y;
  void                *row_ptr, *col_idx, *buffer;
} Spmv;

static bool check(Machine *machine, cudaError_t status, const char *what)
{
  if (status == cudaSuccess) return true;
  return csr_matrix_fail(machine->error, sizeof machine->error, "%s: %s", what, cudaGetErrorString(status));
}

static bool check_sparse(Machine *machine, cusparseStatus_t status, const char *what)
{
  if (status == CUSPARSE_STATUS_SUCCESS) return true;
  return csr_matrix_fail(machine->error, sizeof machine->error, "%s: %s", what, cusparseGetErrorString(status));
}

  #define CUDA(machine, call) check(machine, call, #call)
  #define CUSPARSE(machine, call) check_sparse(machine, call, #call)

/* ----------------------------------------------------------- start ---------------------------------------------------------- */

static void version_text(int version, char *text, size_t size)
{
  (void)snprintf(text, size, "%d.%d", version / 1000, version % 1000 / 10);
}

static bool gpu_identify(Machine *machine)
{
  struct cudaDeviceProp properties;
  int                   device, driver, runtime;

  if (!CUDA(machine, cudaGetDevice(&device)) || !CUDA(machine, cudaGetDeviceProperties(&properties, device))) return false;
  if (!CUDA(machine, cudaDriverGetVersion(&driver)) || !CUDA(machine, cudaRuntimeGetVersion(&runtime))) return false;
  (void)snprintf(machine->gpu, sizeof machine->gpu, "%s", properties.name);
  version_text(driver, machine->driver, sizeof machine->driver);
  version_text(runtime, machine->cuda, sizeof machine->cuda);
  return true;
}

/* One event more than repetitions: each ends one and begins the next. */
static bool gpu_start(Machine *machine)
{
  cudaEvent_t *events = calloc((size_t)machine->repeat + 1, sizeof *events);

  machine->data = events;
  if (!events) return csr_matrix_fail(machine->error, sizeof machine->error, "out of memory");
  for (int k = 0; k <= machine->repeat; k++) {
    if (!CUDA(machine, cudaEventCreate(&events[k]))) return false;
  }
  return gpu_identify(machine);
}

static void gpu_stop(Machine *machine)
{
  cudaEvent_t *events = machine->data;

  for (int k = 0; events && k <= machine->repeat; k++) {
    if (events[k]) (void)cudaEventDestroy(events[k]);
  }
  free(events);
}

/* ----------------------------------------------------------- memory --------------------------------------------------------- */

static bool gpu_allocate(Machine *machine, size_t bytes, void **p) { return CUDA(machine, cudaMalloc(p, bytes + 1)); }

static void gpu_release(void *p) { (void)cudaFree(p); }

static bool gpu_copy(Machine *machine, void *to, const void *from, size_t bytes)
{
  return CUDA(machine, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, NULL));
}

static bool gpu_spoil(Machine *machine, void *p, size_t bytes) { return CUDA(machine, cudaMemsetAsync(p, 0xff, bytes, NULL)); }

static bool gpu_synchronize(Machine *machine) { return CUDA(machine, cudaDeviceSynchronize()); }

/* ----------------------------------------------------------- clock ---------------------------------------------------------- */

static bool gpu_time(Machine *machine, MachineWork work, void *context, int count)
{
  cudaEvent_t *events = machine->data;

  if (!CUDA(machine, cudaEventRecord(events[0], NULL))) return false;
  for (int k = 0; k < count; k++) {
    if (!work(context) || !CUDA(machine, cudaEventRecord(events[k + 1], NULL))) return false;
  }
  if (!CUDA(machine, cudaEventSynchronize(events[count]))) return false;
  for (int k = 0; k < count; k++) {
    float milliseconds;

    if (!CUDA(machine, cudaEventElapsedTime(&milliseconds, events[k], events[k + 1]))) return false;
    machine->times[k] = 1e-3 * milliseconds;
  }
  return true;
}

/* ------------------------------------------------------------ SpMV ---------------------------------------------------------- */

static bool upload_pattern(Machine *machine, const CsrMatrix *A, Spmv *s)
{
  const size_t row_bytes = (size_t)(A->rows + 1) * sizeof *A->row_ptr, col_bytes = (size_t)A->nnz * sizeof *A->col_idx;

  return gpu_allocate(machine, row_bytes, &s->row_ptr) && gpu_allocate(machine, col_bytes, &s->col_idx)
      && gpu_copy(machine, s->row_ptr, A->row_ptr, row_bytes) && gpu_copy(machine, s->col_idx, A->col_idx, col_bytes);
}

static bool describe(MachineSpmv *spmv, Spmv *s, cudaDataType type)
{
  Machine         *machine = spmv->machine;
  const CsrMatrix *A       = spmv->A;

  return CUSPARSE(machine, cusparseCreate(&s->handle))
      && CUSPARSE(machine, cusparseCreateCsr(&s->A, A->rows, A->rows, A->nnz, s->row_ptr, s->col_idx, (void *)spmv->values,
                                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type))
      && CUSPARSE(machine, cusparseCreateDnVec(&s->x, A->rows, (void *)spmv->x, type))
      && CUSPARSE(machine, cusparseCreateDnVec(&s->y, A->rows, spmv->y, type));
}

static cudaDataType value_type(const MachineSpmv *spmv) { return spmv->machine->type == SPTRSV_FLOAT ? CUDA_R_32F : CUDA_R_64F; }

/* alpha and beta of either type */
static const void *scalar(const MachineSpmv *spmv, int value)
{
  static const float  singles[] = {0, 1};
  static const double doubles[] = {0, 1};

  return spmv->machine->type == SPTRSV_FLOAT ? (const void *)(singles + value) : (const void *)(doubles + value);
}

static bool gpu_spmv_create(MachineSpmv *spmv)
{
  Machine *machine = spmv->machine;
  Spmv    *s       = calloc(1, sizeof *s);
  size_t   bytes;

  spmv->data = s;
  if (!s) return csr_matrix_fail(machine->error, sizeof machine->error, "out of memory");
  return upload_pattern(machine, spmv->A, s) && describe(spmv, s, value_type(spmv))
      && CUSPARSE(machine, cusparseSpMV_bufferSize(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, scalar(spmv, 1), s->A, s->x,
                                                   scalar(spmv, 0), s->y, value_type(spmv), CUSPARSE_SPMV_ALG_DEFAULT, &bytes))
      && gpu_allocate(machine, bytes, &s->buffer);
}

static bool gpu_spmv(MachineSpmv *spmv)
{
  Spmv *s = spmv->data;

  return CUSPARSE(spmv->machine, cusparseSpMV(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, scalar(spmv, 1), s->A, s->x,
                                              scalar(spmv, 0), s->y, value_type(spmv), CUSPARSE_SPMV_ALG_DEFAULT, s->buffer));
}

static void gpu_spmv_destroy(MachineSpmv *spmv)
{
  Spmv *s = spmv->data;

  if (!s) return;
  if (s->y) (void)cusparseDestroyDnVec(s->y);
  if (s->x) (void)cusparseDestroyDnVec(s->x);
  if (s->A) (void)cusparseDestroySpMat(s->A);
  if (s->handle) (void)cusparseDestroy(s->handle);
  (void)cudaFree(s->buffer);
  (void)cudaFree(s->col_idx);
  (void)cudaFree(s->row_ptr);
  free(s);
  spmv->data = NULL;
}

const MachineOps machine_cuda = {gpu_start, gpu_stop, gpu_allocate, gpu_release, gpu_copy, gpu_spoil,
                                 gpu_synchronize, gpu_time, gpu_spmv_create, gpu_spmv, gpu_spmv_destroy};
#endif
