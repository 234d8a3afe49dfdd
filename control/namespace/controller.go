// Package namespace is what a server does for its namespaces: some are always there (standing.go),
// and one that is deleted is emptied, in every group and resource that is served, and then goes
// itself. That nothing is created in one that is missing or on its way out is for admission
// (admission/namespacelifecycle), in the very transaction of the create: what is not there once a
// namespace is on its way out does not come any more.
//
// Start reading at Controller.Run. It follows namespaces by a watch; a namespace that is on its way
// out is emptied by a goroutine of its own (empty.go), which waits, by watches again, for what has
// finalizers, and tells in the conditions of the namespace what that is (conditions.go). All there
// is to know is in the store, so that a server that was stopped in the middle goes on. The package
// never removes a finalizer other than "kubernetes" of a namespace.
package namespace

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/registry/rest"
)

// Controller takes care of namespaces. Its methods may be called from any goroutine.
type Controller struct {
	namespaces       rest.Resource
	status, finalize rest.Updater
	log              *slog.Logger
}

// New returns a Controller for the namespaces among resources, nil if they are not served.
func New(resources []rest.Resource, log *slog.Logger) *Controller {
	c := &Controller{log: log}
	for _, r := range resources {
		if r.GroupVersion.WithResource(r.Name) != namespaceResource {
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

// Run empties and removes namespaces that are deleted, until ctx ends. resources are all that is
// served.
func (c *Controller) Run(ctx context.Context, resources []rest.Resource) {
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
			c.remove(job, ns, contents)
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
				start(&all[i])
			}
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
