// Package etcd3test gives the storage suite an etcd to run over: to storage/etcd3 itself, and to
// what stands in front of it. Start reading at Start. What it keeps is gone when the test ends, and
// a crash of the machine may take it before.
package etcd3test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
	"github.com/typeplane/typeplane/storage/storagetest"
)

// Progress is how long a watch may be quiet before etcd says how far it is: the shortest time that
// etcd allows. It is one per process, so every etcd in the process of a test that uses this package
// is given it.
const Progress = 100 * time.Millisecond

// roots is how many there are in this process.
var roots atomic.Int64

// Start runs an etcd until the test ends, and returns a client for it, which the test does not
// close.
func Start(t testing.TB) *etcd3.Client {
	t.Helper()
	dir, err := os.MkdirTemp("", "etcd3") // t.TempDir is too long a path for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	server, err := Open(embedded.Config{Dir: dir, ProgressInterval: Progress, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server.Client()
}

// Backend returns a fresh root of client's etcd, and that root's name. over makes what is tested of
// a store on the root. Backends of one etcd are used one after the other: compaction is a matter of
// all of it.
func Backend(t testing.TB, client *etcd3.Client, over func(*etcd3.Store) storage.Interface) (b storagetest.Backend, root string) {
	root, ctx := fmt.Sprintf("/suite%d", roots.Add(1)), context.Background()
	return storagetest.Backend{
		Open: func(form storage.Form) storage.Interface {
			return over(etcd3.New(client, etcd3.Config{Root: root, Form: form}))
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
		ProgressWithin: 2 * Progress,
	}, root
}
