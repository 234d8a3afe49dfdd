// Package storesuite runs the storage suites of k8s.io/apiserver, unchanged, over our stores.
//
// The files that are not tests are the adapter: a storage.Interface of Kubernetes on one of ours.
// It translates objects, options, errors and events, and keeps nothing between two calls, so that
// what a suite finds is about the store. Start reading at Store; suite_test.go says what runs over
// what, README.md what does not run and why.
package storesuite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	peer "k8s.io/apiserver/pkg/storage"

	"github.com/typeplane/typeplane/storage"
)

// Store is a storage.Interface of Kubernetes, for one resource. Its fields stay as they are.
type Store struct {
	Backend   storage.Interface
	Progress  func(context.Context) error // asks for bookmarks on watches
	Codec     runtime.Codec               // makes and reads the canonical value of objects
	Prefix    string                      // where the keys of the resource begin: "/pods/"
	New       func() runtime.Object       // makes an object without content
	Compacted func() int64                // the revision up to which history is forgotten
	// Where is what a selector lets a store narrow a list or a watch by; nil if that is nothing.
	Where func(peer.SelectionPredicate) *storage.Where
	// Unreadable is how many unreadable objects a list names before it gives up; 0: none.
	Unreadable int
}

var _ peer.Interface = (*Store)(nil)
var versioner = peer.APIObjectVersioner{}

// path is our key for one of Kubernetes, without the empty segment where there is no namespace.
func path(key string) string { return strings.ReplaceAll(key, "//", "/") }

// into ends a method: it puts what the store answered, if that has a key, into out, if not nil.
func (s *Store) into(out runtime.Object, e storage.Entry, err error) error {
	if err != nil || e.Err != nil || e.Key == "" || out == nil {
		return translate(err)
	}
	return cmp.Or(runtime.DecodeInto(s.Codec, e.Value, out), versioner.UpdateObject(out, uint64(e.Revision)))
}

// decode makes the object of an entry: one without content, if it can't.
func (s *Store) decode(e storage.Entry) (runtime.Object, error) {
	obj := s.New()
	return obj, cmp.Or(translate(e.Err), s.into(obj, e, nil))
}

// match decodes an entry and asks a predicate about it.
func (s *Store) match(e storage.Entry, predicate peer.SelectionPredicate) (obj runtime.Object, ok bool, err error) {
	if obj, err = s.decode(e); err == nil {
		ok, err = predicate.Matches(obj)
	}
	return obj, ok, err
}

// encode is what the store is to write for an object, which disappears after ttl seconds, if any.
func (s *Store) encode(obj runtime.Object, ttl *uint64, err error) (canonical []byte, with []storage.Op, _ error) {
	if err == nil {
		err = versioner.PrepareObjectForStorage(obj)
	}
	if err != nil {
		return nil, nil, err
	}
	if ttl != nil && *ttl != 0 {
		with = append(with, storage.Lifetime(time.Duration(*ttl)*time.Second))
	}
	canonical, err = runtime.Encode(s.Codec, obj)
	return canonical, with, err
}

// translate makes the error of Kubernetes that says the same, if it is the error of a store.
func translate(err error) error {
	var e *storage.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case storage.CodeNotFound:
		return peer.NewKeyNotFoundError(e.Key, e.Current)
	case storage.CodeExists:
		return peer.NewKeyExistsError(e.Key, e.Current)
	case storage.CodeCorrupt:
		return peer.NewInternalError(fmt.Errorf("unable to transform key %q: %w", e.Key, e.Err))
	case storage.CodeCompacted:
		return apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	case storage.CodeFuture:
		return peer.NewTooLargeResourceVersionError(uint64(e.Revision), uint64(e.Current), 0)
	}
	return err
}

func readError(message string, causes ...metav1.StatusCause) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
		Reason: metav1.StatusReasonStoreReadError, Message: message, Details: &metav1.StatusDetails{Causes: causes}}}
}

// Create and all that follow, and Watch, implement storage.Interface.
func (s *Store) Create(ctx context.Context, key string, obj, out runtime.Object, ttl uint64) error {
	if revision, err := versioner.ObjectResourceVersion(obj); err == nil && revision != 0 {
		return peer.ErrResourceVersionSetOnCreate
	}
	canonical, with, err := s.encode(obj, &ttl, nil)
	if err != nil {
		return err
	}
	e, err := s.Backend.Create(ctx, path(key), canonical, with...)
	return s.into(out, e, err)
}

func (s *Store) Get(ctx context.Context, key string, opts peer.GetOptions, out runtime.Object) error {
	revision, err := versioner.ParseResourceVersion(opts.ResourceVersion)
	if err != nil {
		return err
	}
	e, err := s.Backend.Get(ctx, path(key), storage.GetOptions{Any: opts.ResourceVersion != "", NotOlderThan: int64(revision)})
	if storage.CodeOf(err) == storage.CodeNotFound && opts.IgnoreNotFound {
		return runtime.SetZeroValue(out)
	}
	return s.into(out, e, err)
}

func (s *Store) Delete(ctx context.Context, key string, out runtime.Object, pre *peer.Preconditions, validate peer.ValidateObjectFunc, _ runtime.Object, opts peer.DeleteOptions) error {
	e, err := s.Backend.Delete(ctx, path(key), func(current storage.Entry) ([]storage.Op, error) {
		obj, err := s.decode(current)
		if err == nil && opts.ExpectTransformOrDecodeError {
			return nil, peer.NewInvalidObjError(key, "the object can be read")
		}
		if err == nil {
			err = pre.Check(key, obj)
		}
		if err != nil && !opts.ExpectTransformOrDecodeError {
			return nil, err
		}
		return nil, validate(ctx, obj)
	})
	return s.into(out, e, err)
}

