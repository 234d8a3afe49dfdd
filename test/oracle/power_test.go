package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
	"github.com/typeplane/typeplane/internal/faultdisk"
	"github.com/typeplane/typeplane/internal/faultinject"
)

var powerCuts = flag.Int("power-cuts", 3, "how often TestPowerCuts cuts the power of a disk")

// TestPowerCuts cuts the power of a server's disk in the middle of writes, again and again. What
// was not synced is gone, or some sectors of it. All that was acknowledged is there at the next
// start.
func TestPowerCuts(t *testing.T) {
	library, _ := build(t)
	d := newPowered(t, library)
	began := time.Now()
	for n := range *powerCuts {
		d.cycle(t, n, n%2 == 0)
	}
	lost := d.missing(t)
	if lost > 0 {
		t.Errorf("%d of %d acknowledged books are gone", lost, len(d.acknowledged))
	}
	t.Logf("%d cuts in %v, %d writes acknowledged, %d lost", *powerCuts, time.Since(began).Round(time.Second), len(d.acknowledged), lost)
	drill.PowerCut.Count("cuts of power", *powerCuts)
	drill.PowerCut.Count("acknowledged writes", len(d.acknowledged))
	drill.PowerCut.Count("writes lost", lost)
}

// TestPowerCutsAreNoticed is the counter-check: a server that does not wait for its disk loses what
// it acknowledged, within a few cuts.
func TestPowerCutsAreNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a server with bugs; TestPlantedBugs has it, too")
	}
	library, _ := build(t, "-tags", "faultinject")
	d := newPowered(t, library, "TYPEPLANE_PLANTED="+string(faultinject.AckedUnsynced))
	drill.PowerCut.Count("counter-checks without a loss", 0)
	for n := range 20 {
		d.cycle(t, n, true)
		if lost := d.missing(t); lost > 0 {
			t.Logf("without syncs %d of %d acknowledged writes were lost at cut %d", lost, len(d.acknowledged), n+1)
			drill.PowerCut.Count("counter-checks", 1)
			return
		}
	}
	drill.PowerCut.Count("counter-checks without a loss", 1)
	t.Errorf("nothing was lost in 20 cuts by a server that does not sync: the test shows nothing")
}

// powered is a server on a disk whose power is cut.
type powered struct {
	*server
	random       *rand.Rand
	acknowledged []string // names of books
}

func newPowered(t *testing.T, library string, env ...string) *powered {
	t.Helper()
	needDisk(t, Config{})
	dir := filepath.Join(t.TempDir(), "data")
	disk, err := faultdisk.New(filepath.Join(dir, "member"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := newServer(ctx, 0, library, dir, "", disk, []string{"--enable-api=none"}, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	t.Logf("seed %d", *seed)
	return &powered{server: s, random: rand.New(rand.NewPCG(*seed, 0))}
}

// cycle writes from some clients until the power is cut, and starts the server again.
func (d *powered) cycle(t *testing.T, n int, whole bool) {
	t.Helper()
	const clients = 4
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	writing, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex // guards d.acknowledged
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for i := 0; writing.Err() == nil; i++ {
				name := fmt.Sprintf("book-%d-%d-%d", n, client, i)
				a := d.do(writing, newBookRequest("east/"+name, Content{Token: name, Title: "title", Group: "red", Shelf: "low"}))
				if a.code != http.StatusCreated {
					return
				}
				mu.Lock()
				d.acknowledged = append(d.acknowledged, name)
				mu.Unlock()
			}
		})
	}
	time.Sleep(time.Duration(20+d.random.IntN(180)) * time.Millisecond)
	err := d.cutPower(d.random, whole)
	stop()
	all.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.start(ctx); err != nil {
		t.Fatalf("after cut %d: %v", n+1, err)
	}
}

// missing is how many of the acknowledged books are not there.
func (d *powered) missing(t *testing.T) (lost int) {
	t.Helper()
	stored := map[string]bool{}
	for _, name := range d.names(t) {
		stored[name] = true
	}
	for _, name := range d.acknowledged {
		if !stored[name] {
			lost++
		}
	}
	return lost
}

// names are those of the books that the server has.
func (d *powered) names(t *testing.T) (names []string) {
	t.Helper()
	a := d.do(t.Context(), latest)
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	if err := json.Unmarshal(a.data, &list); err != nil || a.code != http.StatusOK {
		t.Fatalf("list: %d %v", a.code, err)
	}
	for _, item := range list.Items {
		names = append(names, item.Metadata.Name)
	}
	return names
}

// slow is how long each sync takes on a disk that is far too slow.
var slow = []time.Duration{time.Second, 4 * time.Second}

// TestSlowDisk lets each sync take seconds. Writes go on, slowly; reads from memory are answered;
// when the disk is well again all is as before, and nothing was refused for good.
func TestSlowDisk(t *testing.T) {
	for _, delay := range slow {
		t.Run(delay.String(), func(t *testing.T) {
			if testing.Short() && delay > time.Second {
				t.Skip("takes longer")
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			s := onDisk(t, ctx)
			s.says(t, longBookRequest("east/first"), 201, "")
			s.disk.Fail(faultdisk.Slow(delay))
			// A write needs more than one sync, and its client may not wait so long.
			if a := s.do(ctx, longBookRequest("east/second")); a.code != http.StatusCreated && a.code != http.StatusGatewayTimeout && a.code != 0 {
				t.Errorf("a write on a slow disk: %d %s", a.code, a.data)
			}
			s.says(t, inMemory, 200, `"name":"first"`)
			s.says(t, request{method: http.MethodGet, path: "/livez"}, 200, "ok")
			s.disk.Fail(faultdisk.NotFaulty)
			well := time.Now()
			s.says(t, longBookRequest("east/third"), 201, "")
			drill.SlowDisk.Count("faults", 1)
			drill.SlowDisk.Worst("writes again", time.Since(well))
			s.says(t, latest, 200, `"name":"third"`)
			if err := s.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}
