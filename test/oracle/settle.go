package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// What happens when all faults are over: everything must work again, and everybody hold the same.

// settle waits until everything works again, writes to every key a last time, and returns what
// everyone holds then.
func (w *world) settle(ctx context.Context) ([]Final, error) {
	if w.etcd != nil {
		if err := w.etcd.WaitHealthy(ctx); err != nil {
			return nil, err
		}
	}
	if w.keeper != nil {
		if err := w.keeper.openAll(ctx, namesPerNamespace); err != nil {
			return nil, err
		}
	}
	d := w.driver(200)
	if err := d.writeAll(ctx); err != nil {
		return nil, err
	}
	resp, err := w.direct.Get(ctx, booksPrefix, clientv3.WithPrefix())
	if err != nil {
		return nil, err
	}
	etcd := Final{Of: "etcd", Revision: resp.Header.Revision}
	for _, kv := range resp.Kvs {
		object, err := w.oracle.object(kv)
		if err != nil {
			return nil, err
		}
		etcd.Items = append(etcd.Items, Item{Key: strings.TrimPrefix(string(kv.Key), booksPrefix), Revision: kv.ModRevision, Object: object})
	}
	if err := w.oracle.until(ctx, resp.Header.Revision); err != nil {
		return nil, err
	}
	finals := []Final{etcd}
	for _, s := range w.servers {
		for _, match := range []Match{Latest, Any} {
			final, err := d.final(ctx, &s.entrance, match)
			if err != nil {
				return nil, err
			}
			finals = append(finals, final)
		}
	}
	return finals, nil
}

// writeAll writes to every key, and to one object for each content that a scope may ask for: so
// there is something last that every watch must deliver.
func (d *driver) writeAll(ctx context.Context) error {
	var keys []string
	for _, namespace := range namespaces {
		for i := range namesPerNamespace {
			keys = append(keys, fmt.Sprintf("%s/book-%d", namespace, i))
		}
	}
	for i, key := range keys {
		if err := d.writeUntil(ctx, key, Content{Group: groups[i%len(groups)], Shelf: shelves[i%len(shelves)]}); err != nil {
			return err
		}
	}
	return nil
}

// writeUntil creates or changes an object until that has certainly succeeded.
func (d *driver) writeUntil(ctx context.Context, key string, c Content) error {
	for {
		s := d.entrance()
		c.Token = d.token()
		c.Title = lastTitle + c.Token
		if d.create(s, key, c) == OK {
			return nil
		}
		c.Token = d.token()
		c.Title = lastTitle + c.Token
		if d.change(s, Op{Verb: Patch, Version: d.version(), Key: key, Sent: c, Manager: d.manager()}, mergeType) == OK {
			return nil
		}
		if !pause(ctx, 20*time.Millisecond) {
			return fmt.Errorf("no write of %s succeeds any more: %w", key, ctx.Err())
		}
	}
}

// final lists everything that a server holds.
func (d *driver) final(ctx context.Context, s *entrance, match Match) (Final, error) {
	r := request{method: http.MethodGet, path: path(storedVersion, "")}
	if match == Any {
		r.query = map[string][]string{"resourceVersion": {"0"}}
	}
	for {
		op := Op{Verb: List, Query: Query{Match: match}}
		a := d.send(s, &op, r)
		if a.outcome == OK {
			d.tookList(&op, a)
		}
		d.recorder.op(op)
		if op.Outcome == OK {
			return Final{Of: fmt.Sprintf("server %d, %s", s.number, match), Revision: op.Revision, Items: op.Items}, nil
		}
		select {
		case <-ctx.Done():
			return Final{}, fmt.Errorf("server %d lists nothing any more: %s: %w", s.number, op.Message, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// awaitFollowers waits until every follower has an open stream that has delivered all that there is
// for it, or until ctx ends: then the check will say what is missing.
func (w *world) awaitFollowers(ctx context.Context) {
	v := newView(&History{Truth: w.oracle.known()})
	for _, f := range w.follows {
		for !f.upToDate(v) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

func (f *follower) upToDate(v *view) bool {
	scope := f.open.scope.Load()
	if scope == nil {
		return false
	}
	want := v.changes(*scope, 0)
	return len(want) == 0 || f.open.reached.Load() >= want[len(want)-1].revision
}

// members asks each member of etcd for its hash at the same revision.
func (w *world) members(ctx context.Context) ([]Member, error) {
	if w.etcd == nil {
		return nil, nil // there is nobody to compare with
	}
	var members []Member
	revision := w.oracle.last()
	for _, m := range w.etcd.Members() {
		resp, err := w.direct.HashKV(ctx, "unix://"+m.Socket(), revision)
		if err != nil {
			return nil, fmt.Errorf("hash of %s: %w", m.Name(), err)
		}
		members = append(members, Member{Name: m.Name(), Revision: revision, Hash: resp.Hash})
	}
	return members, nil
}
