package program

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/trace"
)

// TracingConfig is what Server.Tracing is told.
type TracingConfig struct {
	// Service is the name of the program.
	Service string
	// File is that of --tracing-config-file.
	File string
	// Log gets what goes wrong later on.
	Log *slog.Logger
}

// Tracer is a trace.Recorder that sends somewhere what it records.
type Tracer interface {
	trace.Recorder
	// Close sends what is left, as long as ctx lasts. Nothing is recorded any more.
	Close(ctx context.Context) error
}

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

// VirtualResources returns the resources that no store holds, or all that is wrong with them.
func VirtualResources(s Server) (served []rest.Resource, err error) {
	var errs []error
	for _, v := range s.Virtual {
		r, err := v.Resource()
		served, errs = append(served, r), append(errs, err)
	}
	return served, errors.Join(errs...)
}

// NewScheme builds the Scheme, or reports every mistake in the declarations.
func NewScheme(s Server) (*runtime.Scheme, error) {
	b := runtime.NewBuilder()
	b.Omit(s.omitted...)
	s.AddToScheme(b)
	return b.Build()
}

// Without returns the server without some versions of its kinds, as the release before or after
// this release may be.
func (s Server) Without(versions ...schema.GroupVersion) Server {
	s.omitted = append(slices.Clone(s.omitted), versions...)
	s.Resources, s.OpenAPI = without(s.Resources, s.OpenAPI, versions)
	s.APIs = slices.Clone(s.APIs)
	for i := range s.APIs {
		if a := &s.APIs[i]; a.own {
			a.Resources, a.OpenAPI = without(a.Resources, a.OpenAPI, versions)
		}
	}
	return s
}

func without(resources []registry.Resource, openAPI map[schema.GroupVersion]string, versions []schema.GroupVersion) (kept []registry.Resource, documents map[schema.GroupVersion]string) {
	for _, r := range resources {
		if r = r.Without(versions...); len(r.Versions()) > 0 {
			kept = append(kept, r)
		}
	}
	documents = maps.Clone(openAPI)
	for _, gv := range versions {
		delete(documents, gv)
	}
	return kept, documents
}

// OwnGroups returns the API groups of the program's own kinds, sorted: those of the server and of
// the APIs that Own returned. It does not include groups that have only kinds of --enable-api.
func OwnGroups(s Server) []string {
	groups := groupsOf(s.Resources, s.OpenAPI)
	for _, a := range s.APIs {
		if a.own {
			groups = append(groups, groupsOf(a.Resources, a.OpenAPI)...)
		}
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// groupsOf also reads the versions of openAPI, because a resource that no store holds is only
// there.
func groupsOf(resources []registry.Resource, openAPI map[schema.GroupVersion]string) (groups []string) {
	for _, r := range resources {
		for _, gv := range r.Versions() {
			groups = append(groups, gv.Group)
		}
	}
	for gv := range openAPI {
		groups = append(groups, gv.Group)
	}
	return groups
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
	// Controllers are the names of loops that the operator can leave to a program beside the server
	// (--disable-controllers), as a kube-controller-manager calls them. Extend and the plug-ins ask
	// Host.Controls before they start one.
	Controllers []string
	// Extend does the rest, when every resource of the server is there: it adds resources and
	// subresources that no store holds, puts itself before verbs, and starts loops. It is called if
	// the operator wants any of the resources, or if the API has none of its own. It is called
	// again, with another Host, if the database becomes unavailable during the start. nil: there is
	// none.
	Extend func(context.Context, *Host) error
	// own says that the operator has no choice: see Own.
	own bool
}

// Own returns the API as one that is always served: --enable-api neither names it nor leaves it
// out. It is for the kinds that a program is there for, where they are in a package that is not
// main.
func Own(a API) API {
	a.own = true
	return a
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
	// KeyPrefix is that of keys that the plug-in has to itself in the database (Host.Store); "" for
	// none. It begins with a slash and a dot, which no resource does, and ends in a slash.
	KeyPrefix string
	// Configurable says that it takes a configuration (--admission-control-config-file).
	Configurable bool
	// New makes it, when every resource of the server is there and before the first request. The
	// Host is as for API.Extend, but its Resources are not to be changed any more. config is the
	// JSON of the configuration, nil if there is none.
	New func(ctx context.Context, h *Host, config []byte) (admission.Plugin, error)
}

// names are what the parts of the API are called.
func (a API) names() []string {
	var names []string
	for _, r := range a.Resources {
		names = append(names, r.GroupResource().Resource)
	}
	return append(names, a.Virtual...)
}

// StorageConfig is what a program's own storage is told when it is opened.
type StorageConfig struct {
	// DataDir is the directory of --data-dir. It may not be there yet.
	DataDir string
	// Log is the server's.
	Log *slog.Logger
}
