#!/usr/bin/env bash
# Li, On Parallel Solution of Sparse Triangular Linear Systems in CUDA: the grids of Table 2, and the files given, with the triangles of
# the matrix itself (Equations 2 and 3).
#
#   li.sh [MATRIX.mtx ...]          environment: common.sh
#
# Writes li.csv (solves) and li-setup.csv (steps of the set-up).  Shapes of all stencils come in turn, so that what is there
# after a timeout can be used.
. "${BASH_SOURCE[0]%/*}/common.sh"

if [ "$QUICK" = 1 ]; then
  shapes2=(64x64 16x256) shapes3=(16x16x16 4x8x128)
else
  shapes2=(1024x1024 64x16384 256x4096 512x2048 128x8192)
  shapes3=(128x128x128 32x32x2048 64x64x512 64x128x256 32x64x1024)
fi
doubles=cusparse,levr,levc,slfr,slfc,syncfree-csc,levelorder
singles=cusparse,slfr,slfc,levelorder
if [ "$LOCATION" = host ]; then doubles=host,auto singles=host,auto; fi

grids() { # the first N shapes of all stencils
  local k
  for ((k = 0; k < $1 && k < ${#shapes2[@]}; k++)); do
    printf '%s\n' "2d5:${shapes2[k]}" "2d9:${shapes2[k]}" "3d7:${shapes3[k]}" "3d27:${shapes3[k]}"
  done
}

mapfile -t all < <(grids 5)
mapfile -t some < <(grids 3)
common=(--location "$LOCATION" --kind none --budget 0.1)
bench bench_sptrsv li.csv "${common[@]}" --algorithms $doubles "${all[@]}" "$@"
bench bench_setup li-setup.csv --location "$LOCATION" --repeat 3 "${all[@]}" "$@"
bench bench_sptrsv li.csv "${common[@]}" --algorithms $singles --type float "${some[@]}"
finish
