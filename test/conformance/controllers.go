package main

import (
	"context"
	"strings"
)

// runControllers has the server on an etcd of its own process, because only there its own loops
// stand by for others.
func runControllers(ctx context.Context, w *workshop) (string, []result, error) {
	if err := w.build(ctx, "test/conformance/controllers", ".", "controllers"); err != nil {
		return "", nil, err
	}
	etcd, err := w.etcd(ctx)
	if err != nil {
		return "", nil, err
	}
	defer etcd.Close()
	s, err := w.serve(ctx, "--etcd-servers", strings.Join(etcd.Endpoints(), ","), "--garbage-collector=beside")
	if err != nil {
		return "", nil, err
	}
	defer s.close()
	return runLines(ctx, s.Kubeconfig, w.path("controllers"))
}
