#!/usr/bin/env bash
# Writes the generated code of this repository, module by module, or that of packages of the root
# module:
#
#   hack/update-codegen.sh [--if-changed] [flags of gen] [PACKAGES]
#
# With --if-changed it does nothing, and does not build gen, if no file in the packages' folders has
# changed since the last commit or since the last run for these packages.
set -euo pipefail
cd "$(dirname "$0")/.."

changed=always
flags=(--)
packages=()
for arg in "$@"; do
  case $arg in
    --if-changed) changed=ask ;;
    -*) flags=("$arg" "${flags[@]}") ;;
    *) packages+=("$arg") ;;
  esac
done
if ((${#packages[@]} == 0)); then
  go build -o bin/gen ./cmd/gen
  exec hack/each-module.sh released "$PWD/bin/gen" "${flags[@]}" ./...
fi

folders=("${packages[@]%/...}")
record=bin/generated/$(echo "${packages[*]}" | tr -c 'a-zA-Z0-9\n' _)
files() { find "${folders[@]}" -type f | LC_ALL=C sort; }
contents() { { files; files | git hash-object --stdin-paths; } | git hash-object --stdin; }
committed() { test -z "$(git status --porcelain -- "${folders[@]}" 2>&1)"; }
recorded() { test -e "$record" && test "$(contents)" = "$(cat "$record")"; }
if test $changed = ask && { committed || recorded; }; then
  exit
fi
go build -o bin/gen ./cmd/gen
bin/gen "${flags[@]}" "${packages[@]}"
mkdir -p bin/generated
contents >"$record"
