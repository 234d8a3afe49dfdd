#!/bin/sh
# Runs what says whether an etcd may stand behind --etcd-servers, over the program that is named.
set -e
cd "$(dirname "$0")/.."
"$1" --version | head -n 1
export ENGINE="$1" ETCD="$1"
go test -count=1 -timeout 30m ./storage/etcd3 ./storage/cacher ./storage/encryption ./registry
(cd test/storesuite && go test -count=1 -timeout 30m .)
(cd test/oracle && go test -count=1 -timeout 30m -run '^TestPromises$/^(two_servers|replicas)$' .)
