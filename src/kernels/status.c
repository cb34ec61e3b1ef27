/* A sentence for each status. */
#include "impl.h"

const char *sptrsvGetErrorString(SptrsvStatus status)
{
  switch (status) {
  case SPTRSV_SUCCESS:
    return "success";
  case SPTRSV_INVALID_ARGUMENT:
    return "an argument is invalid";
  case SPTRSV_UNSORTED:
    return "the columns of a row are not strictly ascending (unsorted, or an entry is stored twice)";
  case SPTRSV_MISSING_DIAGONAL:
    return "a diagonal entry is missing from the pattern";
  case SPTRSV_TOO_LARGE:
    return "more rows or entries than 32-bit indices hold";
  case SPTRSV_NOT_SUPPORTED:
    return "the algorithm does not support this sweep";
  case SPTRSV_NOT_READY:
    return "no values have been given yet";
  case SPTRSV_OUT_OF_MEMORY:
    return "out of host or device memory";
  case SPTRSV_NO_DEVICE:
    return "there is no GPU, or the library was built without CUDA";
  case SPTRSV_CUDA_ERROR:
    return "a CUDA call failed";
  case SPTRSV_CUSPARSE_ERROR:
    return "a cuSPARSE call failed";
  case SPTRSV_STALLED:
    return "a kernel gave up waiting for a value that never came: memory of its plan was overwritten";
  case SPTRSV_FILE_ERROR:
    return "a file cannot be read, or does not hold what it should";
  }
  return "unknown status";
}
