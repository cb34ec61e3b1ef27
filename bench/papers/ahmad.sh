#!/usr/bin/env bash
# Ahmad, Yilmaz, Unat, A Split Execution Model for SpTRSV: unified against split execution of lower triangular systems.
#
#   ahmad.sh [MATRIX.mtx ...]       environment: common.sh
#
# Writes ahmad.csv (on the GPU) and ahmad-host.csv (serial and threaded sweeps on the host, vectors in its memory).
. "${BASH_SOURCE[0]%/*}/common.sh"

if [ "$QUICK" = 1 ]; then grids=(2d5:64x64 3d7:16x16x16); else grids=(2d5:512x512 2d5:64x4096 3d7:64x64x64 3d27:48x48x48); fi
split='split'
for policy in cpu gpu cpu-gpu gpu-cpu cpu-cpu gpu-gpu; do split+=,split:split_parameters=policy=$policy; done
split+=,split:split_parameters=policy=gpu-gpu/first=slfc/second=slfc # section 5.3

common=(--kind none --budget 0.06 "${grids[@]}" "$@")
bench bench_sptrsv ahmad-host.csv --location host --repeat 51 --algorithms host,host-threads,split "${common[@]}"
if [ "$LOCATION" = device ]; then
  bench bench_sptrsv ahmad.csv --location device --algorithms cusparse,slfc,levelorder,$split "${common[@]}"
fi
finish
