package etcd3_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

func clients(b *testing.B) map[string]*etcd3.Client {
	return map[string]*etcd3.Client{"inprocess": server.Client(), "socket": dial(b)}
}

func BenchmarkGet(b *testing.B) {
	for name, client := range clients(b) {
		b.Run(name, func(b *testing.B) {
			s := etcd3.New(client, etcd3.Config{Root: freshRoot()})
			must(s.Create(context.Background(), "/pods/a", make([]byte, 3600)))
			for b.Loop() {
				must(s.Get(context.Background(), "/pods/a", storage.GetOptions{}))
			}
		})
	}
}

func BenchmarkRevision(b *testing.B) {
	for name, client := range clients(b) {
		b.Run(name, func(b *testing.B) {
			s := etcd3.New(client, etcd3.Config{Root: freshRoot()})
			for b.Loop() {
				if _, err := s.Revision(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCreate(b *testing.B) {
	for name, client := range clients(b) {
		b.Run(name, func(b *testing.B) {
			s := etcd3.New(client, etcd3.Config{Root: freshRoot()})
			for i := 0; b.Loop(); i++ {
				must(s.Create(context.Background(), fmt.Sprintf("/pods/%d", i), make([]byte, 3600)))
			}
		})
	}
}

func BenchmarkList10000(b *testing.B) {
	for name, client := range clients(b) {
		b.Run(name, func(b *testing.B) {
			s := etcd3.New(client, etcd3.Config{Root: freshRoot()})
			for i := range 100 {
				var with []storage.Op
				for j := range 100 {
					with = append(with, storage.Op{Key: fmt.Sprintf("/pods/%02d-%02d", i, j), Value: make([]byte, 3600)})
				}
				must(s.Create(context.Background(), fmt.Sprintf("/other/%d", i), nil, with...))
			}
			for b.Loop() {
				page, err := s.List(context.Background(), "/pods/", storage.ListOptions{})
				if err != nil || len(page.Entries) != 10000 {
					b.Fatal(len(page.Entries), err)
				}
			}
		})
	}
}

func must(_ storage.Entry, err error) {
	if err != nil {
		panic(err)
	}
}
