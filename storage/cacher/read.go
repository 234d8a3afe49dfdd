package cacher

import (
	"context"
	"strings"

	"github.com/typeplane/typeplane/storage"
)

// Get implements storage.Interface.
func (c *Cacher) Get(ctx context.Context, key string, opts storage.GetOptions) (storage.Entry, error) {
	if err := ctx.Err(); err != nil {
		return storage.Entry{}, err
	}
	if err := storage.CheckKey("get", key); err != nil {
		return storage.Entry{}, err
	}
	if !strings.HasPrefix(key, c.prefix) || !c.filled() {
		return c.source.Get(ctx, key, opts)
	}
	q := question{op: "get", key: key, latest: !opts.Any, floor: opts.NotOlderThan, cheap: true}
	s, err := c.stateFor(ctx, &q)
	if q.sourceAnswers(err) {
		return c.getFromSource(ctx, key, opts)
	}
	if err != nil {
		return storage.Entry{}, err
	}
	e, ok := s.tree.Get(key)
	switch {
	case !ok:
		return storage.Entry{}, &storage.Error{Code: storage.CodeNotFound, Op: "get", Key: key}
	case e.Err != nil:
		return storage.Entry{}, e.Err
	}
	return *e, nil
}

// List implements storage.Interface.
func (c *Cacher) List(ctx context.Context, selection string, opts storage.ListOptions) (storage.Page, error) {
	if err := ctx.Err(); err != nil {
		return storage.Page{}, err
	}
	if err := storage.CheckList(selection, opts); err != nil {
		return storage.Page{}, err
	}
	cheap := !storage.IsPrefix(selection) || opts.Limit > 0 && opts.Where == nil
	if !strings.HasPrefix(selection, c.prefix) || !c.filled() && cheap {
		return c.source.List(ctx, selection, opts)
	}
	q := question{op: "list", key: selection, latest: opts.Match == storage.Latest, floor: opts.Floor(), cheap: cheap && opts.Limit <= mostLate}
	s, err := c.stateFor(ctx, &q)
	if q.sourceAnswers(err) {
		return c.listFromSource(ctx, selection, opts)
	}
	if err != nil {
		return storage.Page{}, err
	}
	if opts.Match == storage.Exact && s.revision != opts.Revision {
		past := c.past(opts.Revision, s)
		if past == nil {
			return c.source.List(ctx, selection, opts)
		}
		s = past
	} else if opts.Where != nil && storage.IsPrefix(selection) {
		// An index that was made just now may be of a later state.
		if with := c.indexFor(opts.Where, s); opts.Match != storage.Exact || with.revision == s.revision {
			s = with
		}
	}
	if selection == c.prefix && opts.Start == "" && opts.Limit == 0 && opts.Where == nil {
		return c.listed.everything(s, selection), nil
	}
	return s.page(selection, opts), nil
}

// Count implements storage.Interface. It is of the state at hand.
func (c *Cacher) Count(ctx context.Context, selection string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := storage.CheckSelection("count", selection); err != nil {
		return 0, err
	}
	if !strings.HasPrefix(selection, c.prefix) || !c.filled() {
		return c.source.Count(ctx, selection)
	}
	s := c.current.Load()
	if c.overtaken(s) {
		return c.source.Count(ctx, selection)
	}
	return int64(s.rank(after(selection)) - s.rank(selection)), nil
}

// Weigh implements storage.Weigher. It takes entries to be equally large.
func (c *Cacher) Weigh(prefix string) (entries, bytes int64, ok bool) {
	if !strings.HasPrefix(prefix, c.prefix) || !storage.IsPrefix(prefix) || !c.filled() {
		return 0, 0, false
	}
	s := c.current.Load()
	all := s.tree.Len()
	if all == 0 || len(prefix) == len(c.prefix) {
		return int64(all), int64(s.bytes), true
	}
	some := s.rank(after(prefix)) - s.rank(prefix)
	return int64(some), int64(s.bytes) / int64(all) * int64(some), true
}

// Revision implements storage.Interface. Callers that come while a request is on its way share the
// next one.
func (c *Cacher) Revision(ctx context.Context) (int64, error) { return c.revision.get(ctx) }
