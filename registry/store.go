package registry

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/keyprefix"
	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/internal/owners"
	"github.com/typeplane/typeplane/registry/internal/selection"
	"github.com/typeplane/typeplane/registry/internal/subresource"
	"github.com/typeplane/typeplane/registry/internal/view"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// store is one resource over a backend, in all its versions. Its verbs are methods of endpoint,
// which is a store seen through one version.
type store struct {
	def     definition
	codec   *canonical.Codec
	schemas *ownership.Schemas
	// admission is asked about every write; nil: nobody is.
	admission *admission.Chain
	collected bool
	with      []storage.Op // goes with every write of an object
	backend   storage.Interface
	selection.Keys
	metadata metadata.Rules
}

// endpoint serves a store in one version. It implements the verbs of package rest.
type endpoint struct {
	*store
	view.Factory
	resource schema.GroupResource
	// subresource is the part of the objects that the endpoint writes, "" for the objects
	// themselves.
	subresource string
	wholly      bool // the subresource is the author's, who may change all of the object
	// writes is the function of a Part, nil for all else.
	writes func(ctx context.Context, obj, sent runtime.Object) error
	rules  *subresource.Rules
	owners owners.Owners
}

func newStore(def definition, c *canonical.Codec, opts Options, backend storage.Interface) *store {
	var with []storage.Op
	if opts.Lifetime > 0 {
		with = []storage.Op{storage.Lifetime(opts.Lifetime)}
	}
	return &store{
		with:      with,
		def:       def,
		codec:     c,
		schemas:   opts.Schemas,
		admission: opts.Admission,
		collected: opts.Collected,
		backend:   backend,
		Keys:      selection.Keys{Prefix: keyprefix.Of(def.GroupKind.Group, def.Plural, def.KeyPrefix), Namespaced: def.Namespaced},
		metadata: metadata.Rules{
			Namespaced: def.Namespaced, Generation: !def.Strategy.NoGeneration,
			ValidateName: def.Strategy.ValidateName, Now: time.Now,
		},
	}
}

// resources returns the store as the HTTP layer sees it, once for each version.
func (s *store) resources() ([]rest.Resource, error) {
	var served, parts []rest.Resource
	for _, gv := range s.def.Versions {
		kind, err := s.codec.KindIn(gv)
		if err != nil {
			return nil, err
		}
		e := &endpoint{
			store:    s,
			Factory:  s.factory(kind),
			resource: schema.GroupResource{Group: gv.Group, Resource: s.def.Plural},
		}
		var reset []ownership.Path
		if s.def.CopyStatus != nil {
			reset = append(reset, ownership.Path{subresourceStatus})
		}
		reset = append(reset, s.resetFields("")...)
		if e.owners, err = e.ownersBy("", reset...); err != nil {
			return nil, fmt.Errorf("resource %q: %w", s.def.Plural, err)
		}
		main := rest.Resource{
			GroupVersion:     gv,
			Kind:             kind.GroupVersionKind().Kind,
			ListKind:         kind.ListKind().Kind,
			Name:             s.def.Plural,
			Singular:         s.def.Singular,
			Namespaced:       s.def.Namespaced,
			StorageVersion:   s.codec.Storage.GroupVersionKind().GroupVersion(),
			Get:              e,
			List:             e,
			Watch:            e,
			Create:           e,
			Update:           e,
			Delete:           e,
			Patch:            e,
			PatchTypes:       e.patchTypes(),
			DeleteCollection: e,
			Documents:        !kind.Protobuf(),
			Texts:            !kind.Protobuf() || kind.Validates(),
			Misread:          e.misread,
			Deprecated:       kind.Deprecated(),
			Weigh:            s.weigh,
		}
		if s.def.Strategy.Deletion.Expires != nil {
			main.Ends = e.ends
		}
		// The same objects in another group would make a short name ambiguous, and be there twice
		// in a category.
		if gv.Group == s.def.GroupKind.Group {
			main.ShortNames, main.Categories = s.def.ShortNames, s.def.Categories
		}
		served = append(served, main)
		mine, err := e.subresources(main)
		if err != nil {
			return nil, fmt.Errorf("resource %q: %w", s.def.Plural, err)
		}
		parts = append(parts, mine...)
	}
	return append(served, parts...), nil
}

// ownersBy keeps track of who owns fields by writes to a part of the objects.
func (e *endpoint) ownersBy(subresource string, reset ...ownership.Path) (owners.Owners, error) {
	return owners.New(e.schemas, e.codec.Scheme, e.Version, subresource, reset...)
}

// factory is what answers look like in the version of kind.
func (s *store) factory(kind *runtime.Kind) view.Factory {
	strategy := &s.def.Strategy
	return view.NewFactory(s.codec.Version(kind, strategy.Decorate), view.NewColumns(strategy.Columns, strategy.Cells, kind))
}

// resetFields are those that the strategy says a write to a subresource does not change.
func (s *store) resetFields(subresource string) []ownership.Path {
	var paths []ownership.Path
	for _, path := range s.def.Strategy.ResetFields[subresource] {
		paths = append(paths, strings.Split(path, "."))
	}
	return paths
}

// patchTypes are the patches that objects of the version take.
func (e *endpoint) patchTypes() []types.PatchType {
	list := []types.PatchType{types.JSONPatchType, types.MergePatchType, types.StrategicMergePatchType}
	if e.owners.Tracked() {
		list = append(list, types.ApplyYAMLPatchType)
	}
	return list
}

// The last segments of the paths of subresources.
const (
	subresourceStatus = "status"
	subresourceScale  = "scale"
	// subresourceFinalize is where those who clean up say that they are done.
	subresourceFinalize = "finalize"
)

// decodeCurrent is decodeHub for an object that others get to see as it is stored: with its
// resourceVersion.
func (s *store) decodeCurrent(entry storage.Entry) (runtime.Object, error) {
	hub, err := s.codec.DecodeHub(entry)
	if err == nil {
		runtime.Meta(hub).ResourceVersion = storage.FormatRevision(entry.Revision)
	}
	return hub, err
}
