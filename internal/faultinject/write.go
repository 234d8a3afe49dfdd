package faultinject

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// How long a bug is blind: what is looked at first and used later has this time to change, or to go
// and come again.
const (
	while     = 60 * time.Millisecond
	longWhile = 300 * time.Millisecond
)

// recreate is Create with the bug that the name of an object which waits for its finalizers is
// free.
func (s *store) recreate(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	entry, err := s.Interface.Create(ctx, key, value, with...)
	if storage.CodeOf(err) != storage.CodeExists {
		return entry, err
	}
	return s.Interface.GuaranteedUpdate(ctx, key, func(current storage.Entry) ([]byte, []storage.Op, error) {
		if meta, readErr := wire.ReadMeta(current.Value); readErr != nil || !meta.Deleting {
			return nil, nil, err
		}
		return value, with, nil
	})
}

// lonely is what Uncharged and LateCreate leave of the operations that go with a create.
func (s *store) lonely(with []storage.Op) []storage.Op {
	switch {
	case len(with) == 0:
	case s.bug == Uncharged && s.count.Add(1)%8 == 0:
		return slices.DeleteFunc(slices.Clone(with), func(o storage.Op) bool { return o.Act == storage.Put })
	case s.bug == LateCreate:
		time.Sleep(while)
		return nil
	}
	return with
}

// forgetting has the bug that there seems to be nothing.
type forgetting struct{ rest.Lister }

func (f forgetting) List(ctx context.Context, namespace string, opts metav1.ListOptions) (rest.View, error) {
	opts.LabelSelector = "remembered=yes"
	return f.Lister.List(ctx, namespace, opts)
}

// rememberedUpdate takes what it wrote last for what is there, if that is a reason to write nothing
// on top of it.
func (s *store) rememberedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	if last, ok := s.wrote.Load(key); ok {
		last := last.(storage.Entry)
		value, _, err := try(last)
		switch {
		case err != nil && s.bug == StaleRefusal:
			return storage.Entry{}, err
		case err == nil && s.bug == StaleTouch && bytes.Equal(value, last.Value):
			return last, nil
		}
	}
	entry, err := s.Interface.GuaranteedUpdate(ctx, key, try)
	if err == nil {
		s.wrote.Store(key, entry)
	}
	return entry, err
}

// hastyDelete checks what is there at first, and removes whatever is there then.
func (s *store) hastyDelete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	current, err := s.Interface.Get(ctx, key, storage.GetOptions{})
	if err != nil {
		return storage.Entry{}, err
	}
	if check == nil {
		return s.Interface.Delete(ctx, key, nil)
	}
	with, err := check(current)
	if err != nil {
		return storage.Entry{}, err
	}
	time.Sleep(while)
	return s.Interface.Delete(ctx, key, func(storage.Entry) ([]storage.Op, error) { return with, nil })
}

// applying has a bug of apply patches.
type applying struct {
	rest.Patcher
	bug Bug
}

func (a applying) Patch(ctx context.Context, req *rest.Request, name rest.Name, patch rest.Patch, opts metav1.PatchOptions) (rest.View, bool, error) {
	if patch.Type != types.ApplyYAMLPatchType {
		return a.Patcher.Patch(ctx, req, name, patch, opts)
	}
	yes := true
	if a.bug == StolenField {
		opts.Force = &yes
	}
	view, created, err := a.Patcher.Patch(ctx, req, name, patch, opts)
	if a.bug == AppliedOnConflict && apierrors.IsConflict(err) {
		opts.Force = &yes
		_, _, _ = a.Patcher.Patch(ctx, req, name, patch, opts)
	}
	return view, created, err
}

// wet has the bug that a dry run is none.
type wet struct{ rest.Deleter }

func (w wet) Delete(ctx context.Context, req *rest.Request, name rest.Name, opts metav1.DeleteOptions) (rest.View, error) {
	opts.DryRun = nil
	return w.Deleter.Delete(ctx, req, name, opts)
}

// collecting has a bug of deleted collections.
type collecting struct {
	list   rest.Lister
	delete rest.Deleter
	bug    Bug
}

func (c collecting) DeleteCollection(ctx context.Context, req *rest.Request, namespace string, opts metav1.DeleteOptions, list metav1.ListOptions) (rest.View, error) {
	view, err := c.list.List(ctx, namespace, list)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := view.WriteTo(&text, rest.Representation{MediaType: rest.JSON}); err != nil {
		return nil, err
	}
	var listed metav1.PartialObjectMetadataList
	if err := json.Unmarshal(text.Bytes(), &listed); err != nil {
		return nil, err
	}
	time.Sleep(longWhile)
	for _, item := range listed.Items {
		if c.bug == CollectionSkips {
			// Whoever has written meanwhile keeps the object, although it is the object that was in
			// the list.
			opts.Preconditions = &metav1.Preconditions{ResourceVersion: &item.ResourceVersion}
		}
		_, err := c.delete.Delete(ctx, req, rest.Name{Namespace: item.Namespace, Name: item.Name}, opts)
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return nil, err
		}
	}
	return view, nil
}
