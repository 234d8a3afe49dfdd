package cacher

import (
	"context"
	"errors"

	"github.com/typeplane/typeplane/storage"
)

// Source is a store with all that a cache uses of it. SourceOf makes one of any store.
type Source interface {
	storage.Interface
	storage.ProgressRequester
	storage.RevisionLister
	storage.KnownWriter
}

// SourceOf returns s if it has all methods of a Source; else s with those that it lacks made of
// those that every store has. RequestProgress can't be made: it is errors.ErrUnsupported then.
func SourceOf(s storage.Interface) Source {
	if source, ok := s.(Source); ok {
		return source
	}
	c := &completed{Interface: s}
	c.progress, _ = s.(storage.ProgressRequester)
	c.revisions, _ = s.(storage.RevisionLister)
	c.known, _ = s.(storage.KnownWriter)
	return c
}

// completed is a store that lacks some methods of a Source. The others are in its fields.
type completed struct {
	storage.Interface
	progress  storage.ProgressRequester
	revisions storage.RevisionLister
	known     storage.KnownWriter
}

func (c *completed) RequestProgress(ctx context.Context) error {
	if c.progress == nil {
		return errors.ErrUnsupported
	}
	return c.progress.RequestProgress(ctx)
}

// pageSize is how many entries are read at once where only their revisions are wanted.
const pageSize = 500

func (c *completed) EachRevision(ctx context.Context, prefix string, revision int64, visit func(key string, modified int64)) error {
	if c.revisions != nil {
		return c.revisions.EachRevision(ctx, prefix, revision, visit)
	}
	opts := storage.ListOptions{Match: storage.Exact, Revision: revision, Limit: pageSize}
	for {
		page, err := c.List(ctx, prefix, opts)
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			visit(e.Key, e.Revision)
		}
		if page.Remaining == 0 {
			return nil
		}
		opts.Start = page.Entries[len(page.Entries)-1].Key + "\x00"
	}
}

func (c *completed) UpdateKnown(ctx context.Context, known storage.Entry, try storage.TryUpdate) (storage.Entry, error) {
	if c.known == nil {
		return c.GuaranteedUpdate(ctx, known.Key, try)
	}
	return c.known.UpdateKnown(ctx, known, try)
}

func (c *completed) DeleteKnown(ctx context.Context, known storage.Entry, check storage.CheckDelete) (storage.Entry, error) {
	if c.known == nil {
		return c.Delete(ctx, known.Key, check)
	}
	return c.known.DeleteKnown(ctx, known, check)
}
