#!/usr/bin/env bash
# AMD, as far as it can be tested without a GPU.  The kernel library and its tests compile for gfx90a without a warning and link, here
# without optimization, which takes half of a large kernel's time; the PETSc side compiles with a PETSc that has HIP.
. tests/report.sh

if ! command -v "${HIPCC:-hipcc}" >/dev/null; then
  skip 'there is no hipcc'
  finish hip
fi

# ROCm 5.2, Debian's, declares a function that it does not define
links() {
  make -s -j "$(nproc)" OPTIMIZE=-O0 HIP_WERROR=-Werror HIP_LDFLAGS=-Wl,--defsym=hipLaunchHostFunc=0 hip-tests
}

# PETSc's headers include libraries of ROCm, of which the plugin needs the names of handles only
with_hip() { # shellcheck disable=SC2086
  local file stubs=$SYNCFREE_TESTS/hip-stubs name
  for name in hipblas hipsparse hipsolver; do
    mkdir -p "$stubs/$name"
    echo "typedef void *${name}Handle_t; typedef int ${name}Status_t, ${name}Operation_t;" >"$stubs/$name/$name.h"
  done
  for file in src/pc/*.c; do
    printf '#include <petscconf.h>\n#undef PETSC_HAVE_CUDA\n#define PETSC_HAVE_HIP 1\n#include "%s"\n' "$PWD/$file" |
      $PCC -x c -fsyntax-only -Wall -Wextra -Werror -Iinclude -Isrc/pc -isystem "$stubs" $CCPPFLAGS -D__HIP_PLATFORM_AMD__ \
        '-DPETSC_PKG_HIP_VERSION_GE(a,b,c)=1' '-DPETSC_PKG_HIP_VERSION_LT(a,b,c)=0' - || return 1
  done
}

try 'the kernel library compiles for AMD without a warning' make -s -j "$(nproc)" OPTIMIZE=-O0 HIP_WERROR=-Werror hip
try 'its tests link' links
try 'the PETSc side compiles with HIP' with_hip
finish hip
