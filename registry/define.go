package registry

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/keyprefix"
	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// Definition is everything about a resource that is known when a program is written. T is the hub
// type, a pointer.
type Definition[T runtime.Object] struct {
	// GroupKind is the hub's name in the Scheme. Its group is in the keys of the stored objects.
	GroupKind schema.GroupKind
	// Plural is the name in paths and keys ("books"), Singular what users may type for one.
	// Singular "" is the kind in lower case.
	Plural, Singular string
	// ShortNames and Categories are those in the hub's own group. In the groups of other versions
	// the kind has none.
	ShortNames []string
	Categories []string
	Namespaced bool
	// KeyPrefix is where the objects lie, below the root and without slashes at its ends
	// ("services/specs"); "" is Kubernetes' own choice for its kinds, and <group>/<plural> for all
	// others.
	KeyPrefix string
	// StorageVersion is the version in which objects are stored unless Options say otherwise.
	StorageVersion schema.GroupVersion
	// Versions are the served ones. They may be of several groups.
	Versions []schema.GroupVersion
	// CopyStatus copies the status of an object into another one, which may then share its memory.
	// Where it is set, the kind has a status subresource, and the status can be written there only.
	// A new object begins without one, and an update keeps the one that is stored. Its strategy may
	// still set it.
	CopyStatus func(from, to T)
	// Subresources are those of the author, besides status, scale and finalize.
	Subresources []Subresource[T]
	Strategy     Strategy[T]
}

// Resource is a Definition without its type. It is immutable; its methods may be called from any
// goroutine.
type Resource struct {
	groupKind schema.GroupKind
	plural    string
	keyPrefix string
	// namespaced says that objects are in namespaces.
	namespaced bool
	versions   []schema.GroupVersion
	version    func(Options) schema.GroupVersion
	without    func([]schema.GroupVersion) Resource
	bind       func(*canonical.Codec, Options, storage.Interface) ([]rest.Resource, error)
	importers  func(*canonical.Codec, Options, storage.Interface) ([]Importer, error)
	codec      func(*runtime.Scheme, Options) (*canonical.Codec, error)
}

// Define makes a Resource of a definition. What is wrong with it is reported by Form and Serve,
// which see the Scheme.
func Define[T runtime.Object](def Definition[T]) Resource {
	return define(untyped(def))
}

func define(def definition) Resource {
	def.Versions = slices.Clone(def.Versions)
	def.ShortNames = slices.Clone(def.ShortNames)
	def.Categories = slices.Clone(def.Categories)
	def.Subresources = slices.Clone(def.Subresources)
	if def.Singular == "" {
		def.Singular = strings.ToLower(def.GroupKind.Kind)
	}
	return Resource{
		groupKind:  def.GroupKind,
		plural:     def.Plural,
		keyPrefix:  keyprefix.Of(def.GroupKind.Group, def.Plural, def.KeyPrefix),
		versions:   def.Versions,
		version:    func(opts Options) schema.GroupVersion { return storageVersion(def, opts) },
		without:    func(gone []schema.GroupVersion) Resource { return define(without(def, gone)) },
		namespaced: def.Namespaced,
		codec: func(scheme *runtime.Scheme, opts Options) (*canonical.Codec, error) {
			if err := check(def, scheme, opts); err != nil {
				return nil, err
			}
			c, err := canonical.NewCodec(scheme, def.GroupKind, storageVersion(def, opts), opts.StorageMediaType)
			if err == nil {
				c.Written = opts.Written
			}
			return c, err
		},
		bind: func(c *canonical.Codec, opts Options, backend storage.Interface) ([]rest.Resource, error) {
			return newStore(def, c, opts, backend).resources()
		},
		importers: func(c *canonical.Codec, opts Options, backend storage.Interface) ([]Importer, error) {
			return newStore(def, c, opts, backend).importers()
		},
	}
}

// GroupKind is the name of the hub.
func (r Resource) GroupKind() schema.GroupKind { return r.groupKind }

// GroupResource is the name of the stored objects: the hub's group and the plural.
func (r Resource) GroupResource() schema.GroupResource {
	return schema.GroupResource{Group: r.groupKind.Group, Resource: r.plural}
}

// Versions are the served ones, in the order of the Definition.
func (r Resource) Versions() []schema.GroupVersion { return slices.Clone(r.versions) }

// Without returns the resource without some of its versions. If the storage version is one of them,
// the first that is left takes its place. A resource that has none left can't be served.
func (r Resource) Without(versions ...schema.GroupVersion) Resource { return r.without(versions) }

func without(def definition, gone []schema.GroupVersion) definition {
	def.Versions = slices.DeleteFunc(slices.Clone(def.Versions), func(gv schema.GroupVersion) bool { return slices.Contains(gone, gv) })
	if slices.Contains(gone, def.StorageVersion) && len(def.Versions) > 0 {
		def.StorageVersion = def.Versions[0]
	}
	return def
}

// KeyPrefix is the prefix of all keys of the resource, with a slash at its end. Those of two
// resources of a server may neither be the same nor one inside the other.
func (r Resource) KeyPrefix() string { return r.keyPrefix }

// PlainKeyPrefix is the prefix that the resource had before it got one of its own, and KeyPrefix if
// it has none.
func (r Resource) PlainKeyPrefix() string { return keyprefix.Plain(r.groupKind.Group, r.plural) }

// StorageVersion is the version in which objects are stored with the options.
func (r Resource) StorageVersion(opts Options) schema.GroupVersion { return r.version(opts) }

