package garbage_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/apitest"
)

// ownerCount is 10,000 in the long form: go test -run Many -v -owners 10000.
var ownerCount = flag.Int("owners", 100, "how many owners TestMany deletes")

// What one object may cost the process, the etcd in it included. An owner in the foreground is
// written twice, and a dependent that stays is patched.
const (
	cpuCollected = 300 * time.Microsecond
	cpuMore      = 400 * time.Microsecond
)

// TestMany deletes many owners of ten objects each at once, in each way. What it costs is
// everything until nothing is left to do.
func TestMany(t *testing.T) {
	for policy, tc := range map[string]struct {
		over func(world) bool
		cost time.Duration
	}{
		"Background": {func(w world) bool { return w.count(secretsA) == 0 }, cpuCollected},
		"Foreground": {func(w world) bool { return w.count(secretsA) == 0 && w.count(mapsA+owning) == 0 }, cpuMore},
		"Orphan":     {func(w world) bool { return w.count(mapsA+owning) == 0 }, cpuMore},
	} {
		t.Run(policy, func(t *testing.T) {
			w := start(t, apitest.Embedded)
			each(*ownerCount, func(i int) {
				name := fmt.Sprintf("owner-%d", i)
				ref := w.makeWith(mapsA, metav1.ObjectMeta{Name: name, Labels: map[string]string{"owner": "yes"}})
				for j := range 10 {
					w.make(secretsA, fmt.Sprintf("%s-%d", name, j), blocking(ref))
				}
			})
			w.settled()
			before, begun := cpu(t), time.Now()
			w.Want(200, "", "DELETE", mapsA+owning+"&propagationPolicy="+policy, "")
			for !tc.over(w) {
				time.Sleep(20 * time.Millisecond)
			}
			used := cpu(t) - before
			t.Logf("%d objects: %v, %v of CPU", 11**ownerCount, time.Since(begun), used)
			if limit := time.Duration(11**ownerCount) * tc.cost; *ownerCount >= 1000 && used > limit {
				t.Errorf("%v of CPU, want %v at most", used, limit)
			}
			w.orphaned(policy == "Orphan")
		})
	}
}

// owning selects the owners of TestMany.
const owning = "?labelSelector=owner"

// count is how many objects there are.
func (w world) count(path string) int {
	w.Helper()
	path += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")]
	var list struct {
		Metadata struct{ RemainingItemCount int }
		Items    []object
	}
	if err := json.Unmarshal([]byte(w.Want(200, "", "GET", path+"limit=1", "")), &list); err != nil {
		w.Fatal(err)
	}
	return len(list.Items) + list.Metadata.RemainingItemCount
}

// orphaned wants all dependents to be there without their owners, or none.
func (w world) orphaned(stay bool) {
	w.Helper()
	var list struct{ Items []object }
	if err := json.Unmarshal([]byte(w.Want(200, "", "GET", secretsA, "")), &list); err != nil {
		w.Fatal(err)
	}
	if want := map[bool]int{true: 10 * *ownerCount}[stay]; len(list.Items) != want {
		w.Errorf("%d dependents are left, want %d", len(list.Items), want)
	}
	for _, item := range list.Items {
		if len(item.OwnerReferences) > 0 {
			w.Errorf("%s has the owners %v", item.Name, item.OwnerReferences)
		}
	}
}

// each calls f from some goroutines.
func each(n int, f func(int)) {
	var all sync.WaitGroup
	next := make(chan int)
	for range 16 {
		all.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
}

// cpu is the processor time that the process has used.
func cpu(t *testing.T) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
