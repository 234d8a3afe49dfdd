#!/usr/bin/env bash
# Builds kube-scheduler, kube-controller-manager and kubectl of a release of Kubernetes into a folder:
#
#   hack/kubernetes-programs.sh v1.36.3 bin/kubernetes-v1.36.3
#
# The programs of k8s.io/kubernetes are no one's dependency: its go.mod replaces the modules that are released with it
# by folders that the module doesn't have. So the programs are built in a module that is made here, which replaces them
# by what was released.
set -euo pipefail
version=$1 out=$2
mkdir -p "$out"
out=$(cd "$out" && pwd)
module=$(mktemp -d)
trap 'rm -rf "$module"' EXIT
cd "$module"

minor=${version#v1.}
gomod=$(cd / && go mod download -json "k8s.io/kubernetes@$version" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
{
	echo 'module programs'
	grep '^go ' "$gomod"
	echo "require k8s.io/kubernetes $version"
	sed -n "s|^\t\(k8s.io/[a-z-]*\) => ./staging/.*|replace \1 => \1 v0.$minor|p" "$gomod"
} >go.mod
cmd=k8s.io/kubernetes/cmd
GOFLAGS=-mod=mod go build -p 2 -o "$out/" \
	-ldflags "-X k8s.io/component-base/version.gitVersion=$version -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=${minor%.*}" \
	$cmd/kube-scheduler $cmd/kube-controller-manager $cmd/kubectl