// Form returns how values of the resource lie in the database. The error joins all that is wrong
// with the definition and the options.
func (r Resource) Form(scheme *runtime.Scheme, opts Options) (storage.Form, error) {
	c, err := r.codec(scheme, opts)
	if err != nil {
		return storage.Form{}, err
	}
	return c.Form(), nil
}

// Serve returns the resource in each of its served versions, in the order of the Definition, and
// behind them their subresources. The store was made with Form of the same scheme and options.
func (r Resource) Serve(scheme *runtime.Scheme, backend storage.Interface, opts Options) ([]rest.Resource, error) {
	c, err := r.codec(scheme, opts)
	if err != nil {
		return nil, err
	}
	return r.bind(c, opts, backend)
}

// defaulted makes the hub of an object of a version that was sent: with the defaults of the
// version, and with those that only the storage version has. So whoever looks at the hub sees what
// will be stored, also of fields that the version has no word for. The result may share memory with
// obj, which is not to be used any more.
func (s *store) defaulted(kind *runtime.Kind, obj runtime.Object) (runtime.Object, error) {
	kind.Default(obj)
	return s.toHub(kind, obj)
}

// toHub makes an object of the hub of one that has the defaults of its version, and fills in what
// the storage version's defaults add.
func (s *store) toHub(kind *runtime.Kind, obj runtime.Object) (runtime.Object, error) {
	hub, err := kind.ToHub(obj)
	if err != nil || kind == s.codec.Storage || !s.codec.Storage.Defaults() {
		return hub, err
	}
	stored, err := s.codec.FromHub(hub)
	if err != nil {
		return hub, err
	}
	return s.codec.Storage.ToHub(stored)
}

// deepCopy copies an object of a strategy.
func (s *store) deepCopy(obj runtime.Object) runtime.Object { return s.codec.Storage.CopyHub(obj) }

func storageVersion(def definition, opts Options) schema.GroupVersion {
	if !opts.StorageVersion.Empty() {
		return opts.StorageVersion
	}
	return def.StorageVersion
}

// check reports everything that is wrong with a definition for a scheme.
func check(def definition, scheme *runtime.Scheme, opts Options) error {
	var mistakes []error
	bad := func(format string, args ...any) {
		mistakes = append(mistakes, fmt.Errorf("resource %q of kind %s: "+format, append([]any{def.Plural, def.GroupKind}, args...)...))
	}
	hub, err := scheme.NewHub(def.GroupKind)
	if err != nil {
		bad("the scheme has no such hub: declare it with runtime.AddHub")
		return errors.Join(mistakes...)
	}
	if def.hubType != reflect.TypeOf(hub) {
		bad("its hub type is %T, the definition is for %s", hub, def.hubType)
	} else if problem := checkColumns(&def.Strategy, hub, scheme.KindsOfHub(def.GroupKind)); problem != "" {
		bad("%s", problem)
	}
	if _, err := storage.Join(def.Plural); err != nil || def.Plural != strings.ToLower(def.Plural) {
		bad("the plural must be a lower-case path segment, like books")
	}
	has := func(gv schema.GroupVersion) *runtime.Kind {
		for _, k := range scheme.KindsOfHub(def.GroupKind) {
			if k.GroupVersionKind().GroupVersion() == gv {
				return k
			}
		}
		return nil
	}
	if def.KeyPrefix != "" {
		if err := keyprefix.Check(def.KeyPrefix); err != nil {
			bad("the key prefix %q can't be: %v", def.KeyPrefix, err)
		}
	}
	if len(def.Versions) == 0 {
		bad("no version is served: set Versions")
	}
	for i, gv := range def.Versions {
		if has(gv) == nil {
			bad("version %s is not one of its hub: add it with runtime.AddVersion, or leave it out", gv)
		}
		if slices.Contains(def.Versions[:i], gv) {
			bad("version %s is served twice: leave one out", gv)
		}
	}
	gv := storageVersion(def, opts)
	if has(gv) == nil {
		bad("the storage version %q is not one of its hub: choose one of %s", gv, names(scheme.KindsOfHub(def.GroupKind)))
	}
	checkSubresources(&def, bad)
	switch opts.StorageMediaType {
	case "", rest.Protobuf, rest.JSON:
	default:
		bad("objects can't be stored as %q: choose %s or %s", opts.StorageMediaType, rest.Protobuf, rest.JSON)
	}
	return errors.Join(mistakes...)
}

func names(kinds []*runtime.Kind) string {
	var s []string
	for _, k := range kinds {
		s = append(s, k.GroupVersionKind().GroupVersion().String())
	}
	return strings.Join(s, ", ")
}

// checkColumns says what is wrong with the columns of a strategy whose kind is in these versions,
// "" if nothing is.
func checkColumns(strategy *Strategy[runtime.Object], hub runtime.Object, kinds []*runtime.Kind) string {
	if problem := runtime.CheckColumns(strategy.Columns, strategy.Cells, func() runtime.Object { return hub }); problem != "" || strategy.Cells == nil {
		return problem
	}
	for _, k := range kinds {
		if len(k.Columns()) > 0 {
			return "its Strategy has Columns and so has version " + k.GroupVersionKind().GroupVersion().String() + ": leave one of them out"
		}
	}
	return ""
}

// definition is a Definition without its type.
type definition struct {
	Definition[runtime.Object]
	hubType reflect.Type
}
