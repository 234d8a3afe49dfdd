#!/usr/bin/env bash
# Says which commands make a release, in their order. It changes nothing.
#
#   hack/release.sh v0.1.0
#
# A module is tagged after those that it requires, and names their released versions: so each has a commit of its own
# when its go.mod changes, and the tag stands on that commit.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:?the version, like v0.1.0}
root=$(go list -m)
done=()
awk '$2 == "released" {print $1}' hack/modules.txt | while read -r folder; do
  echo "# $folder"
  edits=()
  for above in "${done[@]}"; do
    path=$root/$above
    [ "$above" = . ] && path=$root
    if grep -q "^[[:space:]]*\(require \)\?$path v" "$folder/go.mod"; then
      edits+=("-dropreplace=$path" "-require=$path@$version")
    fi
  done
  if [ ${#edits[@]} -gt 0 ]; then
    echo "(cd $folder && go mod edit ${edits[*]} && go mod tidy)"
    echo "git commit -m 'release: $folder $version' -- $folder/go.mod $folder/go.sum"
  fi
  tag=$folder/$version
  [ "$folder" = . ] && tag=$version
  echo "git tag $tag && git push origin $tag"
  done+=("$folder")
done
echo "# Afterwards: git revert the commits, so that the modules are replaced by their folders again."
