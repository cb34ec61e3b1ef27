#!/usr/bin/env bash
# The library as a package: without CUDA, from C++, exported names, needed libraries, and one version everywhere.
# shellcheck disable=SC2086 # MPIEXEC may have options
. tests/report.sh

defined() { nm -D --defined-only "$SYNCFREE_LIB" | awk '{ print $3 }'; }

only_exports() { # everything else would clash with other plugins some day
  ! defined | grep -v -E '^(sptrsv[A-Z]|PCSyncFree|MatSyncFree|PCRegister_SyncFree$|PetscDLLibraryRegister_petscsyncfree$)'
}

exports_header() { # each function of a public header
  local name missing=0
  for name in $(grep -hE '^(SPTRSV_API|PETSC_EXTERN)' "include/$1" | grep -oE '[A-Za-z_]+\(' | tr -d '('); do
    defined | grep -qx "$name" || { echo "$name is not exported"; missing=1; }
  done
  return $missing
}

version_of_header() {
  sed -n -E 's/^#define +SYNCFREE_VERSION_(MAJOR|MINOR|SUBMINOR|PATCH) +([0-9]+).*/\2/p' include/petscsyncfree.h | paste -sd.
}

in_cxx() { # shellcheck disable=SC2086
  echo "$1" | $PCC -x c++ -fsyntax-only -Wall -Werror -Iinclude $CCPPFLAGS -
}

