#!/usr/bin/env bash
# Runs a command in the folder of each module of a kind, and stops at the first that fails:
#
#   hack/each-module.sh released go vet ./...
set -euo pipefail
cd "$(dirname "$0")/.."
kind=$1
shift
awk -v kind="$kind" '$2 == kind {print $1}' hack/modules.txt | while read -r folder; do
  (cd "$folder" && "$@" </dev/null) || { echo "hack/each-module.sh: in $folder: $* failed" >&2; exit 1; }
done
