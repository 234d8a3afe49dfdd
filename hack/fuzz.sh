#!/usr/bin/env bash
# Runs every fuzz target of the module, and of those under test/, for a while, one after the other.
set -euo pipefail
cd "$(dirname "$0")/.."
# note adds to a figure of the scorecard, as internal/drill does: row 25.
note() {
  if [ -n "${TYPEPLANE_DRILL_FIGURES:-}" ]; then
    printf '{"row":25,"time":"%s","name":"%s","kind":"count","value":%d}\n' "$(date -u +%FT%TZ)" "$1" "$2" >> "$TYPEPLANE_DRILL_FIGURES"
  fi
}
note crashers 0
grep -rlE '^func Fuzz' --include='*_test.go' . | grep -v /testdata/ | while read -r file; do
  grep -oE '^func Fuzz[A-Za-z0-9_]*' "$file" | awk '{print $2}' | while read -r target; do
    (cd "$(dirname "$file")" && go test . -run '^$' -fuzz "^${target}\$" -fuzztime "${FUZZTIME:-10s}" -fuzzminimizetime 100x) || { note crashers 1; exit 1; }
    note targets 1
  done
done
