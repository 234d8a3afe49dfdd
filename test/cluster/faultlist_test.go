package cluster

import (
	"context"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
	"github.com/typeplane/typeplane/internal/etcdproc"
)

const (
	afterKill   = 5 * time.Second
	afterFreeze = 15 * time.Second
)

// away is how long a fault lasts with which nothing can work.
func away() time.Duration {
	if testing.Short() {
		return 5 * time.Second
	}
	return 10 * time.Second
}

// noQuorumKnown is how long a request may wait where there is no quorum. The short form bears a
// machine that stands still for a while, and is still below the time that a write may take.
func noQuorumKnown() time.Duration {
	if testing.Short() {
		return 20 * time.Second
	}
	return 5 * time.Second
}

// fault is something that happens to the cluster, and ends when the function that it returns is
// called.
type fault struct {
	name     string
	short    bool // part of the short form
	hopeless bool // nothing can work before its end: bound is for what comes after it
	bound    time.Duration
	row      drill.Row // of the scorecard; 0 for none
	begin    func(*testing.T, *world) (end func())
}

// faults are short or not, and hopeless or not. Where one can be lived with, things must resume
// while it lasts.
var faults = []fault{
	{name: "leader killed", short: true, bound: afterKill, row: drill.LeaderKill, begin: func(t *testing.T, w *world) func() { return kill(t, w.leader) }},
	{name: "follower killed", bound: afterKill, begin: func(t *testing.T, w *world) func() { return kill(t, w.follower) }},
	{name: "leader frozen", short: true, bound: afterFreeze, row: drill.FrozenMember, begin: func(t *testing.T, w *world) func() { return freeze(t, w.leader) }},
	{name: "follower frozen", bound: afterFreeze, row: drill.FrozenMember, begin: func(t *testing.T, w *world) func() { return freeze(t, w.follower) }},
	{name: "leader stutters", bound: afterFreeze, row: drill.SlowDisk, begin: func(t *testing.T, w *world) func() { return stutter(t, w.leader) }},
	{name: "follower stutters", bound: afterFreeze, row: drill.SlowDisk, begin: func(t *testing.T, w *world) func() { return stutter(t, w.follower) }},
	{name: "member replaced", short: true, bound: afterKill, row: drill.ReplacedMember, begin: func(t *testing.T, w *world) func() {
		ctx, cancel := context.WithTimeout(t.Context(), trouble)
		defer cancel()
		must(t, w.etcd.Replace(ctx, w.follower))
		return func() {}
	}},
	{name: "leader cut off from members", bound: afterFreeze, begin: func(_ *testing.T, w *world) func() {
		w.etcd.Isolate(w.leader, etcdproc.Cut)
		return w.etcd.Heal
	}},
	{name: "leader unheard by members", bound: afterFreeze, begin: func(_ *testing.T, w *world) func() {
		w.etcd.Isolate(w.leader, etcdproc.Blackhole)
		return w.etcd.Heal
	}},
	{name: "leader unheard by server", bound: afterFreeze, begin: func(_ *testing.T, w *world) func() {
		w.leader.Clients().Set(etcdproc.Blackhole)
		return w.etcd.Heal
	}},
	{name: "leader unheard by all", bound: afterFreeze, begin: func(_ *testing.T, w *world) func() {
		w.etcd.Isolate(w.leader, etcdproc.Blackhole)
		w.leader.Clients().Set(etcdproc.Blackhole)
		return w.etcd.Heal
	}},
	{name: "two killed", short: true, hopeless: true, bound: afterKill, row: drill.NoQuorum, begin: func(t *testing.T, w *world) func() {
		return all(kill(t, w.leader), kill(t, w.follower))
	}},
	{name: "all killed", hopeless: true, bound: afterKill, row: drill.NoQuorum, begin: func(t *testing.T, w *world) func() {
		var ends []func()
		for _, m := range w.etcd.Members() {
			ends = append(ends, kill(t, m))
		}
		return all(ends...)
	}},
	{name: "server cut off from all", hopeless: true, bound: afterFreeze, row: drill.Partition, begin: func(t *testing.T, w *world) func() {
		return w.cutOff(t, etcdproc.Cut)
	}},
	{name: "server unheard by all", hopeless: true, bound: afterFreeze, row: drill.Partition, begin: func(t *testing.T, w *world) func() {
		return w.cutOff(t, etcdproc.Blackhole)
	}},
}

func all(ends ...func()) func() {
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

// world is what faults happen to.
type world struct {
	etcd   *etcdproc.Cluster
	server *server
	load   *load
	// leader and follower are what they are when the fault begins.
	leader, follower *etcdproc.Member
	watchers         []*watcher
}

// stutter lets a member run for a fifth of the time, as on a machine or a disk that is far too
// slow.
func stutter(t *testing.T, m *etcdproc.Member) func() {
	t.Helper()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			pause := 400 * time.Millisecond
			var err error
			if i%2 == 0 {
				err = m.Freeze()
			} else {
				err, pause = m.Thaw(), pause/4
			}
			if err != nil {
				t.Error(err)
			}
			select {
			case <-stop:
				return
			case <-time.After(pause):
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		must(t, m.Thaw())
	}
}

func kill(t *testing.T, m *etcdproc.Member) func() {
	t.Helper()
	must(t, m.Kill())
	return func() { must(t, m.Restart()) }
}

func freeze(t *testing.T, m *etcdproc.Member) func() {
	t.Helper()
	must(t, m.Freeze())
	return func() { must(t, m.Thaw()) }
}

// cutOff keeps the server from etcd, and writes to a book past it: no read may show what was before
// that.
func (w *world) cutOff(t *testing.T, mode etcdproc.Mode) func() {
	t.Helper()
	for _, m := range w.etcd.Members() {
		m.Clients().Set(mode)
	}
	key := prefix + hotBook(0)
	var answer struct {
		Header struct {
			Revision int64 `json:"revision,string"`
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	value, err := tryGet(ctx, w.leader, key)
	must(t, err)
	must(t, w.leader.Call(ctx, "/v3/kv/put", map[string][]byte{"key": []byte(key), "value": []byte(value)}, &answer))
	w.load.raise(hotBook(0), answer.Header.Revision)
	return w.etcd.Heal
}
