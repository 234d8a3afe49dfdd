package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/typeplane/typeplane/internal/testserver"
)

// A world of replicas has a balancer before its servers, which share a secret. Books are encrypted,
// and there are namespaces with quotas, and webhooks.

// prepareReplicas makes what the servers are told, and returns their flags.
func (w *world) prepareReplicas() (flags []string, err error) {
	secret := filepath.Join(w.dir, "secret")
	if err := os.WriteFile(secret, []byte("what the replicas of a run are given"), 0o600); err != nil {
		return nil, err
	}
	if w.sealed, err = newSealed(filepath.Join(w.dir, "encryption.yaml")); err != nil {
		return nil, err
	}
	return []string{"--cluster-secret-file", secret, "--encryption-provider-config", w.sealed.file}, nil
}

// startReplicas makes what is before the servers and around the books, once the servers are ready.
func (w *world) startReplicas(ctx context.Context) (err error) {
	if w.balancer, err = testserver.NewBalancer(); err != nil {
		return err
	}
	for n, s := range w.servers {
		w.balancer.Point(n, s.url)
	}
	w.hooks = newHooks()
	w.keeper = &keeper{w.driver(400)}
	if err := w.keeper.openAll(ctx, roomFor); err != nil {
		return err
	}
	return w.install(ctx)
}

// entrances are those of one client: one for each server, or that of the balancer.
func (w *world) entrances() []*entrance {
	if w.balancer != nil {
		return []*entrance{through(w.balancer, w.servers[0].entrance)}
	}
	var all []*entrance
	for _, s := range w.servers {
		all = append(all, &s.entrance)
	}
	return all
}
