#!/usr/bin/env bash
# examples/solve, on files made here: vectors, the table, the second solver's options, the record, and what is said when something fails.
# shellcheck disable=SC2086 # MPIEXEC may have options
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

# in the norm of the diagonal the first row is all that counts
{ echo '%%MatrixMarket matrix coordinate real symmetric'; printf '%s\n' '3 3 4' '1 1 1e-8' '2 2 2' '3 2 3' '3 3 2'; } >"$folder/misled.mtx"

{ echo '%%MatrixMarket matrix array real general'; echo '40 1'; seq 40; } >"$folder/ramp.mtx"
gzip -c "$folder/ramp.mtx" >"$folder/ramp.mtx.gz"
{ echo '%%MatrixMarket matrix array real general'; echo '39 1'; seq 39; } >"$folder/short.mtx"
{ echo '%%MatrixMarket matrix array real general'; echo '40 1'; seq 39; } >"$folder/cut.mtx"

says 'a solve' '^syncfree *gmres *1e-05 *[0-9]* .* CONVERGED_RTOL$' "$folder/chain.mtx"
says 'the second solver inherits' '^jacobi *cg *1e-09 ' "$folder/chain.mtx" -ksp_type cg -ksp_rtol 1e-9 -compare_pc_type jacobi
says 'its own options come first' '^jacobi *cg *0.001 ' "$folder/chain.mtx" -ksp_type cg -compare_ksp_rtol 1e-3 -compare_pc_type jacobi
says 'a dominant diagonal is told' '^DIAGONAL MADE DOMINANT' "$folder/chain.mtx" -dominant
for type in baij sbaij; do
  says "blocks in $type" '^.*: 40 rows, [0-9]* entries' "$folder/chain.mtx" -mat_type $type -matload_block_size 4
  says "its solution" '  [0-9].[0-9]*e-1[0-9]  CONVERGED' "$folder/chain.mtx" -mat_type $type -matload_block_size 4 \
    -exact "$folder/ramp.mtx" -ksp_rtol 1e-14
done
says 'blocks that do not fit' '^solve: -matload_block_size 3 does not divide the 40 rows' "$folder/chain.mtx" -mat_type baij \
  -matload_block_size 3
says 'scaling is told' '^SCALED by the diagonal' "$folder/chain.mtx" -scale
# upwind differences on a grid, where levels, orderings and shifts each change the iterations
awk -v n=30 'BEGIN {
  print "%%MatrixMarket matrix coordinate real general"
  print n * n, n * n, 5 * n * n - 4 * n
  for (k = 1; k <= n * n; k++) {
    print k, k, 4
    if (k % n) { print k, k + 1, -1.9; print k + 1, k, -0.1 }
    if (k <= n * n - n) { print k, k + n, -1.9; print k + n, k, -0.1 }
  }
}' >"$folder/wind.mtx"
counts() { solve "$folder/wind.mtx" -ksp_rtol 1e-10 "$@" | awk '$2 == "gmres" { print $4 }'; }
plain=$(counts)
both_take() { # OPTION...: the second solver has the iterations of the first, and not those without the options
  local first second
  { read -r first; read -r second; } < <(counts -compare_pc_type ilu "$@")
  echo "$first and $second iterations, $plain without"
  [ "${first:-none}" = "$second" ] && [ "$first" != "$plain" ]
}
try 'both solvers take levels' both_take -pc_factor_levels 2
try 'both solvers take an ordering' both_take -pc_factor_mat_ordering_type nd
try 'both solvers take a shift' both_take -pc_factor_shift_type nonzero -pc_factor_shift_amount 0.5 -pc_factor_zeropivot 3.9
try 'both solvers take the three' both_take -pc_factor_levels 1 -pc_factor_mat_ordering_type nd -pc_factor_shift_type nonzero \
  -pc_factor_shift_amount 0.5 -pc_factor_zeropivot 3.9
in_blocks() {
  ! $MPIEXEC -n 2 "$BUILD/examples/solve" -f "$folder/wind.mtx" -compare_pc_type ilu 2>"$folder/err" &&
    grep 'a block for each: -pc_type bjacobi' "$folder/err"
}
try 'what works on several processes' in_blocks
says 'options that the second solver does not read' 'NOT READ by the second solver: -pc_factor_levels' "$folder/wind.mtx" \
  -pc_factor_levels 2 -compare_pc_type bjacobi -compare_sub_pc_type ilu
says 'and those of its own' 'NOT READ by the second solver: -compare_ksp_rtoll' "$folder/chain.mtx" -compare_pc_type jacobi \
  -compare_ksp_rtoll 1
