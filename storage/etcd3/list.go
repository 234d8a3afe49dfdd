package etcd3

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
)

// A list is read in ranges, for neither etcd nor the connection should hold all of a large prefix
// at once. Pages should not be small either, since etcd counts the whole rest of the prefix for
// each. The first has firstPage entries, the others as many as make about pageBytes, at most
// maxPage.
const (
	firstPage = 1000
	maxPage   = 10000
	pageBytes = 16 << 20
)

// rangeEnd is the first key behind a selection. Both have the root in front.
func rangeEnd(selection string) string {
	if storage.IsPrefix(selection) {
		return clientv3.GetPrefixRangeEnd(selection)
	}
	return selection + "\x00"
}

// List implements storage.Interface. Whatever opts.Match allows, a list that is not Exact is
// linearizable.
func (s *Store) List(ctx context.Context, selection string, opts storage.ListOptions) (storage.Page, error) {
	if err := ctx.Err(); err != nil {
		return storage.Page{}, err
	}
	if err := storage.CheckList(selection, opts); err != nil {
		return storage.Page{}, err
	}
	revision := int64(0) // etcd's name for the current one
	if opts.Match == storage.Exact {
		revision = opts.Revision
	}
	page, err := s.page(ctx, selection, opts, revision, firstPage)
	if opts.Match != storage.Exact && storage.CodeOf(err) == storage.CodeCompacted {
		// The state that was begun with is gone, but any newer one will do, and one range can't
		// lose it.
		page, err = s.page(ctx, selection, opts, 0, 0)
	}
	if err == nil && opts.Match != storage.Exact {
		err = s.unbarred(ctx, "list", selection)
	}
	return page, err
}

// page reads one page of the store at a revision (0: the current one), in ranges of size entries at
// first; 0 is all at once.
func (s *Store) page(ctx context.Context, selection string, opts storage.ListOptions, revision, size int64) (storage.Page, error) {
	start, end := s.root+max(selection, opts.Start), rangeEnd(s.root+selection)
	page := storage.Page{Entries: []*storage.Entry{}}
	reading := reader{store: s}
	defer reading.done.Wait()
	total, filled := int64(-1), 0
	for {
		if left := opts.Limit - int64(filled); opts.Limit > 0 && (size == 0 || left < size) {
			size = left
		}
		get := s.get
		if size == 0 {
			get = s.client.Get // nobody can say how long all of it may take
		}
		resp, err := get(ctx, start, clientv3.WithRange(end), clientv3.WithRev(revision), clientv3.WithLimit(size))
		if err != nil {
			return storage.Page{}, s.listError(ctx, selection, opts.Revision, err)
		}
		if total < 0 {
			if err := storage.CheckReached("list", selection, opts.Floor(), resp.Header.Revision); err != nil {
				return storage.Page{}, err
			}
			if revision == 0 {
				revision = resp.Header.Revision
			}
			total, page.Revision = resp.Count, revision
			if n := resp.Count; n > 0 {
				if opts.Limit > 0 {
					n = min(n, opts.Limit)
				}
				page.Entries = make([]*storage.Entry, n)
			}
		}
		reading.read(page.Entries[filled:], resp.Kvs)
		filled += len(resp.Kvs)
		full := opts.Limit > 0 && int64(filled) >= opts.Limit
		if full || !resp.More || len(resp.Kvs) == 0 {
			page.Remaining = total - int64(filled)
			page.Entries = page.Entries[:filled]
			return page, nil
		}
		bytes := 0
		for _, kv := range resp.Kvs {
			bytes += len(kv.Key) + len(kv.Value)
		}
		start = string(resp.Kvs[len(resp.Kvs)-1].Key) + "\x00"
		size = max(1, min(maxPage, pageBytes*int64(len(resp.Kvs))/int64(max(bytes, 1))))
	}
}

// listError translates the error of a range, and adds where etcd is.
func (s *Store) listError(ctx context.Context, selection string, asked int64, err error) error {
	err = readError(ctx, "list", selection, err)
	var e *storage.Error
	if errors.As(err, &e) && (e.Code == storage.CodeFuture || e.Code == storage.CodeCompacted) {
		e.Revision = asked
		current, rerr := s.Revision(ctx)
		if rerr != nil {
			return rerr
		}
		e.Current = current
	}
	return err
}

// Count implements storage.Interface. It is linearizable.
func (s *Store) Count(ctx context.Context, selection string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := storage.CheckSelection("count", selection); err != nil {
		return 0, err
	}
	start := s.root + selection
	resp, err := s.get(ctx, start, clientv3.WithRange(rangeEnd(start)), clientv3.WithCountOnly())
	if err != nil {
		return 0, readError(ctx, "count", selection, err)
	}
	return resp.Count, nil
}

// EachRevision implements storage.RevisionLister. It fetches no values.
func (s *Store) EachRevision(ctx context.Context, prefix string, revision int64, visit func(key string, modified int64)) error {
	start, end := s.root+prefix, rangeEnd(s.root+prefix)
	for {
		resp, err := s.get(ctx, start, clientv3.WithRange(end), clientv3.WithRev(revision), clientv3.WithLimit(maxPage), clientv3.WithKeysOnly())
		if err != nil {
			return s.listError(ctx, prefix, revision, err)
		}
		for _, kv := range resp.Kvs {
			visit(string(kv.Key[len(s.root):]), kv.ModRevision)
		}
		if !resp.More || len(resp.Kvs) == 0 {
			return nil
		}
		start = string(resp.Kvs[len(resp.Kvs)-1].Key) + "\x00"
	}
}
