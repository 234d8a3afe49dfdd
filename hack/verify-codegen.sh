#!/usr/bin/env bash
# Fails and names the files if the generated code of this repository is out of date.
exec "$(dirname "$0")/update-codegen.sh" --verify "$@"
