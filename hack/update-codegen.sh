#!/usr/bin/env bash
# Writes the generated code of this repository: that of the module, and that of module policy, which is loaded for itself.
set -euo pipefail
cd "$(dirname "$0")/.."
go run ./cmd/gen "$@" ./apis/... ./examples/... ./runtime/...
go build -o bin/gen ./cmd/gen
cd policy && exec ../bin/gen "$@" ./kinds/... ./internal/rules
