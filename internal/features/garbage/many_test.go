package garbage_test

import (
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

// cpuPerObject is what one collected object may cost the process, the etcd in it included.
const cpuPerObject = 300 * time.Microsecond

// TestMany deletes many owners of ten objects each at once.
func TestMany(t *testing.T) {
	w := start(t, apitest.Embedded)
	each(*ownerCount, func(i int) {
		name := fmt.Sprintf("owner-%d", i)
		ref := w.makeWith(mapsA, metav1.ObjectMeta{Name: name, Labels: map[string]string{"owner": "yes"}})
		for j := range 10 {
			w.make(secretsA, fmt.Sprintf("%s-%d", name, j), ref)
		}
	})
	w.settled()
	before, begun := cpu(t), time.Now()
	w.Want(200, "", "DELETE", mapsA+"?labelSelector=owner", "")
	for strings.Contains(w.Want(200, "", "GET", secretsA+"?limit=1", ""), `"uid"`) {
		time.Sleep(20 * time.Millisecond)
	}
	used := cpu(t) - before
	t.Logf("%d objects: %v, %v of CPU", 11**ownerCount, time.Since(begun), used)
	if limit := time.Duration(11**ownerCount) * cpuPerObject; testing.Verbose() && used > limit {
		t.Errorf("%v of CPU, want %v at most", used, limit)
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
