package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

// Fault is something that goes wrong and is mended.
type Fault string

// Faults. Compaction goes on all the time, the others come one after the other.
const (
	KillServer Fault = "kill server"
	StopServer Fault = "stop server" // as an administrator does: it lets its clients go one after the other
	KillEtcd   Fault = "kill etcd"
	FreezeEtcd Fault = "freeze etcd"
	CutProxy   Fault = "cut proxy"
	Blackhole  Fault = "blackhole proxy"
	CutPower   Fault = "cut power" // of the disk of an embedded etcd: what was not synced is gone, except for some sectors
	Compaction Fault = "compaction"
)

// embeddedFaults are those of a server with its own etcd.
var embeddedFaults = []Fault{KillServer, StopServer, CutPower, CutPower, Compaction}

var allFaults = []Fault{KillServer, StopServer, KillEtcd, FreezeEtcd, CutProxy, Blackhole, Compaction}

// replicaFaults are mostly those of servers, of which any may go.
var replicaFaults = append([]Fault{KillServer, KillServer, KillServer, KillServer}, allFaults...)

// compactEvery is how often Compaction compacts.
const compactEvery = 100 * time.Millisecond

// injectFaults lets faults happen until ctx ends, and returns when everything runs again.
func (w *world) injectFaults(ctx context.Context) error {
	random := w.random(300)
	var others []Fault
	var compacting sync.WaitGroup
	defer compacting.Wait()
	for _, f := range w.config.Faults {
		if f == Compaction {
			compacting.Go(func() { w.compact(ctx, w.random(301)) })
		} else {
			others = append(others, f)
		}
	}
	for len(others) > 0 && pause(ctx, time.Duration(200+random.IntN(800))*time.Millisecond) {
		f := pick(random, others)
		w.happened(f)
		outage := Outage{Fault: f, Begin: w.recorder.now()}
		if err := w.inject(ctx, f, random); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		outage.End = w.recorder.now()
		w.outages = append(w.outages, outage)
	}
	<-ctx.Done()
	return nil
}

func (w *world) happened(f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done[f]++
}

// pause waits, and returns false if ctx ends before.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// inject lets one fault happen and mends it. Mending does not end with ctx.
func (w *world) inject(ctx context.Context, f Fault, random *rand.Rand) error {
	gap := time.Duration(random.IntN(1500)) * time.Millisecond
	mending, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	switch f {
	case KillServer:
		s := pick(random, w.servers)
		s.kill()
		if w.config.Replicas && random.IntN(2) == 0 {
			if err := s.forget(); err != nil {
				return err
			}
		}
		pause(ctx, gap/4)
		return s.start(mending)
	case StopServer:
		s := pick(random, w.servers)
		if err := s.stop(); err != nil {
			return err
		}
		return s.start(mending)
	case CutPower:
		s := pick(random, w.servers)
		if err := s.cutPower(random, w.config.Whole); err != nil {
			return err
		}
		return s.start(mending)
	case KillEtcd:
		member := pick(random, w.etcd.Members())
		if err := member.Kill(); err != nil {
			return err
		}
		pause(ctx, gap/2)
		return member.Restart()
	case FreezeEtcd:
		member := pick(random, w.etcd.Members())
		if err := member.Freeze(); err != nil {
			return err
		}
		pause(ctx, 2*gap)
		return member.Thaw()
	case CutProxy, Blackhole:
		mode := etcdproc.Cut
		if f == Blackhole {
			mode = etcdproc.Blackhole
		}
		for _, m := range w.etcd.Members() {
			m.Clients().Set(mode)
		}
		pause(ctx, gap)
		w.etcd.Heal()
		return nil
	}
	return fmt.Errorf("no such fault")
}

// compact throws away history, as far as the oracle has seen it.
func (w *world) compact(ctx context.Context, random *rand.Rand) {
	compacted := int64(0)
	for pause(ctx, compactEvery) {
		revision := w.oracle.last() - random.Int64N(20)
		if revision <= compacted {
			continue
		}
		limit, cancel := context.WithTimeout(ctx, time.Second)
		if _, err := w.direct.Compact(limit, revision); err == nil {
			w.happened(Compaction)
			compacted = revision
		}
		cancel()
	}
}
