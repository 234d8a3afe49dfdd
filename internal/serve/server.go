package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/keyprefix"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// Server is what a program serves: the part that is generated from its types. It is not modified.
type Server struct {
	// Name is the program's name: of its data directory, of the context in its kubeconfig, in its
	// messages.
	Name string
	// AddToScheme declares the kinds in all their versions.
	AddToScheme func(*runtime.Builder)
	// Resources says how each kind is stored and served.
	Resources []registry.Resource
	// Virtual are resources that no store holds: each is a registry.Virtual. Their versions have an
	// OpenAPI document if OpenAPI has their schemas.
	Virtual []Virtual
	// OpenAPI holds the schemas of each version: a JSON object of model names and OpenAPI v3
	// schemas.
	OpenAPI map[schema.GroupVersion]string
	// omitted are the versions that AddToScheme declares and this program has not.
	omitted []schema.GroupVersion
	// Admission are plug-ins of the program's own. They are asked after those of the APIs.
	Admission []AdmissionPlugin
	// Tracing opens what keeps traces of requests; nil: there is no --tracing-config-file. Module
	// tracing has one for OpenTelemetry.
	Tracing func(context.Context, TracingConfig) (Tracer, error)
	// Authenticator knows users in a way of the program's own; nil: there is none. It is asked
	// behind client certificates and before bearer tokens.
	Authenticator auth.Authenticator
	// Authorizer is asked about a request to which none of those that the operator chose says yes
	// or no; nil: nobody is.
	Authorizer auth.Authorizer
	// Storage opens a storage of the program's own, in which all objects are kept, in place of
	// etcd; nil: there is none. The watch cache stands in front of it as it does in front of etcd.
	// The commands migrate and import open it, too: one that bears a single process refuses the
	// second. What works on an etcd only is refused: inspect, backup and restore, and the flags of
	// a cluster.
	Storage func(context.Context, StorageConfig) (storage.Backend, error)
	// APIs are what the operator can have served beside: the kinds of Kubernetes' control plane,
	// for example.
	APIs []API
}

// Virtual is a registry.Virtual without its type.
type Virtual interface {
	Resource() (rest.Resource, error)
}

// virtual returns the resources that no store holds, or all that is wrong with them.
func (s Server) virtual() (served []rest.Resource, err error) {
	var errs []error
	for _, v := range s.Virtual {
		r, err := v.Resource()
		served, errs = append(served, r), append(errs, err)
	}
	return served, errors.Join(errs...)
}

// scheme builds the Scheme, or reports every mistake in the declarations.
func (s Server) scheme() (*runtime.Scheme, error) {
	b := runtime.NewBuilder()
	b.Omit(s.omitted...)
	s.AddToScheme(b)
	return b.Build()
}

// Without returns the server without some versions of its kinds, as the release before or after
// this one may have been.
func (s Server) Without(versions ...schema.GroupVersion) Server {
	resources := s.Resources
	s.Resources, s.omitted = nil, append(slices.Clone(s.omitted), versions...)
	for _, r := range resources {
		if r = r.Without(versions...); len(r.Versions()) > 0 {
			s.Resources = append(s.Resources, r)
		}
	}
	s.OpenAPI = maps.Clone(s.OpenAPI)
	for _, gv := range versions {
		delete(s.OpenAPI, gv)
	}
	return s
}

// checkPrefixes refuses two resources that would keep their objects in the same place, or one among
// those of the other.
func (s Server) checkPrefixes() error {
	var errs []error
	for i, r := range s.Resources {
		for _, first := range s.Resources[:i] {
			if keyprefix.Meet(first.KeyPrefix(), r.KeyPrefix()) {
				errs = append(errs, fmt.Errorf("%s would be stored below %s, and %s below %s, which is the same place or inside it; give one of them another resource path, or another key prefix",
					first.GroupResource(), first.KeyPrefix(), r.GroupResource(), r.KeyPrefix()))
			}
		}
	}
	return errors.Join(errs...)
}

// storageVersions says in which version each resource is stored where the operator chose one. Items
// for a whole group pass over the kinds that do not have the version; an item that fits nothing is
// an error.
func (s Server) storageVersions(scheme *runtime.Scheme, items []string) (map[schema.GroupResource]schema.GroupVersion, error) {
	overrides, err := parseStorageVersions(items)
	if err != nil {
		return nil, err
	}
	chosen := map[schema.GroupResource]schema.GroupVersion{}
	var errs []error
	for _, o := range overrides {
		fits := false
		for _, r := range s.Resources {
			if o.appliesTo(r.GroupResource()) && slices.Contains(storable(scheme, r), o.version) {
				chosen[r.GroupResource()] = o.version
				fits = true
			}
		}
		if !fits {
			errs = append(errs, fmt.Errorf("--storage-versions: %q fits no resource; choose of %s", o.item, strings.Join(s.choices(scheme), ", ")))
		}
	}
	return chosen, errors.Join(errs...)
}

func (o storageVersion) appliesTo(gr schema.GroupResource) bool {
	return o.resource.Group == gr.Group && (o.resource.Resource == "" || o.resource.Resource == gr.Resource)
}

// storable are the versions in which a resource can be stored.
func storable(scheme *runtime.Scheme, r registry.Resource) []schema.GroupVersion {
	var versions []schema.GroupVersion
	for _, kind := range scheme.KindsOfHub(r.GroupKind()) {
		versions = append(versions, kind.GroupVersionKind().GroupVersion())
	}
	return versions
}

