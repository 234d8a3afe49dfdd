package garbage

import (
	"context"
	"encoding/json"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// fieldManager is who wrote what the collector writes.
const fieldManager = "garbage-collector"

// disown takes the references to some owners out of an object.
func (c *collector) disown(ctx context.Context, it item, meta *wire.Meta, uids []string) error {
	var keep []metav1.OwnerReference
	for ref := range meta.OwnerReferences() {
		if !slices.Contains(uids, ref.UID) {
			keep = append(keep, reference(ref))
		}
	}
	return c.patch(ctx, it, meta, "ownerReferences", keep)
}

// unblock lets the owners of an object go before it.
func (c *collector) unblock(ctx context.Context, it item, meta *wire.Meta) error {
	var all []metav1.OwnerReference
	for ref := range meta.OwnerReferences() {
		ref.BlockOwnerDeletion = false
		all = append(all, reference(ref))
	}
	return c.patch(ctx, it, meta, "ownerReferences", all)
}

// takeOff takes a finalizer off an object.
func (c *collector) takeOff(ctx context.Context, it item, meta *wire.Meta, finalizer string) error {
	var keep []string
	for f := range meta.Finalizers() {
		if f != finalizer {
			keep = append(keep, f)
		}
	}
	return c.patch(ctx, it, meta, "finalizers", keep)
}

// reference is ref as it is written.
func reference(ref wire.OwnerReference) metav1.OwnerReference {
	yes := true
	r := metav1.OwnerReference{APIVersion: ref.APIVersion, Kind: ref.Kind, Name: ref.Name, UID: types.UID(ref.UID)}
	if ref.Controller {
		r.Controller = &yes
	}
	if ref.BlockOwnerDeletion {
		r.BlockOwnerDeletion = &yes
	}
	return r
}

// patch sets a field of the metadata of an object, if it is still as it was seen.
func (c *collector) patch(ctx context.Context, it item, meta *wire.Meta, field string, value any) error {
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": meta.UID, "resourceVersion": meta.ResourceVersion, field: value}})
	if err != nil {
		return err
	}
	_, _, err = c.kinds[it.kind].Patch.Patch(ctx, new(rest.Request), it.name,
		rest.Patch{Type: types.MergePatchType, Bytes: body}, metav1.PatchOptions{FieldManager: fieldManager})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case apierrors.IsConflict(err):
		return errChanged
	}
	return err
}
