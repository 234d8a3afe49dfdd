package namespace

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/registry/rest"
)

// controller takes care of namespaces. One that is on its way out is emptied by a goroutine of its
// own (empty.go). That waits, by watches, for what has finalizers, and tells in the conditions of
// the namespace what that is (conditions.go). All there is to know is in the store, so that a
// server that was stopped in the middle goes on. Its methods may be called from any goroutine.
type controller struct {
	namespaces       rest.Resource
	status, finalize rest.Updater
	// fence keeps writers of other etcds from creating what they decided on before a namespace was
	// deleted.
	fence func(ctx context.Context, key string, revision int64) error
	log   *slog.Logger
}

// newController returns a controller for the namespaces among resources, nil if they are not
// served.
func newController(resources []rest.Resource, log *slog.Logger) *controller {
	c := &controller{log: log}
	for _, r := range resources {
		if r.GroupVersion.WithResource(r.Name) != namespaces {
			continue
		}
		switch r.Subresource {
		case "":
			c.namespaces = r
		case "status":
			c.status = r.Update
		case "finalize":
			c.finalize = r.Update
		}
	}
	if c.namespaces.Get == nil || c.status == nil || c.finalize == nil {
		return nil
	}
	return c
}

// run empties and removes namespaces that are deleted, until ctx ends. resources are all that is
// served.
func (c *controller) run(ctx context.Context, resources []rest.Resource) {
	contents := contentsOf(resources)
	var jobs sync.WaitGroup
	defer jobs.Wait()
	running := map[types.UID]context.CancelFunc{}
	start := func(ns *corev1.Namespace) {
		if ns.DeletionTimestamp == nil || running[ns.UID] != nil || !slices.Contains(ns.Spec.Finalizers, corev1.FinalizerKubernetes) {
			return
		}
		job, cancel := context.WithCancel(ctx)
		running[ns.UID] = cancel
		jobs.Go(func() {
			defer cancel()
			recovery.Loop(job, c.log, c.namespaces.Name, func(ctx context.Context) { c.remove(ctx, ns, contents) })
		})
	}
	stop := func(uid types.UID) {
		if cancel := running[uid]; cancel != nil {
			cancel()
			delete(running, uid)
		}
	}
	follow.Run(ctx, &c.namespaces, "", c.log, follow.Handler[corev1.Namespace]{
		Replace: func(all []corev1.Namespace) {
			there := map[types.UID]bool{}
			for i := range all {
				there[all[i].UID] = true
			}
			follow.Each(c.log, c.namespaces.Name, all, start)
			for uid := range running {
				if !there[uid] {
					stop(uid)
				}
			}
		},
		Changed: start,
		Gone:    func(ns *corev1.Namespace) { stop(ns.UID) },
	})
}

// contentsOf are the resources that lie in namespaces, each once, in whichever version.
func contentsOf(resources []rest.Resource) (contents []rest.Resource) {
	for _, r := range resources {
		same := func(other rest.Resource) bool {
			return other.Name == r.Name && other.StorageVersion == r.StorageVersion
		}
		if r.Namespaced && r.Subresource == "" && r.List != nil && r.Watch != nil && r.DeleteCollection != nil && !slices.ContainsFunc(contents, same) {
			contents = append(contents, r)
		}
	}
	return contents
}