// choices lists what --storage-versions accepts, for its error.
func (s Server) choices(scheme *runtime.Scheme) []string {
	var out []string
	for _, r := range s.Resources {
		for _, gv := range storable(scheme, r) {
			out = append(out, r.GroupResource().String()+"="+gv.String())
		}
	}
	return out
}

// API is a part of what a program can serve beside its own kinds, like the kinds of package
// features. Which of its resources are served is for the operator to say (--enable-api). It is not
// modified.
type API struct {
	// AddToScheme declares the kinds in all their versions; nil: none.
	AddToScheme func(*runtime.Builder)
	// Resources says how each kind is stored and served.
	Resources []registry.Resource
	// Virtual names the resources that Extend adds and no store holds, in the plural, or as
	// plural/subresource.
	Virtual []string
	// OpenAPI holds the schemas of each version: a JSON object of model names and OpenAPI v3
	// schemas. Several APIs may have schemas of the same version; a model of the same name is the
	// same.
	OpenAPI map[schema.GroupVersion]string
	// Admission are the plug-ins that come with the API, in their order.
	Admission []AdmissionPlugin
	// Collects says that Extend starts what collects objects whose owners are gone, if
	// StoreOptions.GarbageCollector is CollectInServer: then what a deletion says of dependents is
	// left to it.
	Collects bool
	// Extend does the rest, when every resource of the server is there: it adds resources and
	// subresources that no store holds, puts itself before verbs, and starts loops. It is asked if
	// the operator wants any of the resources, or if the API has none of its own. nil: there is
	// none.
	Extend func(context.Context, *Host) error
}

// collected says whether anybody collects objects whose owners are gone.
func (s Server) collected(o *StoreOptions) bool {
	inServer := slices.ContainsFunc(s.APIs, func(a API) bool { return a.Collects })
	return o.GarbageCollector == CollectBeside || o.GarbageCollector == CollectInServer && inServer
}

// Host is the server as an API sees it that extends it. It is good until Extend returns, but for
// its functions.
type Host struct {
	Scheme *runtime.Scheme
	// Resources are all that is served, one for each version. Extend may change verbs and append;
	// whoever wants to know of all resources in the end looks at them from a loop.
	Resources []rest.Resource
	// Options are those that the operator chose.
	Options *Options
	// Shared says that other processes may serve the same objects.
	Shared bool
	Log    *slog.Logger

	// Authorizer is the one of the server: Masters, and whom --authorization-mode names. It decides
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
	// RootCA are the authorities, in PEM, by which pods know this server; nil: it does not know
	// them.
	RootCA []byte
	// Readyz are checks that Extend adds to /readyz.
	Readyz []server.Check
	// Metrics takes the metrics of those who have some.
	Metrics prometheus.Registerer

	// Objects are those of all resources that are in namespaces and do not expire, for those who
	// write an object of one together with somebody else's.
	Objects []*registry.Objects

	// Elect is what Extend sets to say which of the servers that share their objects leads: it
	// calls lead while this one holds the lease of that name, until ctx ends. nil: each of them
	// leads.
	Elect func(ctx context.Context, lease string, lead func(context.Context))

	kept    map[string]storage.Interface
	enabled map[string]bool
	loops   []func(context.Context)
	alone   map[string][]func(context.Context) // by lease
}

// AdmissionPlugin is a plug-in of admission that a program has, as the operator sees it: a name,
// and whether it is on. It is not modified.
type AdmissionPlugin struct {
	// Name is what flags, metrics and messages call it, like NamespaceLifecycle.
	Name string
	// Off says that it is not on unless the operator enables it.
	Off bool
	// Last puts it behind those that are not: for plug-ins that have to see what everybody else
	// made of an object.
	Last bool
	// Needs are the resources without which it can't work. Where one of them is not served, the
	// plug-in is left out; if the operator named it, that is an error.
	Needs []schema.GroupVersionResource
	// Keeps is a prefix of keys that the plug-in has to itself in the database (Host.Kept); "" for
	// none. It begins with a slash and a dot, which no resource does, and ends in a slash.
	Keeps string
	// Configurable says that it takes a configuration (--admission-control-config-file).
	Configurable bool
	// New makes it, when every resource of the server is there and before the first request. The
	// Host is as for API.Extend, but its Resources are not to be changed any more. config is the
	// JSON of the configuration, nil if there is none.
	New func(ctx context.Context, h *Host, config []byte) (admission.Plugin, error)
}

// names are what --enable-api calls the parts of the API.
func (a API) names() []string {
	var names []string
	for _, r := range a.Resources {
		names = append(names, r.GroupResource().Resource)
	}
	return append(names, a.Virtual...)
}

// Enabled says whether the operator wants a resource of an API.
func (h *Host) Enabled(plural string) bool { return h.enabled[plural] }

// Resource returns a resource, which Extend may change; nil if it is not served. subresource is ""
// for the resource itself.
func (h *Host) Resource(gvr schema.GroupVersionResource, subresource string) *rest.Resource {
	i := slices.IndexFunc(h.Resources, func(r rest.Resource) bool {
		return r.GroupVersion.WithResource(r.Name) == gvr && r.Subresource == subresource
	})
	if i < 0 {
		return nil
	}
	return &h.Resources[i]
}

// Kept is the store of the keys that a plug-in has to itself (AdmissionPlugin.Keeps), nil if none
// of those that are on has the prefix. It keeps values as they are.
func (h *Host) Kept(prefix string) storage.Interface { return h.kept[prefix] }

// Go has loop run while the server serves. It returns when its context ends, and the server waits
// for that.
func (h *Host) Go(loop func(context.Context)) { h.loops = append(h.loops, loop) }
