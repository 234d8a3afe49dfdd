#!/usr/bin/env bash
# Writes the generated code of this repository, module by module.
set -euo pipefail
cd "$(dirname "$0")/.."
go build -o bin/gen ./cmd/gen
exec hack/each-module.sh released "$PWD/bin/gen" "$@" ./...
