package cluster

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

// TestMembers does to three members what etcdproc can do, without a server of ours.
func TestMembers(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t, etcdproc.Config{Members: 3})
	leader := awaitLeader(t, etcd, nil)
	put(t, leader, "a", "1")

	if err := leader.Kill(); err != nil {
		t.Fatal(err)
	}
	second := awaitLeader(t, etcd, leader)
	put(t, second, "b", "2")
	if err := leader.Restart(); err != nil {
		t.Fatal(err)
	}
	healthy(t, etcd)
	if got := get(t, leader, "b"); got != "2" {
		t.Errorf("the restarted member says %q", got)
	}

	if err := second.Freeze(); err != nil {
		t.Fatal(err)
	}
	third := awaitLeader(t, etcd, second)
	put(t, third, "c", "3")
	if err := second.Thaw(); err != nil {
		t.Fatal(err)
	}
	healthy(t, etcd)

	for name, mode := range map[string]etcdproc.Mode{"cut": etcdproc.Cut, "blackhole": etcdproc.Blackhole} {
		isolated := awaitLeader(t, etcd, nil)
		etcd.Isolate(isolated, mode)
		other := awaitLeader(t, etcd, isolated)
		put(t, other, "d", name)
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		if _, err := tryGet(ctx, isolated, "d"); err == nil {
			t.Errorf("%s: the isolated member answers a linearizable read", name)
		}
		cancel()
		etcd.Heal()
		healthy(t, etcd)
		if got := get(t, isolated, "d"); got != name {
			t.Errorf("%s: healed, the member says %q", name, got)
		}
	}
}

func startEtcd(t *testing.T, config etcdproc.Config) *etcdproc.Cluster {
	t.Helper()
	config.Dir = t.TempDir()
	var err error
	if config.Binary, err = etcdproc.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	etcd, err := etcdproc.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := etcd.Close(); err != nil {
			t.Error(err)
		}
	})
	return etcd
}

func healthy(t *testing.T, etcd *etcdproc.Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if err := etcd.WaitHealthy(ctx); err != nil {
		t.Fatal(err)
	}
}

// awaitLeader waits for a leader that is another than not.
func awaitLeader(t *testing.T, etcd *etcdproc.Cluster, not *etcdproc.Member) *etcdproc.Member {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for {
		leader, err := etcd.Leader(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if leader != not {
			return leader
		}
	}
}

func put(t *testing.T, m *etcdproc.Member, key, value string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	insist(t, ctx, func() error {
		return m.Call(ctx, "/v3/kv/put", map[string][]byte{"key": []byte(key), "value": []byte(value)}, &struct{}{})
	})
}

func get(t *testing.T, m *etcdproc.Member, key string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	var value string
	insist(t, ctx, func() (err error) {
		value, err = tryGet(ctx, m, key)
		return err
	})
	return value
}

// insist tries until it succeeds, since members that get no processor for a while elect another
// leader, over which requests fail.
func insist(t *testing.T, ctx context.Context, try func() error) {
	t.Helper()
	for {
		err := try()
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func tryGet(ctx context.Context, m *etcdproc.Member, key string) (string, error) {
	var answer struct{ Kvs []struct{ Value []byte } }
	if err := m.Call(ctx, "/v3/kv/range", map[string][]byte{"key": []byte(key)}, &answer); err != nil {
		return "", err
	}
	if len(answer.Kvs) != 1 {
		return "", fmt.Errorf("%d values of %s", len(answer.Kvs), key)
	}
	return string(answer.Kvs[0].Value), nil
}
