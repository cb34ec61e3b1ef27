#!/usr/bin/env bash
# examples/solve, on files made here: vectors, the table, the record, and what is said when the preconditioner fails.
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

{ echo '%%MatrixMarket matrix array real general'; echo '40 1'; seq 40; } >"$folder/ramp.mtx"
gzip -c "$folder/ramp.mtx" >"$folder/ramp.mtx.gz"
{ echo '%%MatrixMarket matrix array real general'; echo '39 1'; seq 39; } >"$folder/short.mtx"
{ echo '%%MatrixMarket matrix array real general'; echo '40 1'; seq 39; } >"$folder/cut.mtx"

says 'a solve' '^syncfree *gmres *1e-05 *[0-9]* .* CONVERGED_RTOL$' "$folder/chain.mtx"
says 'the second solver inherits' '^jacobi *cg *1e-09 ' "$folder/chain.mtx" -ksp_type cg -ksp_rtol 1e-9 -compare_pc_type jacobi
says 'its own options come first' '^jacobi *cg *0.001 ' "$folder/chain.mtx" -ksp_type cg -compare_ksp_rtol 1e-3 -compare_pc_type jacobi
says 'a dominant diagonal is told' '^DIAGONAL MADE DOMINANT' "$folder/chain.mtx" -dominant
says 'scaling is told' '^SCALED by the diagonal' "$folder/chain.mtx" -scale
for exact in ones random ramp.mtx ramp.mtx.gz; do
  case $exact in ramp*) exact=$folder/$exact ;; esac
  says "the error to -exact $exact" '  [0-9].[0-9]*e-1[0-9]  CONVERGED' "$folder/chain.mtx" -exact "$exact" -scale -ksp_rtol 1e-14
done
says 'a vector of another length' 'line 2: expected 40 rows and 1 column' "$folder/chain.mtx" -rhs "$folder/short.mtx"
says 'a vector that ends early' 'line 42: the file ends after 39 of 40 values' "$folder/chain.mtx" -rhs "$folder/cut.mtx"
says 'a matrix is no vector' 'line 1: expected array, not coordinate' "$folder/chain.mtx" -rhs "$folder/chain.mtx"
says '-rhs and -exact' 'Give -rhs or -exact, not both' "$folder/chain.mtx" -rhs ones -exact ones

recorded() { # the recorded solution is the exact one of the system as the file has it
  solve "$folder/chain.mtx" -exact "$folder/ramp.mtx" -scale -ksp_rtol 1e-14 -compare_pc_type jacobi -record "$folder/record" &&
    "$PYTHON" - "$folder/record/solution.bin" <<'END'
import struct, sys
data = open(sys.argv[1], "rb").read()
header, values = data[:-320], data[-320:]  # integers of PETSc's width
assert struct.unpack(">ii" if len(header) == 8 else ">qq", header) == (1211214, 40)
for i, x in enumerate(struct.unpack(">40d", values)):
    assert abs(x - (i + 1)) < 1e-9, (i, x)
END
}
try 'the solution is recorded' recorded
says 'a binary vector' ' CONVERGED_RTOL$' "$folder/chain.mtx" -rhs "$folder/record/solution.bin"
try 'two processes' mpiexec -n 2 "$BUILD/examples/solve" -f "$folder/chain.mtx" -exact "$folder/ramp.mtx" -scale -record "$folder/record2"
try 'record the same pattern' cmp "$folder/record/pattern.csv" "$folder/record2/pattern.csv"
try 'pictures of the record' "$PYTHON" examples/solve_plot.py "$folder/record"
for file in convergence sparsity; do try "$file.png" test -s "$folder/record/$file.png"; done
says 'a diagonal entry is missing' 'STRUCT_ZEROPIVOT in row 1: a diagonal entry is not stored; store a zero there' "$folder/hole.mtx"
says 'a pivot is zero' 'NUMERIC_ZEROPIVOT in row 1: try -pc_factor_shift_type nonzero' "$folder/singular.mtx"
if solve "$folder/hole.mtx" | grep -q ' -\?nan'; then bad 'a failed solve prints nan'; else ok; fi
finish solve
