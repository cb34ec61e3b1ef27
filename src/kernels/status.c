/* Sentences for status codes, and texts in parts. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "impl.h"

static const char *const sentence[] = {
    [SPTRSV_SUCCESS]          = "success",
    [SPTRSV_INVALID_ARGUMENT] = "an argument is invalid",
    [SPTRSV_UNSORTED]         = "the columns of a row are not strictly ascending (unsorted, or an entry is stored twice)",
    [SPTRSV_MISSING_DIAGONAL] = "a diagonal entry is missing from the pattern",
    [SPTRSV_TOO_LARGE]        = "more rows or entries than 32-bit indices hold",
    [SPTRSV_NOT_SUPPORTED]    = "the algorithm does not support this sweep",
    [SPTRSV_NOT_READY]        = "no values have been given yet",
    [SPTRSV_OUT_OF_MEMORY]    = "out of host or device memory",
    [SPTRSV_NO_DEVICE]        = "there is no GPU, or the library was built without CUDA",
    [SPTRSV_CUDA_ERROR]       = "a CUDA call failed",
    [SPTRSV_CUSPARSE_ERROR]   = "a cuSPARSE call failed",
    [SPTRSV_STALLED]          = "a kernel gave up waiting for a value that never came: memory of its plan was overwritten",
    [SPTRSV_UNKNOWN_NAME]     = "no algorithm, option or choice has this name",
    [SPTRSV_WRONG_MEMORY]     = "the pattern, analysis or algorithm is of the other memory, host or GPU",
};

const char *sptrsvGetErrorString(SptrsvStatus status)
{
  return (unsigned)status < sizeof(sentence) / sizeof(*sentence) ? sentence[status] : "unknown status";
}

void sptrsvAppend(char *text, size_t size, const char *format, ...)
{
  const size_t used = strlen(text);
  va_list      arguments;

  va_start(arguments, format);
  (void)vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
}
