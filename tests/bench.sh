#!/usr/bin/env bash
# The benchmark programs' command lines, and the scripts of bench/papers on small grids on the host.
. tests/report.sh

programs="$BUILD/bench/bench_sptrsv $BUILD/bench/bench_setup $BUILD/bench/bench_ksp $BUILD/bench/bench_mpi"
out=$SYNCFREE_TESTS/bench
rm -rf "$out"
mkdir -p "$out"

sptrsv() { "$BUILD/bench/bench_sptrsv" --location host "$@"; }
ksp() { "$BUILD/bench/bench_ksp" "$@" -dll_append "$SYNCFREE_LIB" -repeat 1 -solves 1; }

refuses() { # MESSAGE COMMAND...: fails, and says this
  local message=$1 output
  shift
  if output=$("$@" 2>&1); then return 1; fi
  printf '%s\n' "$output"
  grep -qF -- "$message" <<<"$output"
}

field() { # FILE COLUMN: of the last row
  "$PYTHON" -c 'import csv, sys; print(list(csv.DictReader(open(sys.argv[1])))[-1][sys.argv[2]])' "$1" "$2"
}

has() { test "$(field "$1" "$2")" = "$3" || { echo "$2 is $(field "$1" "$2"), not $3"; return 1; }; }

paper() { BIN=$BUILD/bench OUT=$out LABEL=test LOCATION=host QUICK=1 PLUGIN=$SYNCFREE_LIB "bench/papers/$1.sh" "${@:2}"; }

mpi() { # RANKS STUDY...
  RANKS=$1 BIN=$BUILD/bench OUT=$out/mpi LABEL=test LOCATION=host QUICK=1 PLUGIN=$SYNCFREE_LIB bench/mpi.sh "${@:2}"
}

same_iterations() { # NAME NAME: of bench_mpi, in each study, problem and number of processes; of blocks on one process, their number
  "$PYTHON" - "$out/mpi/mpi.csv" "$@" <<'END'
import csv, re, sys
found = [{}, {}]
for row in csv.DictReader(open(sys.argv[1])):
    for k, name in enumerate(sys.argv[2:]):
        if match := re.fullmatch(name, row["name"]):
            key = row["study"], row["kind"], row["points"], row["ksp"], match[1] if match.groups() else row["ranks"]
            found[k][key] = row["iterations"]
shared = found[0].keys() & found[1].keys()
different = [(key, found[0][key], found[1][key]) for key in shared if found[0][key] != found[1][key]]
print(len(shared), "in common", *different, sep="\n")
sys.exit(not shared or different != [])
END
}

phases_are_right() { # FILE: 400 rows, 1,920 entries and 39 levels; what each phase must read and write, and took
  "$PYTHON" - "$1" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [row["phase"] for row in rows] == ["symbolic", "levels", "lower plan", "upper plan", "factor", "numeric", "updates"]
assert {(row["kind"], row["lower"], row["upper"], row["levels_lower"], row["levels_upper"]) for row in rows} == \
       {("icc", "host-windows", "host-windows", "39", "39")}
pattern = 4 * (401 + 1920)
least = {"symbolic": 2 * pattern, "levels": pattern + 8 * 400, "factor": 0, "numeric": pattern + 16 * 1920, "updates": 0}
assert all(float(row["bytes"]) == least[row["phase"]] for row in rows if row["phase"] in least)
assert all(float(row["first_ms"]) >= 0 and float(row["again_ms"]) >= 0 for row in rows)
END
}

