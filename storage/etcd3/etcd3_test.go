package etcd3_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/typeplane/typeplane/internal/etcd3test"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
	"github.com/typeplane/typeplane/storage/storagetest"
)

// progress is one per process, so every server here is given it.
const progress = etcd3test.Progress

// server is the one etcd of this package's tests; each test has a root of its own on it.
var (
	server *etcd3test.Server
	roots  atomic.Int64
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "etcd3")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		server, err = etcd3test.Open(embedded.Config{Dir: dir, ProgressInterval: progress, NoSync: true})
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
	client, err := etcd3.Dial(context.Background(), etcd3.DialConfig{Endpoints: []string{server.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func suite(client *etcd3.Client) storagetest.Factory {
	return func(t *testing.T) storagetest.Backend {
		b, _ := etcd3test.Backend(t, client, func(s *etcd3.Store) storage.Interface { return s })
		return b
	}
}

func TestInProcess(t *testing.T) { storagetest.Run(t, suite(server.Client())) }

func TestSocket(t *testing.T) { storagetest.Run(t, suite(dial(t))) }
