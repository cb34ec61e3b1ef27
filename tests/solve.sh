#!/usr/bin/env bash
# examples/solve, on files made here: what the second solver inherits, and what is said when the preconditioner fails.
. "$(dirname "$0")/report.sh"
cd "$(dirname "$0")/.." || exit

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
solve() { timeout 60 "$BUILD/examples/solve" -dll_append "$SYNCFREE_LIB" -pc_type syncfree -f "$@" 2>&1; }
# says WHAT TEXT FILE ARGUMENT...: the program says so, on one line
says() {
  local what=$1 text=$2 output
  shift 2
  output=$(solve "$@")
  if grep -q -- "$text" <<<"$output"; then ok; else bad "$what: no \"$text\" in"$'\n'"$output"; fi
}

try 'examples/solve compiles' make -s "$BUILD/examples/solve" || finish solve
{
  echo '%%MatrixMarket matrix coordinate real symmetric'
  echo '40 40 79'
  for i in $(seq 40); do echo "$i $i 2.1"; done
  for i in $(seq 39); do echo "$((i + 1)) $i -1"; done
} >"$folder/chain.mtx"
{ echo '%%MatrixMarket matrix coordinate real general'; printf '%s\n' '3 3 4' '1 1 1' '2 1 1' '2 3 1' '3 2 1'; } >"$folder/hole.mtx"
{ echo '%%MatrixMarket matrix coordinate real general'; printf '%s\n' '2 2 4' '1 1 1' '1 2 1' '2 1 1' '2 2 1'; } >"$folder/singular.mtx"

says 'a solve' '^syncfree *gmres, rtol 1e-05: *[0-9]* iterations, CONVERGED_RTOL, true residual' "$folder/chain.mtx"
says 'the second solver inherits' '^jacobi *cg, rtol 1e-09: ' "$folder/chain.mtx" -ksp_type cg -ksp_rtol 1e-9 -compare_pc_type jacobi
says 'its own options come first' '^jacobi *cg, rtol 0.001: ' "$folder/chain.mtx" -ksp_type cg -compare_ksp_rtol 1e-3 \
  -compare_pc_type jacobi
says 'a diagonal entry is missing' 'STRUCT_ZEROPIVOT in row 1: a diagonal entry is not stored; store a zero there' "$folder/hole.mtx"
says 'a pivot is zero' 'NUMERIC_ZEROPIVOT in row 1: try -pc_factor_shift_type nonzero' "$folder/singular.mtx"
if solve "$folder/hole.mtx" | grep -q ' -\?nan'; then bad 'a failed solve prints nan'; else ok; fi
finish solve
