package database

import (
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/program"
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
	options := program.NewOptions("library").Store
	options.EtcdServers = []string{"unix://" + etcd.Socket()}
	d, err := Open(t.Context(), program.Server{}, &options, func(string) {}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	d.Compact(0)
	if d.compactor != nil {
		t.Error("0 compacts")
	}
	d.Compact(50 * time.Millisecond)
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		revision, err := etcd3.Compacted(t.Context(), d.Client)
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
