package storesuite

import (
	"context"
	"net/http"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	peer "k8s.io/apiserver/pkg/storage"

	"github.com/typeplane/typeplane/storage"
)

// maxPage is the most entries that are asked for at once to find those that a selector wants.
const maxPage = 10_000

// query translates what Kubernetes says about revisions and pages.
func query(selection string, opts peer.ListOptions) (storage.ListOptions, error) {
	q := storage.ListOptions{}
	exact, start, err := peer.ValidateListOptions(selection, versioner, opts)
	if err != nil {
		return q, err
	}
	if storage.IsPrefix(selection) {
		q.Start, q.Limit = start, opts.Predicate.Limit
	}
	floor, err := versioner.ParseResourceVersion(opts.ResourceVersion)
	switch {
	case exact > 0:
		q.Match, q.Revision = storage.Exact, exact
	case floor > 0:
		q.Match, q.Revision = storage.NotOlderThan, int64(floor)
	case opts.ResourceVersion == "0" && start == "":
		q.Match = storage.Any
	}
	return q, err
}

func (s *Store) GetList(ctx context.Context, key string, opts peer.ListOptions, out runtime.Object) error {
	selection, err := s.selection(key, opts.Recursive)
	if err != nil {
		return err
	}
	q, err := query(selection, opts)
	if err != nil {
		return err
	}
	q.Where = s.Where(opts.Predicate)
	pointer, err := meta.GetItemsPtr(out)
	if err != nil {
		return err
	}
	items := reflect.ValueOf(pointer).Elem()
	items.Set(reflect.MakeSlice(items.Type(), 0, 0))
	var unread []metav1.StatusCause
	for {
		page, err := s.Backend.List(ctx, selection, q)
		if err != nil {
			return listError(err, selection, q, opts)
		}
		for i, e := range page.Entries {
			obj, ok, err := s.match(e, opts.Predicate)
			if err != nil {
				goOn := s.Unreadable > 0 && peer.IsCorruptObject(err)
				if !goOn && len(unread) == 0 {
					return err
				}
				unread = append(unread, metav1.StatusCause{Type: metav1.CauseTypeUnexpectedServerResponse, Field: e.Key, Message: err.Error()})
				if !goOn {
					return readError("objects can't be read", unread...)
				}
				if len(unread) == s.Unreadable {
					truncated := metav1.StatusCause{Type: metav1.CauseTypeTooMany, Message: "too many errors, the list is truncated"}
					return readError("objects can't be read", append(unread, truncated)...)
				}
				continue
			}
			if ok {
				items.Set(reflect.Append(items, reflect.ValueOf(obj).Elem()))
			}
			rest := int64(len(page.Entries)-i-1) + page.Remaining
			if limit := opts.Predicate.Limit; ok && int64(items.Len()) == limit && rest > 0 {
				token, remaining, err := peer.PrepareContinueToken(e.Key, selection, page.Revision, limit+rest, true, opts)
				if err != nil {
					return err
				}
				return versioner.UpdateList(out, uint64(page.Revision), token, remaining)
			}
		}
		if page.Remaining == 0 || len(page.Entries) == 0 {
			if len(unread) > 0 {
				return readError("objects can't be read", unread...)
			}
			return versioner.UpdateList(out, uint64(page.Revision), "", nil)
		}
		q.Match, q.Revision = storage.Exact, page.Revision
		q.Start, q.Limit = page.Entries[len(page.Entries)-1].Key+"\x00", min(2*q.Limit, maxPage)
	}
}

// listError is translate, with a way on for who is in the middle of a list.
func listError(err error, selection string, q storage.ListOptions, opts peer.ListOptions) error {
	if storage.CodeOf(err) != storage.CodeCompacted || opts.Predicate.Continue == "" {
		return translate(err)
	}
	expired := apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result.")
	expired.ErrStatus.ListMeta.Continue, err = peer.EncodeContinue(q.Start, selection, -1)
	if err != nil {
		return err
	}
	return expired
}

func readError(message string, causes ...metav1.StatusCause) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
		Reason: metav1.StatusReasonStoreReadError, Message: message, Details: &metav1.StatusDetails{Causes: causes}}}
}
