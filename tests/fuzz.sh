#!/usr/bin/env bash
# tests/fuzz.sh runs each input in tests/fuzz/corpus through its fuzz target;  tests/fuzz.sh SECONDS then fuzzes each target for that time.
#
# With clang the targets are libFuzzer's.  Without it fuzz/main.c makes programs that only run inputs, and without sanitizers: sanitize.sh
# does so with them.  An input that breaks a target is left in the folder of the target, under the name that libFuzzer prints.  After the
# repair it belongs in tests/fuzz/corpus, under a name that says what it is.
. tests/report.sh

fuzzer=
echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null && fuzzer=1
folder=$SYNCFREE_TESTS/fuzz/${fuzzer:+clang}
[ -n "$fuzzer" ] || folder=${folder}corpus
# input that claims more megabytes must be refused before memory is allocated
export ASAN_OPTIONS=max_allocation_size_mb=256

try 'the targets compile' make -s -j "$(nproc)" FUZZER=$fuzzer "$folder/matrix_market" "$folder/csr" || finish fuzz
for target in matrix_market csr; do
  for input in tests/fuzz/corpus/$target/*; do try "$target: ${input##*/}" timeout 60 "$folder/$target" "$input"; done
done
[ $# = 0 ] && finish fuzz

for target in matrix_market csr; do
  if [ -z "$fuzzer" ]; then
    skip "fuzzing $target: clang with libFuzzer is not installed"
    continue
  fi
  mkdir -p "$folder/$target.corpus"
  options=(-max_total_time="$1" -max_len=512 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$folder/$target.")
  [ -f tests/fuzz/$target.dict ] && options+=("-dict=tests/fuzz/$target.dict")
  echo "fuzzing $target for $1 s"
  if "$folder/$target" "${options[@]}" "$folder/$target.corpus" tests/fuzz/corpus/$target; then ok; else bad "fuzzing $target"; fi
done
finish fuzz
