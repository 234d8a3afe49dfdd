// Package storesuite runs the storage suites of k8s.io/apiserver, unchanged, over our stores.
//
// The files that are not tests are the adapter: a storage.Interface of Kubernetes on one of ours. It translates
// objects, options, errors and events, and keeps nothing between two calls, so that what a suite finds is about the
// store. Start reading at Store; suite_test.go says what runs over what, README.md what does not run and why.
package storesuite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	// Unreadable is how many unreadable objects a list names before it gives up; with 0 the first one ends it.
	Unreadable int
}

var _ peer.Interface = (*Store)(nil)

var versioner = peer.APIObjectVersioner{}

// key is our key for one of Kubernetes. The segment that is empty in the key of an object without a namespace is left out.
func (s *Store) key(key string) (string, error) {
	key, err := peer.PrepareKey(s.Prefix, key, false)
	return strings.ReplaceAll(key, "//", "/"), err
}

// selection is what a list or a watch is about. A key of Kubernetes may end in a slash: it is that of no object.
func (s *Store) selection(key string, recursive bool) (string, error) {
	if recursive {
		key, err := peer.PrepareKey(s.Prefix, key, true)
		return strings.ReplaceAll(key, "//", "/"), err
	}
	key, err := s.key(key)
	return strings.TrimSuffix(key, "/"), err
}

func (s *Store) decode(e storage.Entry) (runtime.Object, error) {
	if e.Err != nil {
		return nil, translate(e.Err)
	}
	obj := s.New()
	return obj, s.into(obj, e, nil)
}

// match decodes an entry and asks a predicate about it.
func (s *Store) match(e storage.Entry, predicate peer.SelectionPredicate) (runtime.Object, bool, error) {
	obj, err := s.decode(e)
	if err != nil {
		return nil, false, err
	}
	ok, err := predicate.Matches(obj)
	return obj, ok, err
}

// into ends a method: it puts what the store answered into out, which may be nil.
func (s *Store) into(out runtime.Object, e storage.Entry, err error) error {
	if err != nil || e.Err != nil || out == nil {
		return translate(err)
	}
	if err := runtime.DecodeInto(s.Codec, e.Value, out); err != nil {
		return err
	}
	return versioner.UpdateObject(out, uint64(e.Revision))
}

// lifetime is what goes with a write of an object that shall disappear by itself, in seconds.
func lifetime(ttl *uint64) []storage.Op {
	if ttl == nil || *ttl == 0 {
		return nil
	}
	return []storage.Op{storage.Lifetime(time.Duration(*ttl) * time.Second)}
}

func (s *Store) encode(obj runtime.Object) ([]byte, error) {
	if err := versioner.PrepareObjectForStorage(obj); err != nil {
		return nil, err
	}
	return runtime.Encode(s.Codec, obj)
}

// translate makes the error of Kubernetes that says the same; one that is not of a store stays as it is.
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

// Versioner and all that follow implement storage.Interface.
func (s *Store) Versioner() peer.Versioner { return versioner }

func (s *Store) Create(ctx context.Context, key string, obj, out runtime.Object, ttl uint64) error {
	key, err := s.key(key)
	if err != nil {
		return err
	}
	if revision, err := versioner.ObjectResourceVersion(obj); err == nil && revision != 0 {
		return peer.ErrResourceVersionSetOnCreate
	}
	canonical, err := s.encode(obj)
	if err != nil {
		return err
	}
	e, err := s.Backend.Create(ctx, key, canonical, lifetime(&ttl)...)
	return s.into(out, e, err)
}

func (s *Store) Get(ctx context.Context, key string, opts peer.GetOptions, out runtime.Object) error {
	key, err := s.key(key)
	if err != nil {
		return err
	}
	revision, err := versioner.ParseResourceVersion(opts.ResourceVersion)
	if err != nil {
		return err
	}
	e, err := s.Backend.Get(ctx, key, storage.GetOptions{Any: opts.ResourceVersion != "", NotOlderThan: int64(revision)})
	if storage.CodeOf(err) == storage.CodeNotFound && opts.IgnoreNotFound {
		return runtime.SetZeroValue(out)
	}
	return s.into(out, e, err)
}

func (s *Store) Delete(ctx context.Context, key string, out runtime.Object, pre *peer.Preconditions, validate peer.ValidateObjectFunc, _ runtime.Object, opts peer.DeleteOptions) error {
	key, err := s.key(key)
	if err != nil {
		return err
	}
	e, err := s.Backend.Delete(ctx, key, func(current storage.Entry) ([]storage.Op, error) {
		obj, err := s.decode(current)
		if opts.ExpectTransformOrDecodeError && err == nil {
			return nil, peer.NewInvalidObjError(key, "the object can be read")
		}
		if opts.ExpectTransformOrDecodeError {
			return nil, validate(ctx, nil)
		}
		if err == nil {
			err = pre.Check(key, obj)
		}
		if err != nil {
			return nil, err
		}
		return nil, validate(ctx, obj)
	})
	return s.into(out, e, err)
}

func (s *Store) GuaranteedUpdate(ctx context.Context, key string, out runtime.Object, ignoreNotFound bool, pre *peer.Preconditions, try peer.UpdateFunc, _ runtime.Object) error {
	key, err := s.key(key)
	if err != nil {
		return err
	}
	change := func(current storage.Entry) (canonical []byte, _ []storage.Op, err error) {
		obj, ttl := s.New(), (*uint64)(nil)
		if current.Key != "" {
			obj, err = s.decode(current)
		}
		if err == nil {
			err = pre.Check(key, obj)
		}
		if err == nil {
			obj, ttl, err = try(obj, peer.ResponseMeta{ResourceVersion: uint64(current.Revision)})
		}
		if err == nil {
			canonical, err = s.encode(obj)
		}
		return canonical, lifetime(ttl), err
	}
	e, err := s.Backend.GuaranteedUpdate(ctx, key, change)
	if storage.CodeOf(err) == storage.CodeNotFound && ignoreNotFound {
		canonical, with, cerr := change(storage.Entry{})
		if err = cerr; err == nil {
			e, err = s.Backend.Create(ctx, key, canonical, with...)
		}
		if storage.CodeOf(err) == storage.CodeExists { // somebody else came first: then it is an update
			return s.GuaranteedUpdate(ctx, key, out, ignoreNotFound, pre, try, nil)
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

func (s *Store) ReadinessCheck() error { return nil }

func (s *Store) RequestWatchProgress(ctx context.Context) error { return s.Progress(ctx) }

func (s *Store) GetCurrentResourceVersion(ctx context.Context) (uint64, error) {
	revision, err := s.Backend.Revision(ctx)
	return uint64(revision), translate(err)
}

func (s *Store) EnableResourceSizeEstimation(peer.KeysFunc) error { return nil }

func (s *Store) CompactRevision() int64 { return s.Compacted() }