# a PETSc that was configured without any declares less
without_gpus() { # shellcheck disable=SC2086
  local file
  for file in src/pc/*.c; do
    printf '#include <petscconf.h>\n#undef PETSC_HAVE_CUDA\n#undef PETSC_HAVE_DEVICE\n#include "%s"\n' "$PWD/$file" |
      $PCC -x c -fsyntax-only -Wall -Wextra -Werror -Iinclude -Isrc/pc $CCPPFLAGS - || return 1
  done
}

# the part that is run at loading, compiled as for a PETSc that has or lacks something, in a plugin; the message says so
refused() { # MESSAGE LINE...: lines between petscconf.h and the rest
  local message=$1 output
  shift
  printf '%s\n' '#include <petscconf.h>' "$@" "#include \"$PWD/src/pc/register.c\"" >"$folder/register.c"
  # shellcheck disable=SC2086
  $PCC $PCC_FLAGS -w -Iinclude -Isrc/pc $CCPPFLAGS -shared -o "$folder/libpetscsyncfree.so" "$folder/register.c" \
    "$(dirname "$SYNCFREE_LIB")/libpetscsyncfree.a" $PETSC_LIBS $CUDA_LIBS -lpthread -lm || return 1
  output=$("$SYNCFREE_TESTS/petsc/process_life" -dll_append "$folder/libpetscsyncfree.so" -pc_type syncfree 2>&1) && return 1
  printf '%s\n' "$output" | grep -F "PETSC ERROR: libpetscsyncfree was compiled for $message"
}

example_without_petsc() { # the residual is of the size of rounding, and nothing of PETSc is linked
  make -s "$BUILD/examples/sptrsv" || return 1
  "$BUILD/examples/sptrsv" | grep -E '^ILU\(0\) of 4096 rows, largest entry of b - A x: [0-9.]+e-1[0-9]$' &&
    ! ldd "$BUILD/examples/sptrsv" | grep -i petsc
}

options_page() {
  make -s "$BUILD/options" && "$BUILD/options" | diff - doc/options.md
}

only_small_files() { # a large one was fetched or built
  local large
  large=$(git ls-files -z | xargs -0 -I{} find {} -size +1M) && [ -z "$large" ] || ! echo "$large"
}

info_works() {
  eval "$(make -s info)"
  test -s "$SYNCFREE_LIB" && test -d "$PETSC_DIR" && test "$SYNCFREE_VERSION" = "$(cat VERSION)"
}

# conf/packaging
folder=$(mktemp -d)
known_to_petsc() { # PETSc's configure, in a tree of links, with syncfree.py in its place
  cp -rs "$PETSC_DIR/config" "$PETSC_DIR/configure" "$PETSC_DIR/include" "$folder" && mkdir -p "$folder/lib/petsc" &&
    cp -rs "$PETSC_DIR/lib/petsc/conf" "$PETSC_DIR/lib/petsc/bin" "$folder/lib/petsc" &&
    cp conf/packaging/syncfree.py "$folder/config/BuildSystem/config/packages" &&
    (cd "$folder" && env -u PETSC_DIR -u PETSC_ARCH "$PYTHON" ./configure --help) | grep -e '--download-syncfree=<'
}
patched() { # for the release that conf/bootstrap builds
  patch --dry-run -p1 -d "$PETSC_DIR" <conf/packaging/petsc.patch
}
wheel_picks() { # the plugin of this PETSc, which is linked with nothing of it; another release is told
  local packages=$folder/wheel/packages program="$SYNCFREE_TESTS/petsc/process_life" plugin
  make -s "$program" && mkdir -p "$folder/wheel" &&
    "$PYTHON" conf/packaging/wheel/build.py "$folder/wheel" "$PETSC_DIR:$PETSC_ARCH" &&
    "$PYTHON" -m pip install -q --no-index --target "$packages" "$folder"/wheel/*.whl &&
    plugin=$(ls "$packages"/syncfree/petsc*.so) && ! readelf -d "$plugin" | grep -E 'NEEDED.*(petsc|mpi)' || return 1
  # shellcheck disable=SC2046
  "$program" $(cd "$packages" && "$PYTHON" -m syncfree) -pc_type syncfree || return 1
  mv "$plugin" "$packages/syncfree/petsc3.0-int32-mpich.so"
  # shellcheck disable=SC2046
  ! "$program" $(cd "$packages" && "$PYTHON" -m syncfree) -pc_type syncfree >"$folder/picked" 2>&1 &&
    grep 'SyncFree: this package has no plugin for this PETSc' "$folder/picked"
}
is_python() { "$PYTHON" -c 'import sys; compile(open(sys.argv[1]).read(), sys.argv[1], "exec")' "$1"; }
image_steps() { # the commands of the Dockerfile: both of README's, and a shell's syntax
  sed -e ':a' -e '/\\$/N; s/\\\n//; ta' conf/packaging/Dockerfile | sed -n 's/^RUN //p' >"$folder/steps" &&
    grep -qx 'make run' "$folder/steps" && grep -qx 'make test' "$folder/steps" && sh -n "$folder/steps"
}
if [ -x "$PETSC_DIR/configure" ]; then
  try "PETSc's configure takes --download-syncfree" known_to_petsc
  try "PETSc takes the patch by which it loads SyncFree" patched
else
  skip "PETSc's configure takes --download-syncfree: this PETSc is installed without its sources"
fi
try 'the recipe for Spack is Python' is_python conf/packaging/spack/package.py
try 'steps of the Dockerfile' image_steps
try 'the wheel has a plugin for this PETSc, and picks it' wheel_picks
rm -rf "$folder"

nocuda=$SYNCFREE_TESTS/nocuda
try 'the kernel library compiles without CUDA and without a warning' make -s "$nocuda/sweeps" "$nocuda/levels" &&
  try 'its sweeps' "$nocuda/sweeps" --quick &&
  try 'its levels' "$nocuda/levels" --quick

# The product's objects without those of studies
product=$SYNCFREE_TESTS/product
product_lists() { # a system is solved by auto, and tables have rows of no study
  "$product/sptrsv" && "$product/options" >"$product/options.md" && grep -q '^| `host-windows`' "$product/options.md" &&
    ! grep -E '^\| `(yuenyeung|capellini|levr|syncfree-csc|ata|split)' "$product/options.md"
}
no_symbol_of_studies() { # globals of their objects; templates of the product are weak there
  nm -g --defined-only "$BUILD"/obj/src/kernels/studies/{,*/}*.o | awk '$2 ~ /[A-UX-Z]/ { print $3 }' | sort -u >"$product/studies" &&
    grep -qx sptrsvPlanGetSplit "$product/studies" && nm "$product/libpetscsyncfree.so" | awk '{ print $NF }' | sort -u >"$product/all" &&
    grep -qx sptrsvSolve "$product/all" && ! comm -12 "$product/studies" "$product/all" | grep -vx sptrsvStudies
}
product_refuses() { # as any unknown name
  ! "$SYNCFREE_TESTS/petsc/process_life" -dll_append "$product/libpetscsyncfree.so" -pc_type syncfree -pc_syncfree_algorithm yuenyeung \
    >"$product/refused" 2>&1 && grep 'PETSC ERROR:.*yuenyeung' "$product/refused"
}
product_solves() {
  "$SYNCFREE_TESTS/petsc/process_life" -dll_append "$product/libpetscsyncfree.so" -pc_type syncfree
}
try 'the library links without studies' make -s "$product/sptrsv" "$product/options" "$SYNCFREE_TESTS/petsc/process_life" &&
  try 'solves, and lists none' product_lists &&
  try 'has no symbol of theirs' no_symbol_of_studies &&
  try 'is a plugin' product_solves &&
  try 'which refuses the name of a study' product_refuses
