# shellcheck shell=bash
# Sourced by the scripts of the papers, which say what they run.  From the environment:
#   BIN       folder of bench_sptrsv, bench_setup and bench_ksp (build/bench)
#   OUT       folder for the CSV files, which are appended to (BIN/papers)
#   LABEL     name of the machine (unnamed)
#   LOCATION  device or host (device, if there is a GPU)
#   PLUGIN    the plugin's library, for bench_ksp (BIN/../lib/libpetscsyncfree.so)
#   QUICK     1: small grids, to see that everything works
set -u
BIN=${BIN:-build/bench}
OUT=${OUT:-$BIN/papers}
LABEL=${LABEL:-unnamed}
PLUGIN=${PLUGIN:-$BIN/../lib/libpetscsyncfree.so}
QUICK=${QUICK:-0}
if [ -z "${LOCATION:-}" ]; then
  LOCATION=host
  if nvidia-smi -L 2>/dev/null | grep -q GPU; then LOCATION=device; fi
fi
status=0
mkdir -p "$OUT"

# bench PROGRAM FILE ARGUMENTS...: bench_sptrsv or bench_setup, into a CSV file of OUT.  What went wrong is remembered, the rest goes on.
bench() {
  local program=$1 file=$OUT/$2
  shift 2
  printf '== %s %s\n' "$program" "$*"
  "$BIN/$program" --csv "$file" --label "$LABEL" "$@" || status=1
}

# ksp FILE MATRIX... OPTIONS...: bench_ksp in the same way
ksp() {
  local file=$OUT/$1 mat=()
  shift
  [ "$LOCATION" = host ] || mat=(-mat_type aijcusparse)
  printf '== bench_ksp %s\n' "$*"
  "$BIN/bench_ksp" "$@" "${mat[@]}" -dll_append "$PLUGIN" -csv "$file" -label "$LABEL" || status=1
}

finish() {
  printf '%s: %s, in %d s\n' "${0##*/}" "$([ $status = 0 ] && echo 'all right' || echo 'something failed, see above')" "$SECONDS"
  exit $status
}
