package main

import (
	"cmp"
	"context"
	"flag"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
	"github.com/typeplane/typeplane/internal/faultdisk"
	"github.com/typeplane/typeplane/internal/faultinject"
)

var (
	seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the runs of the tests")
	only = flag.String("bug", "", "the only planted bug to look for")
	in   = flag.String("shape", "two servers", "the shape of the world in which planted bugs are looked for")
)

// needed is what a run has to have, to show anything.
var needed = []string{"create ok", "update ok", "patch ok", "apply ok", "delete ok", "get ok", "list ok", "later pages", "events", "resumes", "requests outside of faults"}

// TestPromises is the short form of the whole: a server with its own etcd, two on the same, and
// three behind a balancer.
func TestPromises(t *testing.T) {
	library, etcd := build(t)
	for i, shape := range shapes[:3] {
		t.Run(shape.name, func(t *testing.T) {
			needDisk(t, shape.config)
			config := shape.config
			config.Seed, config.Load, config.Library, config.Etcd = *seed+uint64(i), 6*time.Second, library, etcd
			// On a machine that hardly gets to it, a run may show too little, and a longer one
			// follows.
			for {
				h, exposed, err := Run(t.Context(), config)
				if err != nil {
					t.Fatal(err)
				}
				broken := Check(h)
				if err := keep(config, h, broken); err != nil {
					t.Error(err)
				}
				exposed.note(broken)
				t.Logf("seed %d: %s", config.Seed, exposed)
				needed := needed
				if config.Replicas {
					needed = append(slices.Clone(needed), "refused by a quota", "refused by a webhook", "namespaces gone")
				}
				if slices.Contains(config.Faults, CutPower) {
					needed = append(slices.Clone(needed), "fault: "+string(CutPower))
				}
				missing := slices.DeleteFunc(slices.Clone(needed), func(name string) bool { return exposed.Count[name] > 0 })
				if len(missing) == 0 {
					return
				}
				if config.Load *= 2; config.Load > 2*time.Minute {
					t.Fatalf("the runs had no %v: they show nothing", missing)
				}
			}
		})
	}
}

// A planted bug is seen within caughtWithin runs, most in the first; hangs is for a run that does
// not end.
const (
	caughtWithin = 20
	hangs        = 10 * time.Minute
)

// brokenBy says which promise each planted bug breaks.
var brokenBy = map[faultinject.Bug]string{
	faultinject.StaleRead: "C4", faultinject.GoesBack: "C8", faultinject.NewerItem: "C3", faultinject.NewerPage: "C3",
	faultinject.LostUpdate: "C5", faultinject.UnknownIsFailed: "C2", faultinject.DroppedEvent: "C6", faultinject.DuplicatedEvent: "C6",
	faultinject.SwappedEvents: "C6", faultinject.OldDeletion: "C6", faultinject.EarlyBookmark: "C7", faultinject.LostAtStart: "C3",
	faultinject.LostInCache: "C9", faultinject.LostWrite: "C1", faultinject.AckedUnsynced: "C1",
	faultinject.IgnoredFinalizer: "C11", faultinject.CreatedOver: "C11", faultinject.StaleRefusal: "C12", faultinject.AppliedOnConflict: "C2",
	faultinject.Uncharged: "C16", faultinject.LateCreate: "C17", faultinject.ForgottenWebhooks: "C18",
	faultinject.StolenField: "C13", faultinject.CollectionByName: "C2", faultinject.CollectionSkips: "C14", faultinject.WetRun: "C2", faultinject.StaleTouch: "C4",
}

// faultsFor are the faults that a bug needs, where most would only take time.
var faultsFor = map[faultinject.Bug][]Fault{
	faultinject.UnknownIsFailed:  {KillEtcd, CutProxy},
	faultinject.LostAtStart:      {KillServer, KillEtcd},
	faultinject.AckedUnsynced:    {CutPower},
	faultinject.LostInCache:      {Compaction},
	faultinject.IgnoredFinalizer: {Compaction},
	faultinject.CollectionByName: {Compaction},
	faultinject.WetRun:           {Compaction},

	faultinject.ForgottenWebhooks: {KillServer, StopServer},
}

