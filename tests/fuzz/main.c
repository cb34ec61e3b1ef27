/* Stands in for libFuzzer where there is no clang: runs a fuzz target once on each file named on the command line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
  FILE    *file = fopen(path, "rb");
  long     size = -1;
  uint8_t *data = NULL;

  if (file && !fseek(file, 0, SEEK_END)) size = ftell(file);
  if (size >= 0) data = malloc(size ? (size_t)size : 1); /* to the byte, so that a sanitizer sees what is read past it */
  if (data) rewind(file);
  if (!data || fread(data, 1, (size_t)size, file) != (size_t)size) {
    perror(path);
    exit(1);
  }
  (void)fclose(file);
  (void)LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
  return 0;
}

int main(int argc, char **argv)
{
  for (int k = 1; k < argc; k++) run_file(argv[k]);
  return argc < 2;
}
