#!/usr/bin/env bash
# Installs into a temporary folder and builds a program against the installation, in each of the ways that the manual names.
# shellcheck disable=SC2086,SC2046 # PCC_FLAGS, what pkg-config says and its like are lists
. tests/report.sh

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
prefix=$root/opt
petsc_pc=$PETSC_DIR/$PETSC_ARCH/lib/pkgconfig
source=$PWD/tests/downstream.c

solves() { # PROGRAM OPTIONS...: one iteration, with the plugin's own code
  local output
  output=$("$@" -ksp_view) || { printf '%s\n' "$output"; return 1; }
  printf '%s\n' "$output"
  grep -q '^iterations 1$' <<<"$output" && grep -q 'type: syncfree' <<<"$output"
}

try 'make install PREFIX=' make install PREFIX="$prefix" || finish install
for file in lib/libpetscsyncfree.so lib/libpetscsyncfree.a lib/pkgconfig/syncfree.pc lib/syncfree/conf/syncfree_variables \
            lib/syncfree/conf/syncfree_rules lib/cmake/SyncFree/SyncFreeConfigVersion.cmake \
            share/man/man3/sptrsv.3 include/petscsyncfree.h include/sptrsv.h; do
  try "installs $file" test -s "$prefix/$file"
done
manual_page() { man -P cat -M "$1/share/man" 3 "$2" | grep -e "$3"; }
if command -v man >/dev/null; then
  try 'man 3 PCSYNCFREE' manual_page "$prefix" PCSYNCFREE -pc_syncfree_algorithm
else
  skip 'man 3 PCSYNCFREE: there is no man'
