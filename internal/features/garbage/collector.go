package garbage

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/server/metrics"
	"github.com/typeplane/typeplane/registry/rest"
)

// workers is how many objects are judged at the same time. They mostly wait for the database, which
// takes what comes together in one go.
const workers = 20

// collector is what one server knows and does while it leads.
type collector struct {
	graph  *graph
	kinds  []*kind
	byKind map[schema.GroupKind]*kind
	// owners says that owners are followed; if not, only what ends by itself is collected.
	owners  bool
	events  rest.Creator // nil: events are not served
	fresh   freshness
	log     *slog.Logger
	metrics *metrics.Garbage
}

// kind is a resource whose objects can have owners and be owners.
type kind struct {
	rest.Resource
	number uint16
	// followed says that the collector hears of its objects.
	followed bool
	monitor  monitor
}

// user is who the collector is for admission and audit, as in Kubernetes.
var user = &auth.User{
	Name:   "system:serviceaccount:kube-system:generic-garbage-collector",
	Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
}

func newCollector(resources []rest.Resource, owners bool, numbers *metrics.Garbage, log *slog.Logger) *collector {
	c := &collector{graph: newGraph(), byKind: map[schema.GroupKind]*kind{}, owners: owners, log: log, metrics: numbers}
	for _, r := range resources {
		if r.Subresource != "" || r.Get == nil {
			continue
		}
		gk := schema.GroupKind{Group: r.GroupVersion.Group, Kind: r.Kind}
		k := c.kindOf(r)
		if k == nil {
			k = &kind{Resource: r, number: uint16(len(c.kinds)), followed: followed(r) && (owners || r.Ends != nil)}
			c.kinds = append(c.kinds, k)
		} else if r.GroupVersion == r.StorageVersion {
			k.Resource = r // its metadata is cut out of what is stored
		}
		c.byKind[gk] = k
		if gk.Group == "" && r.Name == "events" {
			c.events = r.Create
		}
	}
	return c
}

// kindOf returns what has the same objects as a resource, in whichever version and group.
func (c *collector) kindOf(r rest.Resource) *kind {
	i := slices.IndexFunc(c.kinds, func(k *kind) bool { return k.Name == r.Name && k.StorageVersion == r.StorageVersion })
	if i < 0 {
		return nil
	}
	return c.kinds[i]
}

// followed says whether objects of a resource are collected. Events come and go by themselves.
func followed(r rest.Resource) bool {
	return r.Watch != nil && r.Delete != nil && r.Patch != nil && r.Name != "events"
}

// run collects until ctx ends.
func (c *collector) run(ctx context.Context) {
	ctx = auth.WithUser(ctx, user)
	defer c.graph.closeQueue()
	c.metrics.Sizes(c.graph.sizes)
	defer c.metrics.Sizes(nil)
	var all sync.WaitGroup
	defer all.Wait()
	for _, k := range c.kinds {
		if k.followed {
			k.monitor.start()
			all.Go(func() { c.follow(ctx, k) })
		}
	}
	if !c.waitTried(ctx) {
		return
	}
	c.graph.enqueueAll()
	for range workers {
		all.Go(func() { c.work(ctx) })
	}
}

// waitTried waits until every kind was seen once, or could not be. Then most of what owners there
// are is in memory, and a kind that can't be read keeps nobody waiting but those whose finalizers
// it concerns.
func (c *collector) waitTried(ctx context.Context) bool {
	for _, k := range c.kinds {
		if !k.followed {
			continue
		}
		select {
		case <-k.monitor.tried:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// errChanged says that somebody else wrote first. It is no news, and the object is judged again.
var errChanged = errors.New("the object has changed meanwhile")

// work judges objects until ctx ends.
func (c *collector) work(ctx context.Context) {
	for {
		n := c.graph.take(ctx)
		if n == nil {
			return
		}
		it := c.graph.item(n)
		err := recovery.Call(c.log, "garbage", c.kinds[it.kind].Name+" "+it.name.Namespace+"/"+it.name.Name, func() error { return c.judge(ctx, it) })
		if err != nil && !errors.Is(err, errChanged) && ctx.Err() == nil {
			c.metrics.Retries.Inc()
			c.log.Warn("collect garbage", "resource", c.kinds[it.kind].Name, "namespace", it.name.Namespace, "name", it.name.Name, "error", err)
		}
		c.graph.done(n, err != nil)
	}
}
