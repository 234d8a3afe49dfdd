#!/usr/bin/env bash
# Says what begins, runs it, and says how long it took if that was long enough to wonder:
#
#   hack/stage.sh "1 of 3: build" go build ./...
set -euo pipefail
echo "==> $1" >&2
"${@:2}"
((SECONDS < 3)) || echo "    took $SECONDS s" >&2
