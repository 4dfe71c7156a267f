#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Install into an empty folder; the command, the library and its pkg-config file must work there.
# usage: tests/whole/install.sh SOURCE_DIR BUILD_DIR
set -eu
source=$1
build=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

DESTDIR=$root meson install -C "$build" --no-rebuild --quiet
prefix=$root$(sed -n 's/^prefix=//p' "$(find "$root" -name torsor.pc)")
test -x "$prefix/bin/torsor"
test -f "$prefix/share/torsor/scenes/heavy_top.json"
test -s "$prefix/share/man/man1/torsor.1"
test -s "$prefix/share/bash-completion/completions/torsor.bash"

# The installed command finds the installed data beside itself.
env -u TORSOR_DATA "$prefix/bin/torsor" verify pendulum_x0_0

# ... and, where it is built, the page of reports.
if [ -f "$build/report/report.html" ]; then
  env -u TORSOR_DATA -u TORSOR_REPORT "$prefix/bin/torsor" run -q \
    "$source/data/scenes/spinning_disc.json" -o "$root/disc" --report
  test -s "$root/disc/report.html"
fi

# ... and the library of FMUs, with the libraries that it needs where these are bundled.
what=torsor
[ ! -d "$build/src/fmu/bundle" ] || what=all
env -u TORSOR_FMU "$prefix/bin/torsor" fmu -q "$source/data/scenes/heavy_top.json" --bundle $what -o "$root/top.fmu"
test -s "$root/top.fmu"

# A program against the installed headers, with the shared and with the static library.
PKG_CONFIG_PATH=$(dirname "$(find "$root" -name torsor.pc)")
export PKG_CONFIG_PATH
flags=$(pkg-config --define-variable=prefix="$prefix" --cflags --libs torsor)
cc -std=c17 "$source/examples/heavy_top.c" -o "$root/shared" $flags
library=$(dirname "$(find "$root" -name libtorsor.a)")
LD_LIBRARY_PATH=$library "$root/shared"
cc -std=c17 "$source/examples/heavy_top.c" -o "$root/static" \
  $(pkg-config --define-variable=prefix="$prefix" --cflags torsor) "$library/libtorsor.a" \
  $(pkg-config --define-variable=prefix="$prefix" --static --libs-only-l torsor | sed 's/-ltorsor//')
"$root/static"

# The package for Python, where it is installed and can be used, with the library that is beside it by the prefix.
version=$(find "$root" -path '*torsor/_version.py')
python=$(command -v /usr/bin/python3 || command -v python3)
if [ -n "$version" ] && "$python" -c 'import cffi, numpy' 2>/dev/null; then
  grep -q "libtorsor.so.0" "$version"
  (cd "$root" && TORSOR_LIBRARY=$library/libtorsor.so.0 PYTHONPATH=$(dirname "$(dirname "$version")") "$python" -c '
import sys, torsor
assert torsor.load(sys.argv[1]).simulate().summary.status == "OK" and torsor.version() == torsor.__version__
' "$prefix/share/torsor/scenes/heavy_top.json")
fi
echo "installed command, shared and static library work"
