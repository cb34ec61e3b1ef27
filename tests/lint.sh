#!/usr/bin/env bash
# Warnings as errors of gcc and nvcc, and static analysis by clang-tidy, shellcheck and pyflakes, as far as they are installed.
# shellcheck disable=SC2086,SC2046,SC2016 # lists of options and files; commands for another shell
. tests/report.sh

# other projects' headers may warn
mpi=$($PCC -show 2>/dev/null | grep -oE -- '-I *[^ ]+')
headers="-Iinclude ${SYNCFREE_CUDA_BUILD:+-DSPTRSV_HAVE_CUDA -isystem $CUDA_ROOT/include}"
system=$(sed -E 's/-I *([^ ]+)/-isystem \1/g' <<<"$CCPPFLAGS $mpi")
export headers system
export warnings='-Wall -Wextra -Wshadow -Wvla -Wconversion -Wno-sign-conversion -Wundef -Wpointer-arith -Wwrite-strings -Wformat=2
                 -Wmissing-prototypes -Wold-style-definition'

# each WHAT COMMAND FILE...: a case for each file, as many at once as there are cores; the command finds its file in $1
each() {
  local what=$1 command=$2 file output
  shift 2
  output=$(mktemp -d)
  export output
  printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -c "$command"' >"$output/${1//\//_}" 2>&1 && touch "$output/${1//\//_}.ok"' "$what" {}
  for file in "$@"; do try "$what: $file" bash -c 'cat "$1"; test -e "$1.ok"' _ "$output/${file//\//_}"; done
  rm -rf "$output"
}

sources=(src/kernels/*.c src/kernels/*/*.c src/kernels/*/*/*.c src/pc/*.c bench/*.c bench/matrices/*.c tests/kernels/*.c tests/fuzz/*.c)
[ -n "$SYNCFREE_CUDA_BUILD" ] || mapfile -t sources < <(printf '%s\n' "${sources[@]}" | grep -v _cuda)

each gcc 'gcc -c -o /dev/null -std=gnu11 -O2 -Werror $warnings $headers $system "$1"' "${sources[@]}" examples/*.c tests/*.c tests/petsc/*.c
if [ -n "$SYNCFREE_CUDA_BUILD" ]; then
  each nvcc "$CUDAC"' -c -o /dev/null -arch=sm_90 -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror $headers "$1"' \
    src/kernels/*/*.cu src/kernels/*/*/*.cu
else
  skip 'nvcc: the library was built without CUDA'
fi
# the differences between compilers and GPUs are in device.cuh (doc/amd.md)
names_of_cuda() {
  ! grep -onE '\b(asm|__\w+)\b' $(find src/kernels -name '*.cu*' ! -path '*/device/device.cuh' ! -path '*/device/hip/*') |
    grep -vE ':__(global|device|host|forceinline|shared|restrict|launch_bounds)__$' |
    grep -vE ':__(sync(threads|warp)|(ballot|any|shfl|shfl_xor)_sync|double_as_longlong)$'
}
try 'kernels use only names of CUDA C++ that hipcc and the emulator have' names_of_cuda

if command -v clang-tidy >/dev/null; then
  each clang-tidy 'clang-tidy --quiet "$1" -- -std=gnu11 $headers $system' "${sources[@]}"
else
  skip 'clang-tidy: it is not installed'
fi
if command -v shellcheck >/dev/null; then
  each shellcheck 'shellcheck -x -S warning "$1"' conf/bootstrap .ci/run tests/*.sh bench/*.sh bench/papers/*.sh
else
  skip 'shellcheck: it is not installed'
fi
if /usr/bin/python3 -c 'import pyflakes' 2>/dev/null; then # the distribution's
  each pyflakes '/usr/bin/python3 -m pyflakes "$1"' tests/*.py bench/*.py bench/*/*.py examples/*.py
else
  skip 'pyflakes: it is not installed'
fi
finish lint
