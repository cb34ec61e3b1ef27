#!/usr/bin/env bash
# Host code under gcc's AddressSanitizer and UndefinedBehaviorSanitizer, in a build folder without CUDA, with an unmodified PETSc; the
# kernel library's threads under ThreadSanitizer.
. tests/report.sh

build=${BUILD:?}/sanitized
compiler="$PCC -fsanitize=address,undefined -fno-sanitize-recover=all"
export ASAN_OPTIONS=max_allocation_size_mb=256 # as in fuzz.sh

# shellcheck disable=SC2086 # a compiler with its options
if ! echo 'int main(void) { return 0; }' | $compiler -x c - -o /dev/null 2>/dev/null; then
  skip 'everything: the compiler has no sanitizers'
  finish sanitize
fi
mkdir -p "$build"
cp "$BUILD/petsc.mk" "$build" # the same PETSc
light=(SYNCFREE_CUDA=0 PCC_FLAGS='-fPIC -fvisibility=hidden' CFLAGS='-O1 -g -DSPTRSV_ROLLED' OPTIMIZE=-O1 OPTIMIZE_TESTS=-O1)
sanitized() { make -s -j "$(nproc)" BUILD="$build" "${light[@]}" PCC="$compiler" "$@"; }
try 'the library and its tests compile' sanitized sanitize-programs || finish sanitize
try 'the fuzz targets compile' sanitized "$build"/tests/fuzz/corpus/{matrix_market,csr}

for target in matrix_market csr; do
  try "the inputs of fuzz/$target.c" timeout 60 "$build/tests/fuzz/corpus/$target" tests/fuzz/corpus/$target/*
done
for program in "$build"/tests/kernels/*; do
  spec='' leaks=1
  case $program in
  *.so) continue ;;
  */files) spec=2d9:12x10 ;;
  */processes) leaks=0 ;; # after fork() the child has what threads of its parent held
  esac
  try "${program##*/} --quick" env ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=$leaks timeout 120 "$program" --quick $spec
done
try 'the programs with TEST blocks' env SYNCFREE_TESTS="$build/tests" SYNCFREE_LIB="$PWD/$build/lib/libpetscsyncfree.so" SYNCFREE_GPU= \
  SYNCFREE_CUDA_BUILD= "$PYTHON" tests/petsc_tests.py

threads=${BUILD:?}/thread-sanitized
mkdir -p "$threads"
cp "$BUILD/petsc.mk" "$threads"
if echo 'int main(void) { return 0; }' | gcc -fsanitize=thread -x c - -o "$threads/probe" 2>/dev/null && "$threads/probe"; then
  for program in callers threads split; do
    try "$program under ThreadSanitizer compiles" make -s -j "$(nproc)" BUILD="$threads" SYNCFREE_CUDA=0 PCC='gcc -fsanitize=thread' \
      "$threads/tests/nocuda/$program" && try "$program --quick under ThreadSanitizer" timeout 120 "$threads/tests/nocuda/$program" --quick
  done
else
  skip 'host-threads under ThreadSanitizer: the compiler has none'
fi
finish sanitize
