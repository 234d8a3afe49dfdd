package etcd3_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

func TestLeasesAreShared(t *testing.T) {
	ctx, root := context.Background(), freshRoot()
	client := server.Client()
	s := etcd3.New(client, etcd3.Config{Root: root})
	n := 0
	create := func(lifetime time.Duration) clientv3.LeaseID {
		t.Helper()
		n++
		key := fmt.Sprintf("/pods/%d", n)
		if _, err := s.Create(ctx, key, []byte("x"), storage.Lifetime(lifetime)); err != nil {
			t.Fatal(err)
		}
		resp, err := client.Get(ctx, root+key)
		if err != nil || len(resp.Kvs) != 1 || resp.Kvs[0].Lease == 0 {
			t.Fatal(resp, err)
		}
		return clientv3.LeaseID(resp.Kvs[0].Lease)
	}
	hour := create(time.Hour)
	if again := create(time.Hour); again != hour {
		t.Error("two entries of one lifetime have two leases")
	}
	if close := create(time.Hour - 10*time.Second); close != hour {
		t.Error("two entries of nearly one lifetime have two leases")
	}
	if other := create(30 * time.Minute); other == hour {
		t.Error("an entry that is to end sooner shares the lease")
	}
	if longer := create(2 * time.Hour); longer == hour {
		t.Error("an entry that is to stay longer shares the lease")
	}
	info, err := client.TimeToLive(ctx, hour)
	if err != nil || info.GrantedTTL < 3600 || info.GrantedTTL > 3660 {
		t.Errorf("the lease was granted for %+v, %v", info, err)
	}

	// One that somebody has revoked takes its entries with it, but no new ones.
	if _, err := client.Revoke(ctx, hour); err != nil {
		t.Fatal(err)
	}
	if again := create(time.Hour); again == hour {
		t.Error("a revoked lease was used")
	}
	// And one is not for any number of entries.
	first := create(10 * time.Hour)
	etcd3.UseLease(s, first, 999)
	if another := create(10 * time.Hour); another == first {
		t.Error("the 1001st entry has the same lease")
	}
}
