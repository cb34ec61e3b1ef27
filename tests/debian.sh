#!/usr/bin/env bash
# debian.sh SUITE NAME [PROGRAM...]: releases.sh in a root file system of another release of Debian, with that one's PETSc.  debootstrap
# makes it once, in the cache folder.
. tests/report.sh

suite=$1
root=${SYNCFREE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/syncfree}/debian-$suite
packages=(make g++ python3 pkg-config diffutils libpetsc-real-dev libpetsc-complex-dev 'libpetsc3.*-dev-examples')

# COMMAND... in it, with this folder as /srv.  The mounts end with the command, as only its processes have them.
inside() {
  # shellcheck disable=SC2016 # the inner shell's
  unshare --mount bash -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --bind . "$0/srv" && exec chroot "$0" "$@"' \
    "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}

create() {
  rm -rf --one-file-system "$root"
  mkdir -p "$root" && debootstrap --variant=minbase "$suite" "$root" &&
    inside apt-get install -qq -y --no-install-recommends "${packages[@]}" && inside apt-get clean && touch "$root/.complete"
}

mkdir -p "$SYNCFREE_TESTS/$suite"
log=$SYNCFREE_TESTS/$suite/debootstrap.log
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  skip "Debian's $suite: only root can make its file system, with debootstrap"
  finish debian
elif [ ! -f "$root/.complete" ] && ! create >"$log" 2>&1; then
  tail -n 5 "$log"
  skip "Debian's $suite: its file system could not be made"
  finish debian
fi
inside env -C /srv BUILD="$BUILD" SYNCFREE_TESTS="$SYNCFREE_TESTS/$suite" PYTHON=python3 tests/releases.sh "${@:2}"
