#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The npm packages of report/package-lock.json, into FOLDER/node_modules; done once for each lock file.
# usage: packages.sh FOLDER [--omit=dev]
set -eu
source=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
folder=$1
shift
mark=$folder/node_modules/.torsor-lock
mkdir -p "$folder"
if [ -f "$mark" ] && cmp -s "$source/package-lock.json" "$mark"; then exit 0; fi
cp "$source/package.json" "$source/package-lock.json" "$folder"
cd "$folder"
# A machine without a network must hear of it soon.
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1 \
  --fetch-retry-mintimeout=1000 --fetch-timeout=30000 "$@" >packages.log 2>&1
cp "$source/package-lock.json" "$mark"