// shapesFor are the worlds that a bug needs: that of an embedded etcd, or of what replicas have
// around their books. All others are looked for in the world of -shape.
var shapesFor = map[faultinject.Bug]string{
	faultinject.AckedUnsynced: "embedded etcd",
	faultinject.Uncharged:     "replicas", faultinject.LateCreate: "replicas", faultinject.ForgottenWebhooks: "replicas",
}

// TestPlantedBugs breaks the server on purpose, in one way after the other: each is found, or the
// checks are worth nothing.
func TestPlantedBugs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	library, etcd := build(t, "-tags", "faultinject")
	drill.PlantedBugs.Count("bugs missed", 0)
	for _, bug := range faultinject.Bugs {
		if *only != "" && *only != string(bug) {
			continue
		}
		t.Run(string(bug), func(t *testing.T) {
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), hangs)
			defer cancel()
			for n := uint64(1); n <= caughtWithin; n++ {
				config := shapeCalled(t, cmp.Or(shapesFor[bug], *in))
				needDisk(t, config)
				config.Whole = true // with some sectors, the database would be no database any more
				config.Seed, config.Load, config.Library, config.Etcd = *seed+n, 4*time.Second, library, etcd
				config.Env = []string{"TYPEPLANE_PLANTED=" + string(bug)}
				config.CatchUp, config.Settle = 10*time.Second, time.Minute // what a bug has left out never comes
				if faults := faultsFor[bug]; faults != nil {
					config.Faults = faults
				}
				h, _, err := Run(ctx, config)
				if err != nil {
					t.Logf("run %d shows nothing, after %v: %v", n, time.Since(began).Round(time.Second), err)
					continue
				}
				for _, v := range Check(h) {
					if v.Property == brokenBy[bug] {
						drill.PlantedBugs.Count("bugs found", 1)
						drill.PlantedBugs.Worst("the latest found", time.Since(began))
						t.Logf("found after %v, in run %d: %v", time.Since(began).Round(100*time.Millisecond), n, v)
						return
					}
				}
			}
			drill.PlantedBugs.Count("bugs missed", 1)
			t.Errorf("not found in %d runs, which took %v", caughtWithin, time.Since(began).Round(time.Second))
		})
	}
}

// TestNothingPlanted is the counter-check: the same server without a bug keeps its promises.
func TestNothingPlanted(t *testing.T) {
	if testing.Short() {
		t.Skip("TestPromises says it, too")
	}
	library, etcd := build(t, "-tags", "faultinject")
	config := shapeCalled(t, *in)
	config.Seed, config.Load, config.Library, config.Etcd = *seed, 4*time.Second, library, etcd
	h, _, err := Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	if err := keep(config, h, Check(h)); err != nil {
		t.Error(err)
	}
}

// shapeCalled is the shape with a name.
func shapeCalled(t *testing.T, name string) Config {
	t.Helper()
	chosen, err := shapesCalled(name)
	if err != nil {
		t.Fatal(err)
	}
	return chosen[0].config
}

// needDisk skips a test in whose world power is cut, where that can't be done. On Linux it can.
func needDisk(t *testing.T, shape Config) {
	t.Helper()
	if shape.Members > 0 {
		return
	}
	switch err := faultdisk.Supported(); {
	case err != nil && runtime.GOOS != "linux":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
}

// built are the programs without flags, which most tests want. TestMain removes them.
var built struct {
	once          sync.Once
	dir           string
	library, etcd string
	err           error
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(built.dir)
	os.Exit(code)
}

// build returns our server's program, built with flags, and etcd's.
func build(t *testing.T, flags ...string) (library, etcd string) {
	t.Helper()
	var err error
	if len(flags) == 0 {
		built.once.Do(func() {
			if built.dir, built.err = os.MkdirTemp("", "oracle-programs"); built.err == nil {
				built.library, built.etcd, built.err = programs(context.Background(), built.dir)
			}
		})
		library, etcd, err = built.library, built.etcd, built.err
	} else {
		library, etcd, err = programs(t.Context(), t.TempDir(), flags...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return library, etcd
}
