package garbage

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/features/internal/reader"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// owners is what has become of those that an object names, by UID.
type owners struct {
	solid   []string // they are there
	gone    []string // there is no such object
	waiting []string // they are being deleted, and wait for their dependents
}

// errUnverifiable says that nobody can tell whether an owner is there. Its dependent stays.
var errUnverifiable = errors.New("the owner can't be looked up")

// ownersOf looks up all owners of an object.
func (c *collector) ownersOf(ctx context.Context, it item, meta *wire.Meta) (o owners, err error) {
	for ref := range meta.OwnerReferences() {
		owner, found, err := c.owner(ctx, it, ref)
		switch {
		case err != nil:
			return o, err
		case !found:
			o.gone = append(o.gone, ref.UID)
		case owner.Deleting && hasFinalizer(&owner, metav1.FinalizerDeleteDependents):
			o.waiting = append(o.waiting, ref.UID)
		default:
			o.solid = append(o.solid, ref.UID)
		}
	}
	return o, nil
}

// owner reads the metadata of an owner. What is in memory is enough to know that it is there: its
// deletion will be told. That it is not there, only the database can say.
func (c *collector) owner(ctx context.Context, it item, ref wire.OwnerReference) (meta wire.Meta, found bool, err error) {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	k := c.byKind[schema.GroupKind{Group: gv.Group, Kind: ref.Kind}]
	if err != nil || k == nil {
		c.reportUnknown(it, ref)
		return meta, false, errUnverifiable
	}
	name := rest.Name{Name: ref.Name}
	if k.Namespaced {
		name.Namespace = it.name.Namespace
	}
	if k.Namespaced && name.Namespace == "" {
		c.reportNamespace(ctx, it, ref)
		return meta, false, errUnverifiable
	}
	if len(content.IsPathSegmentName(ref.Name)) > 0 {
		return meta, false, nil
	}
	for _, live := range []bool{false, true} {
		meta, found, err = k.get(ctx, name, live)
		if err != nil || found && meta.UID == ref.UID {
			return meta, found, err
		}
	}
	if namespace, ok := c.graph.namespaceOf(uidOf(ref.UID)); ok && k.Namespaced && namespace != name.Namespace {
		c.reportNamespace(ctx, it, ref)
	}
	return meta, false, nil
}

// get reads the metadata of an object. live asks the database.
func (k *kind) get(ctx context.Context, name rest.Name, live bool) (meta wire.Meta, found bool, err error) {
	view, err := k.Get.Get(ctx, name, reader.Options(live))
	if apierrors.IsNotFound(err) {
		return meta, false, nil
	}
	if err == nil {
		meta, err = read(view)
	}
	if err != nil {
		err = fmt.Errorf("read %s %s: %w", k.Name, name.Name, err)
	}
	return meta, err == nil, err
}

func hasFinalizer(meta *wire.Meta, name string) bool {
	for f := range meta.Finalizers() {
		if f == name {
			return true
		}
	}
	return false
}
