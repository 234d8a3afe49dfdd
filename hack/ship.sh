#!/usr/bin/env bash
# Makes all that a server and a release are shipped with, and lists it with sizes and times in
# docs/releasing.md. Nothing is tagged, and what a target says is in bin/ship.log.
#
#   hack/ship.sh v0.1.0
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1
mkdir -p bin
: >bin/ship.log

# step runs a command, and prints a row with its times: how long it took, and of the processors.
step() {
  local name=$1 TIMEFORMAT='%0lR | %0lU | %0lS |'
  shift
  echo "hack/ship.sh: $name" >&2
  { time "$@" >>bin/ship.log 2>&1; } 2>bin/ship.time || { tail -50 bin/ship.log >&2; echo "hack/ship.sh: $name failed; bin/ship.log has all of it" >&2; exit 1; }
  echo "| $name | $(cat bin/ship.time)"
}

# sizes prints a row for each file, and one for all files of a folder.
sizes() {
  for file in "$@"; do
    echo "| $(basename "$file") | $(du --apparent-size --summarize --block-size=kB "$file" | cut -f 1) |"
  done
}

{
  printf '`make ship VERSION=%s` on %s, commit %s: %s cores, %s GiB, %s. ' "$version" "$(date -u +%F)" "$(git rev-parse --short HEAD)" \
    "$(nproc)" "$(awk '/MemTotal/ {printf "%.0f", $2 / 1048576}' /proc/meminfo)" "$(go env GOVERSION)"
  printf 'The load was %s at the start; what the cache of builds had was not built again.\n\n' "$(cut -d ' ' -f 1 /proc/loadavg)"
  printf '| made and tried by | time | user | system |\n|---|---|---|---|\n'
  step 'make image' make image
  step 'make packaging' make packaging
  step 'make operations' make operations
  step 'make aggregator' make aggregator
  step 'make site' make site
  step "make release VERSION=$version" make release VERSION="$version"
  printf '\n| file | size |\n|---|---|\n'
  sizes bin/library.oci.tar bin/library.spdx.json bin/site/dist bin/release/"$version"/*
} >bin/ship.md
rm bin/ship.time
cat bin/ship.md

page=docs/releasing.md
{ sed '/<!-- ship -->/q' $page; cat bin/ship.md; sed -n '/<!-- \/ship -->/,$p' $page; } >bin/releasing.md
mv bin/releasing.md $page