says 'the second is timed beside the first' '^the second takes [0-9.]* times as long' "$folder/chain.mtx" -compare_pc_type jacobi
quiet_again() { [ "$(solve "$folder/chain.mtx" -ksp_converged_reason -ksp_view | grep -cE 'converged due to|^KSP Object')" = 2 ]; }
try 'what is solved again for its time prints nothing' quiet_again

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
try 'two processes' $MPIEXEC -n 2 "$BUILD/examples/solve" -f "$folder/chain.mtx" -exact "$folder/ramp.mtx" -scale -record "$folder/record2"
try 'record the same pattern' cmp "$folder/record/pattern.csv" "$folder/record2/pattern.csv"
try 'pictures of the record' "$PYTHON" examples/solve_plot.py "$folder/record"
for file in convergence sparsity; do try "$file.png" test -s "$folder/record/$file.png"; done
says 'a diagonal entry is missing' 'STRUCT_ZEROPIVOT in row 1: a diagonal entry is not stored; -pc_factor_diagonal_fill adds it, ' \
  "$folder/hole.mtx"
says 'a pivot is zero' 'NUMERIC_ZEROPIVOT in row 1: try -pc_factor_shift_type nonzero' "$folder/singular.mtx"
says 'which is the cure' ' CONVERGED_RTOL$' "$folder/hole.mtx" -pc_factor_diagonal_fill -pc_factor_shift_type nonzero
says 'blocks have no shift' 'the preconditioner failed, [A-Z_]*$' "$folder/singular.mtx" -mat_type baij -matload_block_size 2 \
  -pc_type pbjacobi
sed -E '/^[0-9]+ [0-9]+ /{s/ -1$/ +1/; s/ 2.1$/ -2.1/}' "$folder/chain.mtx" >"$folder/negative.mtx"
for how in '-pc_factor_shift_type none' '-pc_syncfree_factor ilu'; do # doc/using/openfoam.md
  says "a negative definite matrix, $how" ' [1-9] .* CONVERGED_RTOL$' "$folder/negative.mtx" -ksp_type cg -pc_syncfree_factor icc $how
done
says 'too many iterations' '^more iterations: -ksp_max_it; fewer needed: -pc_factor_levels' "$folder/wind.mtx" -ksp_max_it 2
says 'a method that sees the preconditioned residual only' '^WARNING: the true residual is ' "$folder/misled.mtx" -pc_type jacobi
misled() { ! solve "$folder/misled.mtx" -pc_type jacobi; }
try 'is not a success' misled
for default in 'auto_budget: <now 0 ' 'strips_order: <now auto '; do
  says "-help shows defaults, ${default%%:*}" "-pc_syncfree_$default" "$folder/chain.mtx" -help
done
one_message() { # TEXT FILE ARGUMENT...: the program fails with this message, and without a trace
  local text=$1 output
  shift
  output=$(solve "$@") && return 1
  echo "$output"
  grep -q -- "$text" <<<"$output" && ! grep -q 'PETSC ERROR' <<<"$output"
}
try 'no such file' one_message '^solve: Cannot open /no/file: No such file or directory$' /no/file
try 'no such type' one_message '^solve: Unable to find requested PC type none_such' "$folder/chain.mtx" -pc_type none_such
try 'a binary vector of another length' one_message '^solve: Vector in file different size (40)' "$folder/hole.mtx" \
  -rhs "$folder/record/solution.bin"
try 'a second solver that fails' one_message '^solve: Matrix is missing diagonal' "$folder/hole.mtx" -pc_type jacobi -compare_pc_type ilu
own_help() { # as `make solve` prints it
  local output
  output=$("$BUILD/examples/solve" -dll_append "$SYNCFREE_LIB" -pc_type syncfree -help intro) && echo "$output" &&
    grep -q '^  solve -f FILE' <<<"$output" && ! grep -q device_enable <<<"$output"
}
try 'its own help' own_help
pictures_anyway() {
  ! make solve SOLVE_ARGS="-f $folder/wind.mtx -ksp_max_it 2" SOLVE_RECORD="$folder/record3" && test -s "$folder/record3/convergence.png"
}
try 'make solve draws what did not converge' pictures_anyway
two_ranks() { make solve RANKS=2 SOLVE_ARGS="-f $folder/wind.mtx -ksp_view" | grep 'type: syncfree' -B1 | grep '2 MPI processes'; }
try 'make solve RANKS=2' two_ranks
if solve "$folder/hole.mtx" | grep -q ' -\?nan'; then bad 'a failed solve prints nan'; else ok; fi
finish solve
