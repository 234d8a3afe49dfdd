package database

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/keyprefix"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/suggest"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/encryption"
)

// Kinds is what is known of the objects of a server, and how they are stored: the server itself and
// its commands go by the same.
type Kinds struct {
	Scheme    *runtime.Scheme
	Resources []registry.Resource
	Options   []registry.Options // of the resource with the same index
	// Overrides are the resources among them that have an etcd of their own.
	Overrides []program.EtcdOverride
	// Encryption is nil where values lie in etcd as they are.
	Encryption *encryption.Encryption
	onlyOwn    bool // Encryption is what the server has made for itself
}

// NewKinds returns those of a server that is joined, in the forms that the options choose.
func NewKinds(s program.Server, o *program.StoreOptions) (*Kinds, error) {
	scheme, err := program.NewScheme(s)
	if err != nil {
		return nil, err
	}
	versions, err := storageVersions(s, scheme, o.Versions)
	if err != nil {
		return nil, err
	}
	k := &Kinds{Scheme: scheme, Resources: s.Resources}
	for _, r := range s.Resources {
		opts := registry.Options{StorageVersion: versions[r.GroupResource()], Written: new(registry.Written), StorageMediaType: rest.MediaType(o.MediaType)}
		if kind, err := scheme.Kind(r.StorageVersion(opts).WithKind(r.GroupKind().Kind)); err == nil && !kind.Protobuf() {
			opts.StorageMediaType = rest.JSON
		}
		k.Options = append(k.Options, opts)
	}
	if k.Overrides, err = program.ParseEtcdOverrides(o.EtcdOverrides); err != nil {
		return nil, err
	}
	return k, k.checkOverrides(o.EtcdOverrides)
}

// checkOverrides refuses an etcd for what is not served.
func (k *Kinds) checkOverrides(items []string) error {
	var names []string
	for _, r := range k.Resources {
		names = append(names, overrideName(r.GroupResource()))
	}
	var errs []error
	for n, item := range items {
		name, _, _ := strings.Cut(item, "#")
		if slices.Contains(names, name) {
			continue
		}
		cure := "choose of " + strings.Join(names, ", ")
		if near := suggest.Nearest(name, names); near != "" {
			cure = "did you mean " + near + "?"
		}
		errs = append(errs, fmt.Errorf("--etcd-servers-overrides: item %d, %q: no resource %s is stored by this server; %s", n+1, item, name, cure))
	}
	return errors.Join(errs...)
}

// overrideName is what a resource is called in --etcd-servers-overrides.
func overrideName(r schema.GroupResource) string { return r.Group + "/" + r.Resource }

// only are the kinds of some of the resources. What they say of these they have in common with k.
func (k *Kinds) only(want func(registry.Resource) bool) *Kinds {
	some := *k
	some.Resources, some.Options = nil, nil
	for i, r := range k.Resources {
		if want(r) {
			some.Resources, some.Options = append(some.Resources, r), append(some.Options, k.Options[i])
		}
	}
	return &some
}

// AllKinds are the kinds of the server with all of its APIs: tools read whatever it may have
// stored.
func AllKinds(s program.Server, o *program.StoreOptions) (*Kinds, error) {
	all, _, err := program.Join(s, nil)
	if err != nil {
		return nil, err
	}
	return NewKinds(all, o)
}

// OwnKinds are the kinds of the program itself, without those that the operator may choose.
func OwnKinds(s program.Server, o *program.StoreOptions) (*Kinds, error) {
	own, _, err := program.Join(s, []string{program.NoAPIs})
	if err != nil {
		return nil, err
	}
	return NewKinds(own, o)
}

// Unlock opens the encryption that the options name, for one who reads for a while. What it returns
// closes it again.
func (k *Kinds) Unlock(o *program.StoreOptions, log *slog.Logger) (lock func(), err error) {
	lock, err = k.OpenEncryption(o, log)
	if err == nil {
		k.StartEncryption(nil) // without it a KMS plug-in's key is good for three minutes only
	}
	return lock, err
}

// Form returns how the values of the resource with this index lie in etcd.
func (k *Kinds) Form(i int, root string) (storage.Form, error) {
	return k.CachedForm(i, root, nil)
}

// CachedForm is form with the WriteCache of a cache inside it, below the encryption.
func (k *Kinds) CachedForm(i int, root string, writes *cacher.WriteCache) (storage.Form, error) {
	form, err := k.Resources[i].Form(k.Scheme, k.Options[i])
	if err != nil {
		return storage.Form{}, err
	}
	if writes != nil {
		form = writes.Form(form)
	}
	return encryptedForm(k.Encryption, root, k.Resources[i], form), nil
}

// CheckPrefixes refuses two resources that would keep their objects in the same place, or one among
// those of the other.
func CheckPrefixes(s program.Server) error {
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
func storageVersions(s program.Server, scheme *runtime.Scheme, items []string) (map[schema.GroupResource]schema.GroupVersion, error) {
	overrides, err := program.ParseStorageVersions(items)
	if err != nil {
		return nil, err
	}
	chosen := map[schema.GroupResource]schema.GroupVersion{}
	var errs []error
	for _, o := range overrides {
		fits := false
		for _, r := range s.Resources {
			if o.AppliesTo(r.GroupResource()) && slices.Contains(storable(scheme, r), o.Version) {
				chosen[r.GroupResource()] = o.Version
				fits = true
			}
		}
		if !fits {
			errs = append(errs, fmt.Errorf("--storage-versions: %q fits no resource; choose of %s", o.Item, strings.Join(choices(s, scheme), ", ")))
		}
	}
	return chosen, errors.Join(errs...)
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
func choices(s program.Server, scheme *runtime.Scheme) []string {
	var out []string
	for _, r := range s.Resources {
		for _, gv := range storable(scheme, r) {
			out = append(out, r.GroupResource().String()+"="+gv.String())
		}
	}
	return out
}
