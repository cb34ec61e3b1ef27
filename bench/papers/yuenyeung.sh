#!/usr/bin/env bash
# Zhang et al., YuenyeungSpTRSV: one sweep with the lower triangle against its parallel granularity, on Graph500 graphs and the files given,
# the training of the threshold (section 6.2), and yuenyeung with other thresholds.
#
#   yuenyeung.sh [MATRIX.mtx ...]          environment: common.sh, and
#     TRAIN_MATRICES   graphs to train on (1000); 0: no training
#     TRAIN_SECONDS    after which the training ends with what it has (220)
#
# Writes yuenyeung.csv, yuenyeung-thresholds.csv, yuenyeung-train.csv and yuenyeung.threshold.  The training comes first, so that yuenyeung
# runs with its threshold in yuenyeung.csv.
# shellcheck source=bench/papers/common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

scales=(18 16 14) factors=(0.5 1 2 4 8 16 32 64) most=$((1 << 22)) # edges
TRAIN_MATRICES=${TRAIN_MATRICES:-1000} TRAIN_SECONDS=${TRAIN_SECONDS:-220}
if [ "$QUICK" = 1 ]; then scales=(9 7) factors=(0.5 2 8) TRAIN_MATRICES=${TRAIN_MATRICES/#1000/20}; fi
algorithms=cusparse,syncfree-csr,syncfree-csc,capellini,twophase,yuenyeung,levelorder
if [ "$LOCATION" = host ]; then algorithms=host,auto TRAIN_MATRICES=0; fi

threshold=$OUT/yuenyeung.threshold
if [ "$TRAIN_MATRICES" != 0 ]; then
  printf '== syncfree_train\n'
  "$BIN/syncfree_train" -o "$threshold" --csv "$OUT/yuenyeung-train.csv" --matrices "$TRAIN_MATRICES" --seconds "$TRAIN_SECONDS" || status=1
fi
keys=()
if [ -s "$threshold" ]; then keys=(--yuenyeung_threshold "$(sed -n 's/^threshold = //p' "$threshold")"); fi

graphs() {
  local scale factor
  for factor in "${factors[@]}"; do
    for scale in "${scales[@]}"; do
      if awk "BEGIN { exit !($factor * 2 ^ $scale <= $most) }"; then printf 'kron:%s,ef=%s\n' "$scale" "$factor"; fi
    done
  done
}

mapfile -t all < <(graphs)
bench bench_sptrsv yuenyeung.csv --location "$LOCATION" --kind none --budget 0.05 "${keys[@]}" --algorithms $algorithms "${all[@]}" "$@"
if [ "$LOCATION" = device ]; then
  bench bench_sptrsv yuenyeung-thresholds.csv --location device --kind none --budget 0.03 \
    --algorithms "$(printf 'yuenyeung:yuenyeung_threshold=%s,' 2 3 4 6 8 12 16 24 32)yuenyeung:yuenyeung_threshold=48" "${all[@]}" "$@"
fi
finish
