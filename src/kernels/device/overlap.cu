/* Whether a launch may begin before the one in front of it ends. */
#include "launch.cuh"

#if CUDART_VERSION >= 12030
namespace {

__global__ void compiled_kernel()
{}

} // namespace
#endif

/* Kernels await the launch in front where they were compiled for compute capability 9.0 or later, so this asks for that and not for the
   GPU's.  Drivers before CUDA 12.3 cannot capture such launches. */
SptrsvStatus sptrsvLaunchesOverlap(bool *overlap)
{
  *overlap = false;
#if CUDART_VERSION >= 12030
  cudaFuncAttributes code;
  int                driver;

  SPTRSV_CUDA(cudaDriverGetVersion(&driver));
  SPTRSV_CUDA(cudaFuncGetAttributes(&code, compiled_kernel));
  *overlap = driver >= 12030 && code.ptxVersion >= 90;
#endif
  return SPTRSV_SUCCESS;
}
