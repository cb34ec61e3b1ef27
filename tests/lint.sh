#!/usr/bin/env bash
# Warnings as errors of gcc and nvcc, the form by clang-format, static analysis by clang-tidy, shellcheck and pyflakes, as far as they are
# installed.
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

sources=(src/kernels/*.c src/kernels/*/*.c src/kernels/*/*/*.c src/pc/*.c bench/*.c bench/matrices/*.c bench/papers/*/*.c
         tests/kernels/*.c tests/fuzz/*.c)
[ -n "$SYNCFREE_CUDA_BUILD" ] || mapfile -t sources < <(printf '%s\n' "${sources[@]}" | grep -v _cuda)

each gcc 'gcc -c -o /dev/null -std=gnu11 -O2 -DSPTRSV_ROLLED -Werror $warnings $headers $system "$1"' \
  "${sources[@]}" examples/*.c tests/*.c tests/petsc/*.c tests/suite/*.c conf/packaging/wheel/pick.c
if [ -n "$SYNCFREE_CUDA_BUILD" ]; then
  # kernels without optimization, and no further than PTX, since the warnings that count are the front end's
  each nvcc "$CUDAC"' -c -o /dev/null -arch=compute_90 -Xcicc -O0 -std=c++17 --extended-lambda -Werror all-warnings \
    -Xcompiler -Wall,-Wextra,-Werror $headers "$1"' src/kernels/*/*.cu src/kernels/*/*/*.cu
else
  skip 'nvcc: the library was built without CUDA'
fi
# the differences between compilers and GPUs are in device.cuh (doc/amd.md)
names_of_cuda() {
  ! grep -onE '\b(asm|__\w+)\b' $(find src/kernels -name '*.cu*' ! -path '*/device/device.cuh' ! -path '*/device/hip/*') |
    grep -vE ':__(global|device|host|forceinline|noinline|shared|restrict|launch_bounds)__$' |
    grep -vE ':__(sync(threads|warp)|(ballot|any|shfl|shfl_xor)_sync|clzll|ffs)$'
}
try 'kernels use only names of CUDA C++ that hipcc and the emulator have' names_of_cuda

try 'includes of the kernels go down, and in no circle' "$PYTHON" tests/includes.py

# Debian's are "mpiexec --oversubscribe" and libpetsc_real.so
petsc_as_it_is() {
  ! grep -nE '"[$]MPIEXEC"|[[]MPIEXEC|-l[p]etsc( |$)' makefile conf/*.mk conf/*.in bench/*.sh bench/*.mk tests/*.sh tests/*.py tests/*/*.py
}
try "PETSc's mpiexec may have options, and its library another name" petsc_as_it_is

# manual pages: of every name that stands in a public header, and none is forgotten silently
pages=$(mktemp -d)
try 'manual pages are made of the comments' "$PYTHON" doc/man.py "$pages"
if command -v groff >/dev/null; then
  troff_understands() { ! groff -man -ww -z -Kutf8 -Tutf8 "$pages"/*.3 2>&1 | grep .; }
  try 'and are right for troff' troff_understands
else
  skip 'manual pages, as troff sees them: there is no groff'
fi
a_page_for_each() {
  local name missing=0
  for name in $(grep -ohE '\b[sS]ptrsv[A-Z]\w*|\b\w+(SyncFree|SYNCFREE|_petscsyncfree)\b|\bSYNCFREE_\w+|\b(PC|Mat)SyncFree\w+' \
                include/*.h | grep -v '_s$' | sort -u); do
    [ -s "$pages/$name.3" ] || { echo "$name has no manual page"; missing=1; }
  done
  for name in $(grep -ohE '\bSPTRSV_\w+' include/*.h | grep -vE '_(API|H)$' | sort -u); do
    grep -qrw "$name" "$pages" || { echo "$name is on no manual page"; missing=1; }
  done
  return $missing
}
try 'each public name has a manual page' a_page_for_each
bare_name() {
  mkdir "$pages/src" && cp -r VERSION include "$pages" && cp -r src/pc "$pages/src" &&
    echo 'SPTRSV_API void sptrsvBare(void);' >>"$pages/include/sptrsv.h" &&
    ! (cd "$pages" && "$PYTHON" "$OLDPWD/doc/man.py" .) 2>"$pages/err" && grep -q 'sptrsvBare is public and has no manual page' "$pages/err"
}
try 'a public name without a comment is an error' bare_name
rm -rf "$pages"
try 'tables of pages are those of their files: doc/tables.py' "$PYTHON" doc/tables.py --check
tests_of_table() { # each row of doc/compared.md that says what SyncFree has names tests, and they are there
  local name missing=0
  for name in $(grep -oE '`(petsc|kernels)/\w+|`\w+\.(sh|py)' doc/compared.md | tr -d '`' | sort -u); do
    compgen -G "tests/$name" >/dev/null || compgen -G "tests/$name.c" >/dev/null || { echo "there is no tests/$name"; missing=1; }
  done
  grep '^| ' doc/compared.md | grep -vE '`(petsc|kernels)/|\.(sh|py)`|\| none: |\| test \|$|own kernels' && missing=1
  return $missing
}
try 'tests that doc/compared.md names' tests_of_table
names_of_picture() { # each function in doc/README.md's picture is in the file beside it
  local name file missing=0 count=0
  while read -r name file; do
    count=$((count + 1))
    grep -qsE "\b$name\(.*[^;]$" "$file" || { echo "$file has no $name()"; missing=1; }
  done < <(sed -n 's/.* \([A-Za-z_]*\)() *\(src[^ ]*\)$/\1 \2/p' doc/README.md)
  [ $missing = 0 ] && [ $count -ge 10 ]
}
try 'functions and files that doc/README.md names' names_of_picture

pages_of_sources() { # pages that comments name are there
  local page missing=0
  for page in $(grep -rhoE '\bdoc/[a-z/-]+\.md' src include bench examples tests/kernels tests/petsc tests/simt | sort -u); do
    [ -e "$page" ] || { echo "there is no $page"; missing=1; }
  done
  return $missing
}
try 'pages that comments in the sources name' pages_of_sources

# how large the project is, and tables of pages that come from doc/records
if "$PYTHON" tests/size.py; then ok; else bad 'make size: a figure above its limit'; fi
try 'tables of doc/records' "$PYTHON" tests/records.py --check
read_kernels() {
  (cd src/kernels && find . -name '*.[ch]*' ! -path './device/hip/*') |
    PYTHONPATH=tests/simt "$PYTHON" -c 'import sys; from mutation_source import Source; [Source(line.strip()) for line in sys.stdin]'
}
try 'the operators of mutants can read the kernels' read_kernels

if command -v clang-tidy >/dev/null; then
  mapfile -t product < <(printf '%s\n' "${sources[@]}" | grep ^src/)
  mapfile -t programs < <(printf '%s\n' "${sources[@]}" | grep -v ^src/)
  each clang-tidy 'clang-tidy --quiet "$1" -- -std=gnu11 $headers $system' "${product[@]}"
  # without the analyzer, which takes nearly all of the time
  each clang-tidy 'clang-tidy --checks="-clang-analyzer-*" --quiet "$1" -- -std=gnu11 $headers $system' "${programs[@]}"
else
  skip 'clang-tidy: it is not installed'
fi
if clang-format --version 2>/dev/null | grep -q 'version 14'; then # others have a taste of their own
  try 'src/kernels has the form of .clang-format' clang-format --dry-run -Werror $(find src/kernels -name '*.[ch]' -o -name '*.cu*')
else
  skip 'clang-format: version 14 is not installed'
fi
if command -v shellcheck >/dev/null; then
  each shellcheck 'shellcheck -x -S warning "$1"' conf/bootstrap .ci/run tests/*.sh bench/*.sh bench/papers/*.sh
else
  skip 'shellcheck: it is not installed'
fi
if /usr/bin/python3 -c 'import pyflakes' 2>/dev/null; then # the distribution's
  each pyflakes '/usr/bin/python3 -m pyflakes "$1"' \
    tests/*.py tests/clients/*.py tests/suite/*.py bench/*.py bench/*/*.py examples/*.py doc/*.py conf/packaging/{,wheel/}*.py
else
  skip 'pyflakes: it is not installed'
fi
finish lint
