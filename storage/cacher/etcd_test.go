package cacher_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
	"github.com/typeplane/typeplane/storage/storagetest"
)

func TestStoreOnEtcd(t *testing.T) {
	t.Parallel()
	const progress = 100 * time.Millisecond
	server, err := embedded.Start(context.Background(), embedded.Config{Dir: t.TempDir(), ProgressInterval: progress, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	client, ctx, n := server.Client(), context.Background(), 0
	storagetest.Run(t, func(t *testing.T) storagetest.Backend {
		n++
		root := fmt.Sprintf("/test%d", n)
		return storagetest.Backend{
			Open: func(form storage.Form) storage.Interface {
				return start(t, cacher.Config{Source: etcd3.New(client, etcd3.Config{Root: root, Form: form})})
			},
			Put: func(key string, raw []byte) int64 {
				resp, err := client.Put(ctx, root+key, string(raw))
				if err != nil {
					t.Errorf("put %s: %v", key, err)
					return 0
				}
				return resp.Header.Revision
			},
			Get: func(key string) ([]byte, int64) {
				resp, err := client.Get(ctx, root+key)
				if err != nil {
					t.Errorf("get %s: %v", key, err)
				}
				if err != nil || len(resp.Kvs) == 0 {
					return nil, 0
				}
				return resp.Kvs[0].Value, resp.Kvs[0].ModRevision
			},
			Compact: func(revision int64) {
				if _, err := client.Compact(ctx, revision); err != nil {
					t.Fatal(err)
				}
			},
			Remembers:      true,
			ProgressWithin: 2 * progress,
		}
	})
}
