#!/usr/bin/env bash
# Files that are not matrices, given to examples/solve: each ends in one message with the reason and, for a text, the line.
. tests/report.sh

corpus=tests/fuzz/corpus/matrix_market

refuses() { # FILE MESSAGE OPTIONS...: exit status of an error, nothing that died by a signal, and this message alone
  local file=$1 message=$2 output status
  shift 2
  output=$(timeout 60 "$BUILD/examples/solve" -f "$file" "$@" 2>&1)
  status=$?
  printf '%s\n' "$output"
  [ $status -gt 0 ] && [ $status -lt 124 ] && ! grep -q 'PETSC ERROR' <<<"$output" && grep -qF "solve: $file$message" <<<"$output"
}

solves() { "$BUILD/examples/solve" -f "$1" -pc_type ilu | grep CONVERGED; }

try 'examples/solve compiles' make -s "$BUILD/examples/solve" || finish malformed
while read -r file message; do try "$file" refuses "$corpus/$file" "$message"; done <<'END'
empty.mtx               : empty file
binary.mtx              , line 1: a zero byte: this is not a text file
no-header.mtx           , line 1: expected %%MatrixMarket matrix coordinate
complex.mtx             , line 1: expected real, integer or pattern, not complex
hermitian.mtx           , line 1: expected general, symmetric or, with values, skew-symmetric, not hermitian
dense-array.mtx         , line 1: expected coordinate, not array
not-square.mtx          , line 2: expected a square matrix, not 3 rows and 4 columns
no-sizes.mtx            , line 3: the file ends where rows, columns and entries are expected
negative-size.mtx       , line 2: expected rows, columns and entries, none negative
beyond-64-bits.mtx      , line 2: expected rows, columns and entries, none negative and each of which fits in 32 bits
huge-size.mtx           , line 2: more than 1024 rows to each entry
huge-entries.mtx        , line 4: the file ends after 1 of 2147483647 entries
index-out-of-range.mtx  , line 4: expected a row and a column between 1 and 3
index-zero.mtx          , line 4: expected a row and a column between 1 and 3
fewer-entries.mtx       , line 6: the file ends after 3 of 4 entries
more-entries.mtx        , line 5: expected the end of the file after 2 entries
not-a-number.mtx        , line 3: expected a finite value after row and column
not-finite.mtx          , line 3: expected a finite value after row and column
value-missing.mtx       , line 3: expected a finite value after row and column
text-after-entry.mtx    , line 3: expected the end of the line after row, column and value
above-diagonal.mtx      , line 3: expected row >= column in a symmetric file
sum-overflows.mtx       : the values given for row 1, column 1 add up to inf
zero-byte.mtx           , line 4: a zero byte: this is not a text file
long-line.mtx           , line 4: longer than 1024 characters
gzipped-cut.mtx.gz      : gzip failed, the file is damaged
END
try 'row-sum-overflows.mtx' refuses $corpus/row-sum-overflows.mtx ': no finite diagonal entry dominates row 1' -dominant
for file in general.mtx gzipped.mtx.gz windows-line-ends.mtx no-last-line-end.mtx; do try "$file is solved" solves "$corpus/$file"; done
finish malformed
