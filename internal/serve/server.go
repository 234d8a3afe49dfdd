package serve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/keyprefix"
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
	// Storage opens a storage of the program's own, in which all objects are kept, in place of etcd;
	// nil: there is none. The watch cache stands in front of it as it does in front of etcd. The
	// commands migrate and import open it, too: one that bears a single process refuses the second.
	// What works on an etcd only is refused: inspect, backup and restore, and the flags of a
	// cluster.
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