fi
try 'nothing of the templates is left' bash -c "! grep -rn '@[A-Z_]*@' '$prefix/lib/pkgconfig' '$prefix/lib/syncfree' '$prefix/lib/cmake'"
try 'make install prefix=' make install prefix="$root/lower"
try 'prefix= has effect' test -s "$root/lower/lib/libpetscsyncfree.so"
try 'make install DESTDIR=' make install DESTDIR="$root/stage" PREFIX=/usr
try 'DESTDIR= has effect' test -s "$root/stage/usr/lib/libpetscsyncfree.so"
try 'but is not in syncfree.pc' grep -qx 'prefix=/usr' "$root/stage/usr/lib/pkgconfig/syncfree.pc"
try 'nor in any other file' bash -c "! grep -rF '$root/stage' '$root/stage'"
same_files() { diff <(cd "$1" && find . -type f | sort) <(cd "$2" && find . -type f | sort); }
try 'it has the files of an installation' same_files "$prefix" "$root/stage/usr"
try 'and no others' test -z "$(find "$root/stage" -type f ! -path "$root/stage/usr/*")"
try 'make uninstall DESTDIR=' make uninstall DESTDIR="$root/stage" PREFIX=/usr
try 'leaves no file there' test -z "$(find "$root/stage" -type f)"

try 'make uninstall' make uninstall PREFIX="$root/lower"
try 'leaves no file' test -z "$(find "$root/lower" -type f)"
spaces_refused() {
  ! make install PREFIX="$root/my inst" 2>"$root/refused" && grep -qx 'PREFIX and DESTDIR cannot have spaces' "$root/refused"
}
try 'a prefix with spaces is refused' spaces_refused
prefix_refused() {
  ! make install PREFIX=/proc/none 2>"$root/refused" && grep -q 'cannot write to /proc/none: name another place' "$root/refused"
}
try 'a prefix that cannot be written is told' prefix_refused
unknown_target() { ! make tset 2>"$root/tset" && grep -q 'make help lists them' "$root/tset"; }
try 'an unknown target points to make help' unknown_target
quiet_first() { # .DEFAULT is not asked for files of dependencies
  mkdir "$root/new" && { echo "MPI_BIN := ${PCC%/*}"; } >"$root/new/petsc.mk" && make -n BUILD="$root/new" >"$root/plan" 2>&1 &&
    ! grep -E 'There is no target|DEFAULT' "$root/plan"
}
try 'make in a new build folder prints no such line' quiet_first
other_gpus() { # and not for the same ones
  local object=$root/gpus/obj/src/kernels/device/sort.cu.o
  mkdir -p "${object%/*}" && cp "$BUILD/petsc.mk" "$root/gpus" && make -n BUILD="$root/gpus" info && touch "$object" &&
    make -q BUILD="$root/gpus" "$object" && ! make -q BUILD="$root/gpus" SYNCFREE_CUDA_ARCH=75 "$object"
}
if [ -n "$SYNCFREE_CUDA_BUILD" ]; then
  try 'objects for other GPUs are made anew in an old build folder' other_gpus
else
  skip 'objects for other GPUs: built without CUDA'
fi

cannot_write() {
  ! make BUILD=/proc/none 2>"$root/refused" && grep -q 'cannot write to /proc/none; make BUILD=DIR builds elsewhere' "$root/refused"
}
try 'a build folder that cannot be written is told' cannot_write

given_python() { # without numpy: no other one is made
  SYNCFREE_PYTHON=/usr/bin/false SYNCFREE_CACHE=$root/cache conf/bootstrap "$root/given.mk" &&
    ! test -e "$root/cache" &&
    printf 'include %s\nPYTHON = that of PETSc\nall: ; @echo $(PYTHON)\n' "$root/given.mk" | make -s -f - | grep -x /usr/bin/false
}
try 'SYNCFREE_PYTHON is taken as it is' given_python

# A PETSc as bootstrap looks at it: other_petsc MINOR LINES, of petscconf.h; and one that it "built" before, where pip has nothing
other_petsc() {
  rm -rf "$root/other" && mkdir -p "$root/other/include/petsc/private" "$root/other/lib/petsc/conf" && (
    cd "$root/other" && printf '#define PETSC_VERSION_%s\n' 'MAJOR 3' "MINOR $1" 'SUBMINOR 0' >include/petscversion.h &&
      printf '#define %s 1\n' "${@:2}" >include/petscconf.h && touch include/petsc/private/matimpl.h lib/petsc/conf/variables &&
      printf 'MPIEXEC = %s --oversubscribe\n' "$(command -v true)" >lib/petsc/conf/petscvariables &&
      printf 'prefix=%s\nName: PETSc\nDescription: -\nVersion: 3.%s.0\n' "$PWD" "$1" >petsc.pc
  )
}
built=petsc-$(sed -n 's/^petsc_version=\(\S*\) mpich_version=\(\S*\)/\1-mpich-\2/p' conf/bootstrap)
bootstrap() { # FOLDER WORDS...: an environment, for a cache that has this build
  mkdir -p "$root/built/$1/venv" && touch "$root/built/$1/.complete" "$root/built/$1/venv/.complete" || return 1
  env -u PETSC_DIR -u PETSC_ARCH -u SYNCFREE_PKG_CONFIG PIP_INDEX_URL=http://127.0.0.1:9 SYNCFREE_CACHE="$root/built" \
    SYNCFREE_PYTHON=/usr/bin/false PKG_CONFIG_PATH="$root/other" "${@:2}" conf/bootstrap "$root/other.mk" 2>"$root/err"
}
passes_over() { # WHY MINOR LINES...
  other_petsc "${@:2}" && bootstrap "$built-nocuda-O3" SYNCFREE_CUDA=0 SYNCFREE_PKG_CONFIG=1 &&
    grep "passing over .*$1.*PETSC_DIR and PETSC_ARCH name another" "$root/err" && grep "PETSC_DIR *:= $root/built" "$root/other.mk"
}
refuses_to_take() {
  other_petsc 17 PETSC_USE_REAL_DOUBLE && ! bootstrap none PETSC_DIR="$root/other" &&
    grep 'cannot be used: 3.17.0 is too old' "$root/err"
}
takes() { # MINOR
  other_petsc "$1" PETSC_USE_REAL_DOUBLE && bootstrap none SYNCFREE_CACHE="$root/empty" &&
    grep "taking .* SYNCFREE_PKG_CONFIG=0" "$root/err" && grep "PETSC_DIR *:= $root/other" "$root/other.mk"
}
own_first() { # also where pkg-config has one that fits
  other_petsc 26 PETSC_USE_REAL_DOUBLE && bootstrap "$built-nocuda-O3" SYNCFREE_CUDA=0 && grep "PETSC_DIR *:= $root/built" "$root/other.mk"
}
if command -v pkg-config >/dev/null; then
  try 'a PETSc that is too old is passed over' passes_over '3.17.0 is too old, SyncFree needs 3' 17 PETSC_USE_REAL_DOUBLE
  try 'one that is too new' passes_over '3.99.0 is newer than the last' 99 PETSC_USE_REAL_DOUBLE
  try 'one with another precision' passes_over 'precision' 26 PETSC_USE_REAL___FLOAT128
  for minor in 18 26; do try "3.$minor is taken, and told" takes $minor; done
  try 'but a build of our own comes first' own_first
  try 'or not, as the user likes' bootstrap "$built-nocuda-O3" SYNCFREE_CUDA=0 SYNCFREE_PKG_CONFIG=0
else
  skip "pkg-config's PETSc: there is no pkg-config"
fi
without_pkg_config() { # as on a Debian with petsc-dev and no more
  mkdir -p "$root/few" && ln -s /usr/bin/* "$root/few" && rm -f "$root/few/pkg-config" &&
    bootstrap none PATH="$root/few" SYNCFREE_CACHE="$root/empty" && grep "PETSC_DIR *:= $(realpath /usr/lib/petsc)" "$root/other.mk"
}
if [ -d /usr/lib/petsc ]; then try "Debian's, without pkg-config" without_pkg_config; fi
try 'a given one that is too old is an error' refuses_to_take
petsc_once() { # the plugin's architectures are no reason for a PETSc of their own
  mkdir -p "$root/bin" && printf '#!/bin/sh\necho release 13.0\n' >"$root/bin/nvcc" && chmod +x "$root/bin/nvcc" &&
    bootstrap "$built-cuda13.0-sm50-O3" PATH="$root/bin:$PATH" SYNCFREE_PKG_CONFIG=0 SYNCFREE_CUDA_ARCH=90 &&
    grep "PETSC_DIR *:= $root/built/.*-sm50-O3/" "$root/other.mk"
}
try 'PETSc is built once for all architectures of the plugin' petsc_once
architectures() { # WHAT_NVIDIA_SMI_PRINTS ARCHITECTURES
  printf '#!/bin/sh\nprintf "%s"\n' "$1" >"$root/bin/nvidia-smi" && chmod +x "$root/bin/nvidia-smi" &&
    bootstrap "$built-cuda13.0-sm50-O3" PATH="$root/bin:$PATH" SYNCFREE_PKG_CONFIG=0 && grep -x "CUDA_ARCH *:= $2" "$root/other.mk"
}
try 'code for the GPUs of the machine' architectures '9.0\n8.6\n9.0\n' 86,90
try 'without one, for those that most have' architectures '' 80,90
rm -f "$root/bin/nvidia-smi"
without_cuda() { # beside an nvcc
  takes 26 && bootstrap none SYNCFREE_CACHE="$root/empty" PATH="$root/bin:$PATH" &&
    grep 'which has no CUDA, so all runs on the host' "$root/err"
}
if command -v pkg-config >/dev/null; then try 'a PETSc without CUDA is told' without_cuda; fi

# the archive of the sources
tree=$root/syncfree-$(cat VERSION)
same_as_commit() { diff <(git ls-tree -r --name-only HEAD | sort) <(find "$tree" -type f -printf '%P\n' | sort); }
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  try 'make dist' env -u PETSC_DIR -u PETSC_ARCH make dist &&
    try 'its archive' tar xf "build/syncfree-$(cat VERSION).tar.gz" -C "$root" &&
    try 'has every file of the last commit, and no other' same_as_commit &&
    try 'and compiles' env -u PETSC_DIR -u PETSC_ARCH make -C "$tree" sptrsv SYNCFREE_CUDA=0
else
  skip 'make dist: this is not a checkout'
fi

# the kernel library alone: neither PETSc nor MPI, from the compiler to the program
kernel_library() {
  env -u PETSC_DIR -u PETSC_ARCH make install-sptrsv SYNCFREE_CUDA=0 PREFIX="$root/sptrsv" &&
    cc -o "$root/sptrsv/example" examples/sptrsv.c $(PKG_CONFIG_PATH=$root/sptrsv/lib/pkgconfig pkg-config --cflags --libs sptrsv) -lm &&
    ! ldd "$root/sptrsv/example" | grep -E 'petsc|mpi' && "$root/sptrsv/example" && test -s "$root/sptrsv/share/man/man3/sptrsvSolve.3"
}
if command -v pkg-config >/dev/null; then try 'libsptrsv by pkg-config' kernel_library; else skip 'libsptrsv: there is no pkg-config'; fi

# no linking at all
program=$root/unlinked
by_environment() { PETSC_OPTIONS="-dll_append $prefix/lib/libpetscsyncfree.so" solves "$program"; }
try 'compiling without the library' $PCC $PCC_FLAGS -DUNLINKED -I"$prefix/include" $CCPPFLAGS -o "$program" "$source" $PETSC_LIBS -lm &&
  try '-dll_append' solves "$program" -dll_append "$prefix/lib/libpetscsyncfree.so" &&
  try '-dll_append, given by PETSC_OPTIONS' by_environment

# linked with the archive
program=$root/static
try 'linking the archive' $PCC $PCC_FLAGS -I"$prefix/include" $CCPPFLAGS -o "$program" "$source" \
    "$prefix/lib/libpetscsyncfree.a" $PETSC_LIBS $CUDA_LIBS -lpthread -lm &&
  try 'PCRegister_SyncFree() of the archive' solves "$program"

# Fortran
fortran=$root/fortran
mkdir "$fortran"
sed -n '/^```fortran$/,/^```$/{//!p}' doc/using/programs.md >"$fortran/page.inc"
cp tests/downstream.F90 "$fortran/linked.F90"
cp tests/downstream.F90 "$fortran/unlinked.F90"
printf 'unlinked: FPPFLAGS = -DUNLINKED\ninclude %s/lib/syncfree/conf/syncfree_rules\n' "$prefix" >"$fortran/makefile"
if grep -q PETSC_USE_FORTRAN_BINDINGS "$PETSC_DIR/$PETSC_ARCH/include/petscconf.h"; then
  try "the page's lines in Fortran" make -C "$fortran" unlinked &&
    try '-dll_append, in Fortran' solves "$fortran/unlinked" -dll_append "$prefix/lib/libpetscsyncfree.so"
  try 'Fortran, linked' make -C "$fortran" linked && try 'PCRegister_SyncFree() in Fortran' solves "$fortran/linked"
else
  skip 'Fortran: this PETSc was configured without it'
fi

# cmake_app NAME TARGET LINES: a project that finds the library by these lines, and its program
cmake_app() {
  mkdir "$root/$1"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.16)' 'project(app C)' "$3" "add_executable(app $source)" \
    "target_link_libraries(app $2 m)" >"$root/$1/CMakeLists.txt"
  CC=$PCC CMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH:-$root/moved} cmake -S "$root/$1" -B "$root/$1" && make -C "$root/$1"
}

# pkg-config
if command -v pkg-config >/dev/null && PKG_CONFIG_PATH=$petsc_pc pkg-config --exists PETSc; then
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig:$petsc_pc
  try 'pkg-config knows syncfree' pkg-config --exists --print-errors syncfree
  try 'its version' test "$(pkg-config --modversion syncfree)" = "$(cat VERSION)"
  try 'its variable plugin' test -s "$(pkg-config --variable=plugin syncfree)"
  program=$root/pkgconfig
  rpath=$(pkg-config --variable=ldflag_rpath PETSc)$(pkg-config --variable=libdir PETSc) # as share/petsc/Makefile.user does
  try 'linking as pkg-config says' $PCC -o "$program" "$source" $(pkg-config --cflags --libs syncfree) "$rpath" -lm &&
    try 'PCRegister_SyncFree() of the shared library' solves "$program"
  if command -v cmake >/dev/null; then
    try 'CMake, by pkg-config' cmake_app pkg-config PkgConfig::SYNCFREE 'find_package(PkgConfig REQUIRED)
      pkg_check_modules(SYNCFREE REQUIRED IMPORTED_TARGET syncfree)' && try 'what it made' solves "$root/pkg-config/app"
    unset PKG_CONFIG_PATH # find_package() knows the PETSc, and may find the installation in another place
    cp -r "$prefix" "$root/moved"
    try 'CMake, by find_package()' cmake_app shared SyncFree::SyncFree 'find_package(SyncFree 0.1 REQUIRED)' &&
      try 'what it made' solves "$root/shared/app" &&
      try 'has the library of that place' bash -c "ldd '$root/shared/app' | grep -F '$root/moved/lib/libpetscsyncfree.so'"
    try 'SyncFree::static' cmake_app archive SyncFree::static 'find_package(SyncFree REQUIRED)' &&
      try 'what it made' solves "$root/archive/app" && try 'has no shared one' bash -c "! ldd '$root/archive/app' | grep libpetscsyncfree"
    other_version() {
      ! cmake_app later SyncFree::SyncFree 'find_package(SyncFree 0.2 REQUIRED)' 2>"$root/err" && grep "version: $(cat VERSION)" "$root/err"
    }
    try 'find_package() refuses a later version' other_version
    mkdir "$root/petsc"
    printf 'Name: PETSc\nDescription: an older one\nVersion: 3.17.1\n' >"$root/petsc/PETSc.pc"
    unfit_petsc() {
      ! PKG_CONFIG_PATH=$root/petsc cmake_app older SyncFree::SyncFree 'find_package(SyncFree REQUIRED)' 2>"$root/err" &&
        grep 'SyncFree was compiled for PETSc 3\.[0-9]*, pkg-config found "3.17.1"' "$root/err"
    }
    try 'and another PETSc' unfit_petsc
    without_petsc() {
      source=$PWD/examples/sptrsv.c CMAKE_PREFIX_PATH=$root/sptrsv cmake_app kernels sptrsv::sptrsv 'find_package(sptrsv 0.1 REQUIRED)' &&
        "$root/kernels/app"
    }
    try 'find_package(sptrsv)' without_petsc
  else
    skip 'CMake: it is not installed'
  fi
else
  skip 'pkg-config: it is not installed'
fi

# makefiles
mkdir "$root/user"
cp "$source" "$root/user/downstream.c"
printf 'include %s/lib/syncfree/conf/syncfree_rules\n' "$prefix" >"$root/user/makefile"
try 'make with syncfree_rules' make -C "$root/user" downstream &&
  try 'what it made' solves "$root/user/downstream"

finish install
