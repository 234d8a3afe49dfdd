package registry

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/selection"
	"github.com/typeplane/typeplane/registry/internal/view"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/trace"
)

// maxPage is the most entries that are read at once to find those that a selector wants.
const maxPage = 10_000

// checkEvery is how many entries are compared with a selector before it is looked whether anybody
// still waits for them.
const checkEvery = 256

// Get reads one object. Without a resourceVersion it is the newest, with "0" any, with a number one
// that is not older.
func (e *endpoint) Get(ctx context.Context, name rest.Name, opts metav1.GetOptions) (rest.View, error) {
	ctx, step := trace.Begin(ctx, "read")
	entry, err := e.get(ctx, name, opts)
	step.End(err)
	if err != nil {
		return nil, err
	}
	return e.View(entry), nil
}

func (e *endpoint) get(ctx context.Context, name rest.Name, opts metav1.GetOptions) (storage.Entry, error) {
	key, err := e.Key(name)
	if err != nil {
		return storage.Entry{}, err
	}
	revision, err := selection.Revision(opts.ResourceVersion)
	if err != nil {
		return storage.Entry{}, err
	}
	entry, err := e.backend.Get(ctx, key, storage.GetOptions{
		Any:          opts.ResourceVersion != "",
		NotOlderThan: revision,
	})
	if err != nil {
		return storage.Entry{}, apistatus.Of(err, "get", e.resource, name.Name)
	}
	return entry, nil
}

// List reads a collection, or a page of it.
func (e *endpoint) List(ctx context.Context, namespace string, opts metav1.ListOptions) (rest.View, error) {
	ctx, step := trace.Begin(ctx, "read")
	list, err := e.page(ctx, namespace, opts)
	step.End(err)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// page is List with a result that can be looked into.
func (e *endpoint) page(ctx context.Context, namespace string, opts metav1.ListOptions) (*view.List, error) {
	sel, sc, err := selection.Of(e.Version, e.Keys, namespace, opts)
	if err != nil {
		return nil, err
	}
	query, err := selection.NewQuery(opts, sc.Prefix)
	if err != nil {
		return nil, err
	}
	list := e.NewList()
	if err := e.collect(ctx, sc, sel, query, list); err != nil {
		return nil, e.listError(err, sc, query, opts)
	}
	return list, nil
}

// collect fills list with what q and the selector want. That is one page of the store when there is
// no selector, else as many of one revision as it takes to reach the limit.
func (e *endpoint) collect(ctx context.Context, sc selection.Scope, sel *selection.Selector, q storage.ListOptions, list *view.List) error {
	limit := q.Limit
	sc.Narrow(&q, sel)
	for {
		page, err := e.backend.List(ctx, sc.Selection, q)
		if err != nil {
			return err
		}
		list.Meta.ResourceVersion = storage.FormatRevision(page.Revision)
		if sel.Empty() {
			return e.fillPage(page, sc, list)
		}
		if err := apistatus.Unreadable(page, sc.Has); err != nil {
			return err
		}
		for i, entry := range page.Entries {
			if i%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			ok, err := e.wanted(*entry, sc, sel)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			list.Entries = append(list.Entries, entry)
			more := !sc.Single() && (i+1 < len(page.Entries) || page.Remaining > 0)
			if int64(len(list.Entries)) == limit && more {
				list.Meta.Continue = sc.Next(entry.Key, page.Revision)
				return nil
			}
		}
		if page.Remaining == 0 || sc.Single() || len(page.Entries) == 0 {
			return nil
		}
		q.Match, q.Revision = storage.Exact, page.Revision
		q.Start = page.Entries[len(page.Entries)-1].Key + "\x00"
		q.Limit = min(2*q.Limit, maxPage)
	}
}

// wanted says whether the scope and the selector want an entry. One that can't be read is the
// store's error: nobody knows.
func (e *endpoint) wanted(entry storage.Entry, sc selection.Scope, sel *selection.Selector) (bool, error) {
	if !sc.Has(entry.Key) {
		return false, nil
	}
	if entry.Err != nil {
		return false, entry.Err
	}
	ok, err := sel.Matches(entry)
	if err != nil {
		return false, apierrors.NewInternalError(err)
	}
	return ok, nil
}

// fillPage takes a page of the store as it is.
func (e *endpoint) fillPage(page storage.Page, sc selection.Scope, list *view.List) error {
	if err := apistatus.Unreadable(page, sc.Has); err != nil {
		return err
	}
	list.Entries = page.Entries
	if n := len(page.Entries); page.Remaining > 0 && n > 0 {
		remaining := page.Remaining
		list.Meta.Continue = sc.Next(page.Entries[n-1].Key, page.Revision)
		list.Meta.RemainingItemCount = &remaining
	}
	return nil
}

// listError is statusOf, with a way on for a client that was in the middle of a list.
func (e *endpoint) listError(err error, sc selection.Scope, q storage.ListOptions, opts metav1.ListOptions) error {
	if storage.CodeOf(err) != storage.CodeCompacted {
		return apistatus.Of(err, "list", e.resource, "")
	}
	if opts.Continue == "" {
		return apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	status := apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.")
	status.ErrStatus.ListMeta.Continue = sc.Anew(q.Start)
	return status
}
