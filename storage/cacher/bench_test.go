package cacher_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// filled is a cache of 10,000 entries of 3.6 KB in 100 namespaces, in front of an embedded etcd.
func filled(b *testing.B) *cacher.Cacher {
	b.Helper()
	ctx := context.Background()
	server, err := embedded.Start(ctx, embedded.Config{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(server.Close)
	source := etcd3.New(server.Client(), etcd3.Config{Root: "/registry"})
	for i := range 100 {
		var with []storage.Op
		for j := range 99 {
			with = append(with, storage.Op{Key: fmt.Sprintf("/pods/ns%02d/%02d", i, j), Value: make([]byte, 3600)})
		}
		if _, err := source.Create(ctx, fmt.Sprintf("/pods/ns%02d/99", i), make([]byte, 3600), with...); err != nil {
			b.Fatal(err)
		}
	}
	return start(b, cacher.Config{Source: source})
}

func BenchmarkReads(b *testing.B) {
	c, ctx := filled(b), context.Background()
	first := c.Stats().Revision
	for _, bm := range []struct {
		name string
		do   func() error
	}{
		{"get/linearizable", func() error { _, err := c.Get(ctx, "/pods/ns50/50", storage.GetOptions{}); return err }},
		{"get/any", func() error { _, err := c.Get(ctx, "/pods/ns50/50", storage.GetOptions{Any: true}); return err }},
		{"list/all", func() error { _, err := c.List(ctx, "/pods/", storage.ListOptions{}); return err }},
		{"list/namespace", func() error { _, err := c.List(ctx, "/pods/ns50/", storage.ListOptions{}); return err }},
		{"list/page", func() error {
			_, err := c.List(ctx, "/pods/", storage.ListOptions{Limit: 500, Start: "/pods/ns50/50", Match: storage.Exact, Revision: first})
			return err
		}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := bm.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFanOut(b *testing.B) {
	c, ctx := filled(b), context.Background()
	const watchers = 200
	var wg sync.WaitGroup
	for range watchers {
		w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: c.Stats().Revision})
		if err != nil {
			b.Fatal(err)
		}
		wg.Go(func() {
			defer w.Close()
			for {
				events, err := w.Next(ctx)
				if err != nil || string(events[len(events)-1].Entry.Value) == "end" {
					return
				}
			}
		})
	}
	value := make([]byte, 3600)
	set := func(v []byte) {
		if _, err := c.GuaranteedUpdate(ctx, "/pods/ns50/50", func(storage.Entry) ([]byte, []storage.Op, error) { return v, nil, nil }); err != nil {
			b.Fatal(err)
		}
	}
	i := 0
	for b.Loop() {
		i++
		v := append([]byte(nil), value...)
		copy(v, fmt.Sprint(i))
		set(v)
	}
	set([]byte("end"))
	wg.Wait()
}