func (s *Store) GuaranteedUpdate(ctx context.Context, key string, out runtime.Object, ignoreNotFound bool, pre *peer.Preconditions, try peer.UpdateFunc, _ runtime.Object) error {
	change := func(current storage.Entry) ([]byte, []storage.Op, error) {
		obj, err := s.decode(current)
		if err == nil {
			err = pre.Check(key, obj)
		}
		if err != nil {
			return nil, nil, err
		}
		return s.encode(try(obj, peer.ResponseMeta{ResourceVersion: uint64(current.Revision)}))
	}
	e, err := s.Backend.GuaranteedUpdate(ctx, path(key), change)
	if storage.CodeOf(err) == storage.CodeNotFound && ignoreNotFound {
		canonical, with, cerr := change(storage.Entry{})
		if cerr != nil {
			return cerr
		}
		if e, err = s.Backend.Create(ctx, path(key), canonical, with...); storage.CodeOf(err) == storage.CodeExists {
			return s.GuaranteedUpdate(ctx, key, out, ignoreNotFound, pre, try, nil) // somebody else came first: it is an update
		}
	}
	return s.into(out, e, err)
}

func (s *Store) Stats(ctx context.Context) (peer.Stats, error) {
	page, err := s.Backend.List(ctx, s.Prefix, storage.ListOptions{})
	size, count := 0, len(page.Entries)
	for _, e := range page.Entries {
		size += len(e.Value)
	}
	return peer.Stats{ObjectCount: int64(count), EstimatedAverageObjectSizeBytes: int64(size / max(1, count))}, translate(err)
}

func (s *Store) GetCurrentResourceVersion(ctx context.Context) (uint64, error) {
	revision, err := s.Backend.Revision(ctx)
	return uint64(revision), translate(err)
}

// query is what a list or a watch is about. A key that ends in a slash is no object's.
func (s *Store) query(key string, opts peer.ListOptions) (selection string, q storage.ListOptions, err error) {
	selection = strings.TrimSuffix(path(key), "/")
	if opts.Recursive {
		selection += "/"
	}
	exact, start, err := peer.ValidateListOptions(selection, versioner, opts)
	if err != nil {
		return "", q, err
	}
	q = storage.ListOptions{Start: start, Limit: opts.Predicate.Limit, Where: s.Where(opts.Predicate)}
	floor, err := versioner.ParseResourceVersion(opts.ResourceVersion)
	switch {
	case exact > 0:
		q.Match, q.Revision = storage.Exact, exact
	case floor > 0:
		q.Match, q.Revision = storage.NotOlderThan, int64(floor)
	case opts.ResourceVersion == "0" && start == "":
		q.Match = storage.Any
	}
	return selection, q, err
}

// GetList asks for pages until it has what the selector wants. What came before an error is kept.
func (s *Store) GetList(ctx context.Context, key string, opts peer.ListOptions, out runtime.Object) (err error) {
	selection, q, err := s.query(key, opts)
	if err != nil {
		return err
	}
	var items []runtime.Object
	defer func() { err = cmp.Or(err, meta.SetList(out, items)) }()
	var unread []metav1.StatusCause
	for {
		page, err := s.Backend.List(ctx, selection, q)
		if storage.CodeOf(err) == storage.CodeCompacted && opts.Predicate.Continue != "" { // there is a way on
			expired := apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result.")
			expired.ErrStatus.ListMeta.Continue, err = peer.EncodeContinue(q.Start, selection, -1)
			return cmp.Or[error](err, expired)
		}
		if err != nil {
			return translate(err)
		}
		for i, e := range page.Entries {
			q.Start = e.Key
			obj, ok, err := s.match(*e, opts.Predicate)
			if err != nil {
				fatal := s.Unreadable == 0 || !peer.IsCorruptObject(err)
				if fatal && len(unread) == 0 {
					return err
				}
				unread = append(unread, metav1.StatusCause{Type: metav1.CauseTypeUnexpectedServerResponse, Field: e.Key, Message: err.Error()})
				if len(unread) == s.Unreadable {
					unread = append(unread, metav1.StatusCause{Type: metav1.CauseTypeTooMany, Message: "too many errors, the list is truncated"})
				}
				if fatal || len(unread) > s.Unreadable {
					return readError("objects can't be read", unread...)
				}
			}
			if ok {
				items = append(items, obj)
			}
			if ok && int64(len(items)) == opts.Predicate.Limit {
				page.Remaining += int64(len(page.Entries[i+1:]))
				break
			}
		}
		if page.Remaining > 0 && int64(len(items)) != opts.Predicate.Limit {
			q.Match, q.Revision = storage.Exact, page.Revision
			q.Start, q.Limit = q.Start+"\x00", 2*q.Limit
			continue
		}
		if len(unread) > 0 {
			return readError("objects can't be read", unread...)
		}
		token, rest, err := peer.PrepareContinueToken(q.Start, selection, page.Revision, opts.Predicate.Limit+page.Remaining, page.Remaining > 0, opts)
		return cmp.Or(err, versioner.UpdateList(out, uint64(page.Revision), token, rest))
	}
}

func (s *Store) Versioner() peer.Versioner                        { return versioner }
func (s *Store) ReadinessCheck() error                            { return nil }
func (s *Store) RequestWatchProgress(ctx context.Context) error   { return s.Progress(ctx) }
func (s *Store) EnableResourceSizeEstimation(peer.KeysFunc) error { return nil }
func (s *Store) CompactRevision() int64                           { return s.Compacted() }
