package etcd3_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/etcd3test"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// Two etcds that were written the same to stand for members of one cluster.
func TestCompareMembers(t *testing.T) {
	ctx := context.Background()
	var endpoints []string
	var stores []*etcd3.Store
	var clients []*etcd3.Client
	for range 2 {
		s, err := etcd3test.Open(embedded.Config{Dir: t.TempDir(), ProgressInterval: progress, NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		endpoints = append(endpoints, s.URL())
		clients = append(clients, s.Client())
		stores = append(stores, etcd3.New(s.Client(), etcd3.Config{Root: "/registry"}))
	}
	write := func(values ...string) (revision int64) {
		t.Helper()
		for i, s := range stores {
			e, err := s.GuaranteedUpdate(ctx, "/pods/a", func(storage.Entry) ([]byte, []storage.Op, error) { return []byte(values[i]), nil, nil })
			if storage.CodeOf(err) == storage.CodeNotFound {
				e, err = s.Create(ctx, "/pods/a", []byte(values[i]))
			}
			if err != nil {
				t.Fatal(err)
			}
			revision = e.Revision
		}
		return revision
	}
	client, err := etcd3.Dial(ctx, etcd3.DialConfig{Endpoints: endpoints[:1]})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	compare := func(endpoints ...string) (silent, err error) { return etcd3.CompareMembers(ctx, client, endpoints) }
	// await goes on where a member was too slow to answer, on a busy machine.
	await := func(what string, is func(silent, err error) bool) {
		t.Helper()
		for begin := time.Now(); ; {
			silent, err := compare(endpoints...)
			if is(silent, err) {
				return
			}
			if silent == nil || time.Since(begin) > time.Minute {
				t.Fatalf("%s: %v, %v", what, silent, err)
			}
		}
	}
	equal := func(silent, err error) bool { return silent == nil && err == nil }
	different := func(_, err error) bool {
		return errors.Is(err, etcd3.ErrDiverged) && strings.Contains(err.Error(), endpoints[0]) && strings.Contains(err.Error(), endpoints[1])
	}

	first := write("same", "same")
	await("the same", equal)
	write("one", "two")
	await("not the same", different)
	if silent, err := compare(endpoints[0]); silent != nil || err != nil {
		t.Errorf("one member: %v, %v", silent, err)
	}

	// One that is down is named.
	down := "unix://" + t.TempDir() + "/none.sock"
	if silent, err := compare(endpoints[0], down); err != nil || silent == nil || !strings.Contains(silent.Error(), down) {
		t.Errorf("one down: %v, %v", silent, err)
	}

	// What only one of them has compacted is no difference.
	write("same", "same")
	if _, err := clients[1].Compact(ctx, first+1); err != nil {
		t.Fatal(err)
	}
	await("one is compacted", func(silent, err error) bool {
		return err == nil && silent != nil && strings.Contains(silent.Error(), "compacted again and again")
	})
	if _, err := clients[0].Compact(ctx, first+1); err != nil {
		t.Fatal(err)
	}
	await("both are compacted", equal)
}
