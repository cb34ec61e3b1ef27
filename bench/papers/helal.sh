#!/usr/bin/env bash
# Helal, Aji, Chu, Beckmann, Feng, Adaptive Task Aggregation for High-Performance Sparse Solvers on GPUs: triangular solves (SpTS) by push
# and by pull, the factorization (SpILU0), and PCG.
#
#   helal.sh [MATRIX.mtx ...]       environment: common.sh; a file that is not symmetric has no part in PCG
#
# Writes helal.csv (SpTS, SpILU0) and helal-ksp.csv (PCG: cg and ILU(0), relative residual 1e-6, at most 2000 iterations).
. "${BASH_SOURCE[0]%/*}/common.sh"

# the patterns of ecology2 (P22) and atmosmodd (P24), but for ecology2's missing point; for PCG smaller ones, or push in row order takes
# minutes
if [ "$QUICK" = 1 ]; then
  grids=(2d5:64x64 3d7:16x16x16) spd=("${grids[@]}")
else
  grids=(2d5:1000x1000 3d7:108x108x109 3d27:64x64x64) spd=(2d5:512x512 2d9:384x384 3d7:64x64x64 3d27:40x40x40)
fi
solves=cusparse,levc,syncfree-csc,ata-push,ata-push:ata_policy=la,levr,slfr,ata,ata:ata_policy=la,ata:ata_ratio=100
pcs=ilu,syncfree:levr,syncfree:slfr,syncfree:syncfree-csc,syncfree:ata:factor_algorithm=ata,syncfree:levelorder
ilu=levelorder:factor_algorithm=ata
solves+=,levelorder,$ilu,$ilu:ata_policy=la
if [ "$LOCATION" = host ]; then solves=host pcs=ilu,syncfree:host; fi

symmetric=()
for file in "$@"; do # of which both triangles are stored, or read as if they were
  if { gzip -cdf "$file" 2>/dev/null | head -n 1; } | grep -qw symmetric; then symmetric+=("$file"); fi
done
bench bench_sptrsv helal.csv --location "$LOCATION" --kind ilu --budget 0.08 --algorithms $solves "${grids[@]}" "$@"
ksp helal-ksp.csv "${spd[@]}" "${symmetric[@]}" -kind ilu -symmetric -ksp_rtol 1e-6 -ksp_max_it 2000 -budget 0.3 -pc_list $pcs
finish
