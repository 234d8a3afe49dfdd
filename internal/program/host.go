package program

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/fairness"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// Host is the server as an API sees it that extends it. It is good until Extend returns, except for
// its functions.
type Host struct {
	Scheme *runtime.Scheme
	// Resources are all that is served, one for each version. Extend may change verbs and append;
	// whoever wants to know of all resources in the end looks at them from a loop. What one of them
	// is stays at its place, so that loops may keep it.
	Resources []*rest.Resource
	// Options are those that the operator chose.
	Options *Options
	// Shared says that other processes may serve the same objects.
	Shared bool
	Log    *slog.Logger

	// Authorizer is that of the server: Masters, and what --authorization-mode names. It decides
	// once the server serves.
	Authorizer auth.Authorizer
	// RBAC is what Extend sets to the authorizer of --authorization-mode=RBAC, by the roles that it
	// serves.
	RBAC auth.Authorizer
	// Tokens knows bearer tokens; Audiences are the server's names for itself in them, and what a
	// token of a service account is for if the client names none. Signer makes those; nil: there
	// are none.
	Tokens    auth.TokenAuthenticator
	Audiences []string
	Signer    *auth.TokenSigner
	// ClientSigner signs the certificates of clients that this server knows.
	ClientSigner *auth.ClientSigner
	// Revocations are the credentials that the server refuses. Whoever keeps the list says so in
	// Extend.
	Revocations *auth.Revocations
	// RootCA are the authorities, in PEM, by which pods know this server; nil: it does not know
	// them.
	RootCA []byte
	// Readyz are checks that Extend adds to /readyz.
	Readyz []server.Check
	// Metrics takes the metrics of those who have some.
	Metrics prometheus.Registerer

	// Stored are the objects of all resources that are in namespaces and do not expire, for those
	// who write an object of one together with somebody else's.
	Stored []*registry.Objects

	// Fence makes every write fail that depends on the key (storage.Expect) as it was before
	// revision, and that is to another etcd than the key (--etcd-servers-overrides). In the etcd of
	// the key itself transactions see to that.
	Fence func(ctx context.Context, key string, revision int64) error

	// Elect is what Extend sets to say which of the servers that share their objects leads. It
	// calls lead while this one holds the lease of that name, until ctx ends. nil: each of them
	// leads.
	Elect func(ctx context.Context, lease string, lead func(context.Context))

	turns   *fairness.Controller
	kept    map[string]storage.Interface
	enabled map[string]bool
	loops   []func(context.Context)
	alone   map[string][]func(context.Context) // by lease
}

// NewHost returns h with what only the assembly can fill in: which resources of the APIs the
// operator wants, the stores of plug-ins, and what says whose turn it is.
func NewHost(h Host, enabled map[string]bool, kept map[string]storage.Interface, turns *fairness.Controller) *Host {
	h.enabled, h.kept, h.turns = enabled, kept, turns
	return &h
}

// Fairness is what says which request is answered when. Whoever keeps its configuration sets that.
// nil: the operator wants none.
func Fairness(h *Host) *fairness.Controller { return h.turns }

// Enabled says whether the operator wants a resource of an API.
func (h *Host) Enabled(plural string) bool { return h.enabled[plural] }

// Resource returns a resource, which Extend may change; nil if it is not served. subresource is ""
// for the resource itself.
func (h *Host) Resource(gvr schema.GroupVersionResource, subresource string) *rest.Resource {
	i := slices.IndexFunc(h.Resources, func(r *rest.Resource) bool {
		return r.GroupVersion.WithResource(r.Name) == gvr && r.Subresource == subresource
	})
	if i < 0 {
		return nil
	}
	return h.Resources[i]
}

// Served are copies of all resources.
func (h *Host) Served() []rest.Resource {
	all := make([]rest.Resource, len(h.Resources))
	for i, r := range h.Resources {
		all[i] = *r
	}
	return all
}

// Store is that of the keys that a plug-in has to itself (AdmissionPlugin.KeyPrefix), nil if none
// of those that are on has the prefix. It keeps values as they are.
func (h *Host) Store(prefix string) storage.Interface { return h.kept[prefix] }

// Go has loop run while the server serves. It returns when its context ends, and the server waits
// for that.
func (h *Host) Go(loop func(context.Context)) { h.loops = append(h.loops, loop) }

// Alone has loop run in one of the servers that share their objects, beside all others of the same
// lease. Where no leader is elected it runs in each of them: it has to bear that.
func (h *Host) Alone(lease string, loop func(context.Context)) {
	if h.alone == nil {
		h.alone = map[string][]func(context.Context){}
	}
	h.alone[lease] = append(h.alone[lease], loop)
}

// Extend lets the APIs do what no declaration can say.
func Extend(ctx context.Context, s Server, h *Host) error {
	for _, a := range s.APIs {
		if a.Extend == nil || !h.wants(a) {
			continue
		}
		if err := a.Extend(ctx, h); err != nil {
			return err
		}
	}
	return nil
}

// wants says whether the operator wants anything of an API. One that has no resources can't be left
// out.
func (h *Host) wants(a API) bool {
	names := a.names()
	return a.own || len(names) == 0 || slices.ContainsFunc(names, h.Enabled)
}

// Controls says whether the server is to run one of API.Controllers, which is so unless the
// operator leaves it to somebody else.
func (h *Host) Controls(name string) bool {
	return !slices.Contains(h.Options.API.DisableControllers, name)
}

// Missing is the first of the resources that is not served, "" if all are.
func Missing(h *Host, needed []schema.GroupVersionResource) string {
	for _, gvr := range needed {
		if h.Resource(gvr, "") == nil {
			return gvr.GroupResource().String()
		}
	}
	return ""
}

// Loops are those that the APIs and plug-ins have asked for. What is for one server only waits
// for its lease.
func Loops(h *Host) []func(context.Context) {
	all := slices.Clone(h.loops)
	for lease, loops := range h.alone {
		if h.Elect == nil {
			all = append(all, loops...)
			continue
		}
		all = append(all, func(ctx context.Context) {
			h.Elect(ctx, lease, func(ctx context.Context) { StartLoops(ctx, h.Log, loops)() })
		})
	}
	return all
}

// StartLoops runs loops beside each other until ctx ends. One that panics starts again. wait
// returns when all have returned.
func StartLoops(ctx context.Context, log *slog.Logger, loops []func(context.Context)) (wait func()) {
	var all sync.WaitGroup
	for _, loop := range loops {
		all.Go(func() { recovery.Loop(ctx, log, recovery.NameOf(loop), loop) })
	}
	return all.Wait
}
