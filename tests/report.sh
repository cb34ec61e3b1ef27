# shellcheck shell=bash
# Sourced by the test scripts: counts cases, and ends in the line that tests/all.py adds up.
if [ -z "${BUILD:-}" ] && [ "${0##*/}" != gpu.sh ]; then # which is for machines without PETSc's makefiles
  echo "$0 needs what make passes on: run it by make test GROUPS=... (tests/README.md)" >&2
  exit 2
fi
passed=0 failed=0 skipped=0

ok()   { passed=$((passed + 1)); }
bad()  { failed=$((failed + 1)); printf 'FAIL %s\n' "$*"; }
skip() { skipped=$((skipped + 1)); printf 'SKIP %s\n' "$*"; }

# try NAME COMMAND...: a case that passes if the command succeeds; its output is shown if it does not
try() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then ok; else
    bad "$name"
    printf '%s\n' "$output" | tail -n 30 | sed 's/^/     /'
    return 1
  fi
}

# make in a test: PETSC_DIR is in the environment and would be taken for the user's choice, so BUILD names the build folder
make() { env -u MAKEFLAGS -u MFLAGS "${MAKE:-make}" --no-print-directory BUILD="$BUILD" "$@"; }

# finish NAME: last line and exit status of a script
finish() {
  printf '%s: %d passed, %d failed, %d skipped\n' "$1" "$passed" "$failed" "$skipped"
  exit $((failed > 0 || passed + skipped == 0))
}
