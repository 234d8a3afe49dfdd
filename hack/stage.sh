#!/usr/bin/env bash
# Prints a title, runs a command, and prints the seconds that it took:
#
#   hack/stage.sh "1 of 3: build" go build ./...
set -euo pipefail
echo "==> $1" >&2
"${@:2}"
echo "    took $SECONDS s" >&2
