#!/usr/bin/env bash
# Runs every fuzz target of the module, and of those under test/, for a while, one after the other.
set -euo pipefail
cd "$(dirname "$0")/.."
grep -rlE '^func Fuzz' --include='*_test.go' . | grep -v /testdata/ | while read -r file; do
  grep -oE '^func Fuzz[A-Za-z0-9_]*' "$file" | awk '{print $2}' | while read -r target; do
    (cd "$(dirname "$file")" && go test . -run '^$' -fuzz "^${target}\$" -fuzztime "${FUZZTIME:-10s}" -fuzzminimizetime 100x)
  done
done
