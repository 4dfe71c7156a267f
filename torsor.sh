#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Everything in one script: installs what is missing, builds, and does what is asked.
#   ./torsor.sh run data/scenes/heavy_top.json   any verb of the command `torsor`
#   ./torsor.sh test                             gcc and clang, release and sanitizers, all tests
#   ./torsor.sh build                            only the command, in build/src/cli/torsor
#   ./torsor.sh abi                              the library against abi/libtorsor.abi; `abi renew` writes that
#   ./torsor.sh renew                            pages and schema from the tables of the element types, declarations for Python
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
build=${TORSOR_BUILD:-$here/build}

build_packages="gcc g++ libc6-dev libgsl-dev libsuitesparse-dev libarpack2-dev liblapack-dev
  libblas-dev libcjson-dev libxxhash-dev libexpat1-dev libnlopt-dev zlib1g-dev meson ninja-build pkg-config"
test_packages="clang libclang-rt-14-dev libcmocka-dev python3 python3-jsonschema gnuplot-nox
  netcdf-bin python3-netcdf4 python3-cffi python3-numpy python3-pytest python3-pandas python3-xarray python3-matplotlib
  patchelf"
abi_packages="abigail-tools"

# quietly COMMAND...: what it prints is shown only when it fails.
quietly() {
  log=$(mktemp)
  "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    rm -f "$log"
    exit 5
  }
  rm -f "$log"
}

installed() {
  dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# Install the Debian packages that are missing, or say which they are.
need() {
  command -v dpkg-query >/dev/null 2>&1 || return 0 # not Debian: meson names what it does not find
  missing=
  for package in "$@"; do
    installed "$package" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" = 0 ]; then
    as_root=
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root=sudo
  else
    echo "torsor.sh: please install these Debian packages first:" >&2
    echo "  apt-get install$missing" >&2
    exit 5
  fi
  echo "torsor.sh: installing$missing" >&2
  quietly $as_root apt-get update -q
  quietly $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
    --no-install-recommends $missing
}

# configure DIR [meson options]: once; meson itself configures again when its files change.
configure() {
  directory=$1
  shift
  [ -f "$directory/build.ninja" ] || quietly meson setup "$directory" "$here" "$@"
}

build_command() {
  need $build_packages
  [ -f "$build/build.ninja" ] || echo "torsor.sh: building" >&2
  configure "$build" -Dtests=disabled
  quietly ninja -C "$build"
}

# prepare NAME COMPILER [meson options]: set up a build of the tests.
prepare() {
  name=$1
  compiler=$2
  shift 2
  case $compiler in
    gcc) cxx=g++ ;;
    *) cxx=$compiler++ ;;
  esac
  CC=$compiler CXX=$cxx configure "$build-$name" -Dtests=enabled "$@"
}

# test_with NAME: build it and run its tests.
test_with() {
  echo "torsor.sh: tests with $1" >&2
  quietly ninja -C "$build-$1"
  meson test -C "$build-$1" --no-rebuild --print-errorlogs --no-suite slow >&2
}

# The public types and functions of the library: those of abi/libtorsor.abi, up to new functions?  They are read from debug
# information, which a build of the library alone has; gcc, whose dump it is.
dump_abi() { # FILE
  need $build_packages $abi_packages
  (CC=gcc CXX=g++ configure "$build-abi" -Dtests=disabled -Dreport=disabled -Doptimization=0 -Ddebug=true)
  quietly meson compile -C "$build-abi" torsor:shared_library
  (cd "$here" && abidw --suppressions abi/public.suppr --no-corpus-path --no-comp-dir-path --no-show-locs \
    --out-file "$1" "$(readlink -f "$build-abi/src/libtorsor.so")")
}
compare_abi() {
  echo "torsor.sh: the library against abi/libtorsor.abi" >&2
  dump_abi "$build-abi/libtorsor.abi"
  abidiff --no-added-syms "$here/abi/libtorsor.abi" "$build-abi/libtorsor.abi" >&2 || {
    echo "torsor.sh: the ABI has changed.  If that is meant: ./torsor.sh abi renew, and say in CHANGELOG.md what" >&2
    echo "  programs have to do; a changed struct of element.h raises TORSOR_ELEMENT_ABI, too" >&2
    exit 1
  }
}
# What threads share, under ThreadSanitizer: only the tests that have threads.
threads="threads function_threads run run_inputs callbacks relay"
test_threads() {
  echo "torsor.sh: tests of threads with gcc-threads" >&2
  targets=
  for name in $threads; do targets="$targets tests/test_$name"; done
  quietly ninja -C "$build-gcc-threads" $targets
  meson test -C "$build-gcc-threads" --no-rebuild --print-errorlogs $threads >&2
}

# Sanitized: -g1 has the lines that reports name, and compiles in three quarters of the time of -g.  What -O2 saves in the tests
# gcc spends in compiling, clang does not.
run_tests() {
  need $build_packages $test_packages
  sanitize="-Dreport=disabled -Db_sanitize=address,undefined -Ddebug=false -Dc_args=-g1 -Db_lundef=false"
  (prepare gcc gcc && prepare gcc-sanitized gcc $sanitize -Doptimization=1 &&
    prepare gcc-threads gcc -Dreport=disabled -Db_sanitize=thread -Db_lundef=false -Ddebug=false -Dc_args=-g1 -Doptimization=1) &
  set_ups=$!
  prepare clang clang -Dreport=disabled
  prepare clang-sanitized clang $sanitize -Doptimization=2
  wait $set_ups || exit 5
  compare_abi
  test_with gcc
  test_with clang
  test_with gcc-sanitized
  test_with clang-sanitized
  test_threads
  echo "torsor.sh: all tests passed" >&2
}

case "${1:-}" in
  test) run_tests ;;
  build) build_command ;;
  abi) if [ "${2:-}" = renew ]; then dump_abi "$here/abi/libtorsor.abi"; else compare_abi; fi ;;
  renew)
    build_command
    need python3 python3-cffi python3-numpy
    python3 "$here/tools/python_abi.py"
    python=python3
    [ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
    env TORSOR_LIBRARY="$build/src/libtorsor.so.0" PYTHONPATH="$here/python" PYTHONDONTWRITEBYTECODE=1 $python -m torsor.stubs
    exec env TORSOR="$build/src/cli/torsor" python3 "$here/tools/renew.py"
    ;;
  *)
    build_command
    exec env TORSOR_DATA="${TORSOR_DATA:-$here/data}" "$build/src/cli/torsor" "$@"
    ;;
esac
