package codebench

import (
	"cmp"
	"encoding/json"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/typeplane/typeplane/test/codebench/kinds"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/randfill"
)

// copier is one kind with both ways to copy it.
type copier struct {
	kind       string
	in         any
	peer, ours func() any
}

// kept keeps the compiler from leaving copies out or putting them on the stack.
var kept any

func copiers(tb testing.TB) []copier {
	return []copier{
		newCopier(tb, "core.v1.Pod", (*kinds.Pod).DeepCopy, kinds.DeepCopy_Pod),
		newCopier(tb, "apps.v1.Deployment", (*kinds.Deployment).DeepCopy, kinds.DeepCopy_Deployment),
		newCopier(tb, "core.v1.Node", (*kinds.Node).DeepCopy, kinds.DeepCopy_Node),
		newCopier(tb, "core.v1.ConfigMap", (*kinds.ConfigMap).DeepCopy, kinds.DeepCopy_ConfigMap),
	}
}

func newCopier[T any](tb testing.TB, kind string, peer, ours func(*T) *T) copier {
	in := new(T)
	if err := json.Unmarshal(fixture(tb, kind, "json"), in); err != nil {
		tb.Fatal(err)
	}
	return copierOf(kind, in, peer, ours)
}

func copierOf[T any](kind string, in *T, peer, ours func(*T) *T) copier {
	return copier{kind, in, func() any { return peer(in) }, func() any { return ours(in) }}
}

// TestDeepCopy copies objects in which everything is set: the copy is equal and shares no memory.
func TestDeepCopy(t *testing.T) {
	for _, c := range copiers(t) {
		if compared := checkCopy(t, c.kind, c.in, c.ours()); compared < 10 {
			t.Errorf("%s: only %d places compared", c.kind, compared)
		}
	}
}

// TestDeepCopyAnything does so with objects that have anything: lists of many items and of none,
// nil beside empty.
func TestDeepCopyAnything(t *testing.T) {
	fuzzCopies(t, "Pod", kinds.DeepCopy_Pod)
	fuzzCopies(t, "Deployment", kinds.DeepCopy_Deployment)
	fuzzCopies(t, "Node", kinds.DeepCopy_Node)
	fuzzCopies(t, "ConfigMap", kinds.DeepCopy_ConfigMap)
}

func fuzzCopies[T any](t *testing.T, kind string, deepCopy func(*T) *T) {
	for seed := range int64(30) {
		filler := randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).MaxDepth(30).Funcs(
			func(q *resource.Quantity, c randfill.Continue) {
				if *q = *resource.NewMilliQuantity(c.Int63(), resource.DecimalSI); c.Bool() {
					q.ToDec()
				}
			},
			func(at *metav1.Time, c randfill.Continue) { at.Time = time.Unix(c.Int63n(1<<40), 0) },
		)
		in := new(T)
		filler.Fill(in)
		checkCopy(t, kind, in, deepCopy(in))
	}
}

// checkCopy compares a copy with its original, and looks for memory that both have. It also looks
// for memory that two parts of the copy have, or get when something is appended to one. It returns
// how many places the copy has.
func checkCopy(t *testing.T, kind string, in, out any) int {
	t.Helper()
	if !reflect.DeepEqual(in, out) {
		t.Errorf("%s: the copy differs", kind)
	}
	theirs := map[uintptr]string{}
	walk(reflect.ValueOf(in), kind, func(at, _ uintptr, path string) { theirs[at] = path })
	var ours []piece
	walk(reflect.ValueOf(out), kind, func(at, size uintptr, path string) {
		if theirs[at] != "" {
			t.Errorf("%s of the copy is memory of %s", path, theirs[at])
		}
		ours = append(ours, piece{at, at + size, path})
	})
	slices.SortFunc(ours, func(a, b piece) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(ours); i++ {
		if ours[i-1].end > ours[i].start {
			t.Errorf("%s and %s have the same memory", ours[i-1].path, ours[i].path)
		}
	}
	return len(ours)
}

// piece is memory that a part of an object has.
type piece struct {
	start, end uintptr
	path       string
}

// walk calls do for all memory that a value refers to, with all room that lists have. It leaves out
// strings and the places of times, which never change, and what has no size.
func walk(v reflect.Value, path string, do func(at, size uintptr, path string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*time.Location]() {
			if size := v.Type().Elem().Size(); size > 0 {
				do(v.Pointer(), size, path)
			}
			walk(v.Elem(), path, do)
		}
	case reflect.Slice:
		if size := uintptr(v.Cap()) * v.Type().Elem().Size(); size > 0 {
			do(v.Pointer(), size, path)
		}
		for i := range v.Len() {
			walk(v.Index(i), path+"[]", do)
		}
	case reflect.Map:
		if !v.IsNil() {
			do(v.Pointer(), 1, path)
		}
		for it := v.MapRange(); it.Next(); {
			walk(it.Value(), path+"[]", do)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walk(v.Field(i), path+"."+v.Type().Field(i).Name, do)
		}
	}
}

func BenchmarkDeepCopy(b *testing.B) {
	for _, c := range copiers(b) {
		for side, do := range map[string]func() any{"peer": c.peer, "ours": c.ours} {
			b.Run(c.kind+"/"+side, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					kept = do()
				}
			})
		}
	}
}

// TestDeepCopySpeed compares the times of both sides, while the collector stands still and while it
// runs as usual. It runs with -v only: no comparison of times is certain on a machine that has
// other things to do.
func TestDeepCopySpeed(t *testing.T) {
	if !testing.Verbose() {
		t.Skip("it measures: -v runs it")
	}
	for _, c := range copiers(t) {
		for _, collecting := range []bool{false, true} {
			times := copyTimes(collecting, c.peer, c.ours)
			ratio := float64(times[0]) / float64(times[1])
			t.Logf("%-20s collecting %-5v: peer %v, ours %v: %.2f times as fast", c.kind, collecting, times[0], times[1], ratio)
			if ratio < 1 {
				t.Errorf("%s: copying is slower than k8s.io/api's", c.kind)
			}
		}
	}
}

// copyTimes measures ways to copy in turns in one process, in many short rounds, so that what else
// the machine does hardly matters. The fastest twentieth of the rounds counts, which is what a calm
// machine shows. While the collector stands still all memory is new to the process.
func copyTimes(collecting bool, ways ...func() any) []time.Duration {
	const rounds, copies = 400, 20
	if !collecting {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
	}
	times := make([][]time.Duration, len(ways))
	for round := range rounds {
		for i, do := range ways {
			start := time.Now()
			for range copies {
				kept = do()
			}
			times[i] = append(times[i], time.Since(start)/copies)
		}
		if round%20 == 0 {
			runtime.GC()
		}
	}
	fastest := make([]time.Duration, len(ways))
	for i := range ways {
		slices.Sort(times[i])
		fastest[i] = times[i][rounds/20]
	}
	return fastest
}
