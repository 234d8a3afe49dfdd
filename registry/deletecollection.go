package registry

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// deletePage is how many objects are read before they are deleted.
const deletePage = 500

// DeleteCollection deletes one by one what a list with the same options returns, and answers with
// those objects as they were before. With a limit it is one page of them, and the answer says where
// the next one begins and how many are left. The first error ends it; what was deleted until then
// stays deleted.
func (e *endpoint) DeleteCollection(ctx context.Context, req *rest.Request, namespace string, opts metav1.DeleteOptions, list metav1.ListOptions) (rest.View, error) {
	deleted := e.NewList()
	onePage := list.Limit > 0
	if !onePage {
		list.Limit = deletePage
	}
	for {
		page, err := e.page(ctx, namespace, list)
		if err != nil {
			return nil, err
		}
		for _, entry := range page.Entries {
			gone, err := e.deleteListed(ctx, req, *entry, opts)
			if err != nil {
				return nil, err
			}
			if !gone {
				deleted.Entries = append(deleted.Entries, entry)
			}
		}
		if deleted.Meta.ResourceVersion == "" {
			deleted.Meta.ResourceVersion = page.Meta.ResourceVersion
		}
		if onePage || page.Meta.Continue == "" {
			deleted.Meta.Continue, deleted.Meta.RemainingItemCount = page.Meta.Continue, page.Meta.RemainingItemCount
			return deleted, nil
		}
		list.Continue, list.ResourceVersion, list.ResourceVersionMatch = page.Meta.Continue, "", ""
	}
}

// deleteListed deletes an object that was in a list. gone says that there was nothing left to
// delete.
func (e *endpoint) deleteListed(ctx context.Context, req *rest.Request, entry storage.Entry, opts metav1.DeleteOptions) (gone bool, err error) {
	ours := opts.Preconditions == nil
	if ours {
		// Somebody may have put another object there since. That one was not in the list.
		meta, err := wire.ReadMeta(entry.Value)
		if err != nil {
			return false, apierrors.NewInternalError(err)
		}
		uid := types.UID(strings.Clone(meta.UID))
		opts.Preconditions = &metav1.Preconditions{UID: &uid}
	}
	_, err = e.Delete(ctx, req, e.NameOf(entry.Key), opts)
	if other := (otherObjectError{}); apierrors.IsNotFound(err) || ours && errors.As(err, &other) {
		return true, nil
	}
	return false, err
}
