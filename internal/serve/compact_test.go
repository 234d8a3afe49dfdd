package serve

import (
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// TestCompactionFlag: a cluster's etcd is compacted as often as the flag says, and not at all
// with 0.
func TestCompactionFlag(t *testing.T) {
	etcd, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), History: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	options := NewOptions("library").Store
	options.EtcdServers = []string{"unix://" + etcd.Socket()}
	d, err := Server{}.openDatabase(t.Context(), &options, func(string) {}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.close() })
	d.compact(0)
	if d.compactor != nil {
		t.Error("0 compacts")
	}
	d.compact(50 * time.Millisecond)
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		revision, err := etcd3.Compacted(t.Context(), d.client)
		if err != nil {
			t.Fatal(err)
		}
		if revision > 0 {
			return
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("nothing was compacted")
		}
	}
}