# shellcheck disable=SC2086
try 'the benchmark programs compile' make -s $programs || finish bench
try 'an unknown algorithm' refuses 'none: no algorithm of this place' sptrsv 2d5:4x4 --algorithms none
try "an algorithm of the other place's" refuses 'levelorder: no algorithm of this place' sptrsv 2d5:4x4 --algorithms host,levelorder
try 'an unknown option of an algorithm' refuses 'host:colour=1: unknown option "colour"' sptrsv 2d5:4x4 --algorithms host:colour=1
try 'no value' refuses 'host:levelorder_warps: expected NAME:OPTION=VALUE' sptrsv 2d5:4x4 --algorithms host:levelorder_warps
try 'a bad value' refuses 'levelorder_warps must be a whole number' sptrsv 2d5:4x4 --algorithms host:levelorder_warps=1.5
try 'an unknown kind' refuses '--kind: lu is no valid value' sptrsv 2d5:4x4 --kind lu
try 'phases of a set-up' "$BUILD/bench/bench_setup" --location host --phases host-windows --kind icc 2d5:20x20 --csv "$out/phases.csv"
try 'each with its bytes' phases_are_right "$out/phases.csv"
try 'not by an unknown algorithm' refuses 'lower plan: ' "$BUILD/bench/bench_setup" --location host --phases none 2d5:20x20
try 'a matrix with its own triangles' sptrsv 2d9:40x30 --kind none --budget 0 --algorithms host:levelorder_warps=2 --csv "$out/none.csv"
try 'is right' has "$out/none.csv" status OK
try 'its name has its options' has "$out/none.csv" algorithm host:levelorder_warps=2
try 'a budget leaves 5 repetitions' has "$out/none.csv" repetitions 5
try 'a file with other columns is left alone' refuses 'has other columns' ksp 2d5:4x4 -csv "$out/none.csv"
try 'grids of three sizes' sptrsv 2d5:8x8 2d5:12x12 2d5:16x16 --budget 0 --algorithms host,host-windows --csv "$out/sizes.csv"
try 'their plots' "$PYTHON" bench/plot.py "$out/sizes.csv" --baseline host -o "$out/sizes"
for what in speedup setup level growth; do try "of the $what" test -s "$out/sizes-$what.png"; done
try 'an option of one PC' ksp 3d7:6x6x6 -pc_list ilu,syncfree:host:yuenyeung_threshold=2 -symmetric -ksp_rtol 1e-6 -csv "$out/ksp.csv"
try 'cg' has "$out/ksp.csv" ksp cg
try 'an unknown option' refuses 'there is no option -pc_syncfree_colour' ksp 2d5:4x4 -pc_list syncfree:host:colour=1
try 'a file with a block size' ksp tests/fuzz/corpus/matrix_market/general.mtx,dof=3 -mat_type baij -csv "$out/blocks.csv"
try 'its name' has "$out/blocks.csv" matrix general,dof=3
try 'a block size that does not fit' refuses '2 does not divide its rows' sptrsv tests/fuzz/corpus/matrix_market/general.mtx,dof=2
try 'no block size' refuses 'expected a positive number at its end' sptrsv 'tests/fuzz/corpus/matrix_market/general.mtx,dof=0'
try 'only syncfree has algorithms' refuses 'ilu:host: only syncfree takes an algorithm' ksp 2d5:4x4 -pc_list ilu:host
try 'several processes' mpi '1 2' weak strong iterations
try 'processes beside blocks of one process' mpi '1 2 4' overlap
try "iterations of PETSc's own" same_iterations syncfree 'bjacobi.*'
try 'iterations of the same blocks on one process' same_iterations syncfree '([0-9]+) blocks of syncfree'
try 'their plots' "$PYTHON" bench/mpi_plot.py "$out/mpi/mpi.csv" -o "$out/mpi/mpi"
for what in weak strong iterations; do try "of $what" test -s "$out/mpi/mpi-$what.png"; done
try 'an unknown study' refuses 'wide: no study' mpi 1 wide
try 'runs that are left out are told' refuses 'not run, 0 s are over' env BUDGET=0 OUT="$out/nowhere" LOCATION=host bench/mpi.sh weak
try 'a grid without points' refuses 'three positive numbers' "$BUILD/bench/bench_mpi" -points 4,0,4
for script in bench/papers/*.sh; do
  name=$(basename "$script" .sh)
  [ "$name" != common ] || continue
  try "$name.sh" paper "$name" tests/fuzz/corpus/matrix_market/general.mtx
  try "its tables" "$PYTHON" bench/papers/tables.py "$name" "$out"
  try "its plots" "$PYTHON" bench/papers/plots.py "$name" "$out"
done
try 'a script whose programs fail' refuses 'something failed' env BIN=/nowhere OUT="$out/nowhere" LOCATION=host QUICK=1 bench/papers/li.sh
finish bench
