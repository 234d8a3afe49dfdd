package etcd3_test

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

// progress is the shortest interval that etcd allows. It is one per process, so every server here is given it.
const progress = 100 * time.Millisecond

// server is the one etcd of this package's tests; each test has a root of its own on it.
var (
	server *embedded.Server
	roots  atomic.Int64
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "etcd3")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		server, err = embedded.Start(context.Background(), embedded.Config{Dir: dir, ProgressInterval: progress, NoSync: true})
		if err != nil {
			panic(err)
		}
		defer server.Close()
		return m.Run()
	}())
}

func freshRoot() string { return fmt.Sprintf("/test%d", roots.Add(1)) }

// dial returns a client that talks to the server over its socket.
func dial(t testing.TB) *etcd3.Client {
	client, err := etcd3.Dial(context.Background(), etcd3.DialConfig{Endpoints: []string{"unix://" + server.Socket()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func backend(t *testing.T, client *etcd3.Client) storagetest.Backend {
	root, ctx := freshRoot(), context.Background()
	return storagetest.Backend{
		Open: func(form storage.Form) storage.Interface {
			return etcd3.New(client, etcd3.Config{Root: root, Form: form})
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
		ProgressWithin: 2 * progress,
	}
}

func TestInProcess(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storagetest.Backend { return backend(t, server.Client()) })
}

func TestSocket(t *testing.T) {
	client := dial(t)
	storagetest.Run(t, func(t *testing.T) storagetest.Backend { return backend(t, client) })
}
