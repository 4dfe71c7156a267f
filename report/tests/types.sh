#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The types of the page's modules hold.
# usage: types.sh FOLDER, which has node_modules
set -eu
source=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
cd "$1"
rm -rf src
cp -r "$source/src" "$source/jsconfig.json" .
node_modules/.bin/tsc --project jsconfig.json
echo "types hold in $(find src -name '*.js' | wc -l) modules"