for language in 'c -std=c99' 'c -std=c11' 'c++ -std=c++11' 'c++ -std=c++17'; do
  # shellcheck disable=SC2086
  try "sptrsv.h and sptrsv_study.h in $language" gcc -fsyntax-only -Wall -Wextra -pedantic -Werror -x $language include/sptrsv_study.h
done
try 'the PETSc side compiles with a PETSc without GPUs' without_gpus
try 'petscsyncfree.h in C++' in_cxx '#include <petscsyncfree.h>'
try 'nothing but its own names is exported' only_exports
try 'all of sptrsv.h is exported' exports_header sptrsv.h
try 'all of sptrsv_factor.h is exported' exports_header sptrsv_factor.h
try 'all of sptrsv_study.h is exported' exports_header sptrsv_study.h
try 'all of petscsyncfree.h is exported' exports_header petscsyncfree.h
try 'it loads where there is no driver' bash -c "! readelf -d '$SYNCFREE_LIB' | grep -F 'libcuda.so'"
try 'examples/sptrsv without PETSc' example_without_petsc
if [ -n "$SYNCFREE_CUDA_BUILD" ]; then
  try 'doc/options.md is of today: make options' options_page
else
  skip 'doc/options.md is of today: without CUDA there are fewer algorithms'
fi
try 'make help' make help
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  try 'no file of the project is larger than 1 MB' only_small_files
else
  skip 'sizes of the files: this is not a checkout'
fi
wrong_folder_is_told() { # before the first step
  make -s "$BUILD/examples/cavity" && ! "$BUILD/examples/cavity" -n 8 -field /nowhere/x >"$folder/cavity" 2>&1 &&
    grep -q 'Unable to open file /nowhere/x.csv' "$folder/cavity" && ! grep -q steady "$folder/cavity"
}
field_of_processes() { # the pieces of a field add up to the whole
  local n
  for n in 1 4; do
    $MPIEXEC -n $n "$BUILD/examples/cavity" -n 8 -steps 2 -momentum_sub_pc_type lu -pressure_sub_pc_type lu -momentum_ksp_rtol 1e-12 \
      -pressure_ksp_rtol 1e-12 -field "$folder/field$n" || return 1
  done
  diff "$folder/field1.csv" "$folder/field4.csv" && PYTHONPATH=examples "$PYTHON" - "$folder" <<'END'
import sys
import numpy
from cavity_plot import read_vts
one, four = (read_vts(f"{sys.argv[1]}/field{n}.vts") for n in (1, 4))
sys.exit(not all(numpy.allclose(one[name], four[name], atol=1e-8) and numpy.ptp(one[name]) > 0 for name in ("velocity", "pressure")))
END
}
folder=$(mktemp -d)
has=$([ -n "$SYNCFREE_CUDA_BUILD" ] && echo undef || echo define)
try 'a plugin for a PETSc with or without CUDA, which this one is not, is refused' \
  refused "a PETSc with $([ $has = undef ] && echo 'no GPU' || echo CUDA) but" "#$has PETSC_HAVE_CUDA"
try 'and one for other members of every object' refused 'another configuration' '#define PETSC_HAVE_SAWS 1'
try 'and of a matrix' refused 'another configuration' "#$has PETSC_HAVE_DEVICE"
try 'cavity -field checks the folder' wrong_folder_is_told
try 'cavity -field on four processes' field_of_processes
rm -r "$folder"
try 'make info can be evaluated' info_works
version=$(cat VERSION)
try "VERSION $version is that of petscsyncfree.h" test "$(version_of_header)" = "$version"
try "and of syncfree.py" grep -q "self.version *= '$version'" conf/packaging/syncfree.py
try "and of the recipe for Spack" grep -qF "version(\"$version\")" conf/packaging/spack/package.py
try "and of Debian's package" grep -qF "petsc-syncfree ($version-" conf/packaging/debian/changelog
try "and of CITATION.cff" grep -qE "^version: *\"?${version//./\\.}\"?\$" CITATION.cff
try "and the first of CHANGELOG.md" test "$(grep -m1 -oE '[0-9]+\.[0-9]+\.[0-9]+' CHANGELOG.md)" = "$version"

finish package
