package main

import (
	"bytes"
	"os"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/test/bench/pods"
)

// A pod in etcd must be what either server would have written, or the first one to touch it would
// do more work.
func TestStoredPodsAreCanonical(t *testing.T) {
	managed, err := owned(pods.Stored(0))
	if err != nil {
		t.Fatal(err)
	}
	value, err := (&seeder{managed: managed}).value("/ours", 4711, "0")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(value); n < 3500 || n > 3900 {
		t.Errorf("a pod has %d bytes, want about 3,600", n)
	}
	envelope, err := wire.ParseEnvelope(value)
	if err != nil {
		t.Fatal(err)
	}
	var pod corev1.Pod
	if err := pod.Unmarshal(envelope.Raw); err != nil {
		t.Fatal(err)
	}
	pods.Default(&pod)
	if again, err := pod.Marshal(); err != nil || !bytes.Equal(again, envelope.Raw) {
		t.Errorf("defaults change a stored pod (%v)", err)
	}
	managers := []string{}
	for _, entry := range pod.ManagedFields {
		managers = append(managers, entry.Manager+"/"+entry.Subresource)
	}
	if want := []string{"kube-controller-manager/", "kubelet/status"}; !slices.Equal(managers, want) {
		t.Errorf("managers %q, want %q", managers, want)
	}
}

func TestCPUOfThisProcess(t *testing.T) {
	before, err := cpu(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	// A busy machine gives us less than a second of CPU in a second, but not nothing.
	for begin := time.Now(); time.Since(begin) < 300*time.Millisecond; {
	}
	after, err := cpu(os.Getpid())
	if spent := after - before; err != nil || spent < 10*time.Millisecond || spent > 5*time.Second {
		t.Errorf("300 ms of work took %v (%v)", spent, err)
	}
	if mib, err := resident(os.Getpid()); err != nil || mib < 1 || mib > 10_000 {
		t.Errorf("%d MiB resident (%v)", mib, err)
	}
}

func TestShow(t *testing.T) {
	for d, want := range map[time.Duration]string{
		33_400: "33.4 µs", 447 * time.Microsecond: "447 µs", 3100 * time.Microsecond: "3.10 ms", 330 * time.Millisecond: "330 ms", 21 * time.Second: "21.00 s",
	} {
		if got := show(d); got != want {
			t.Errorf("%d ns: %q, want %q", d, got, want)
		}
	}
	if got := median([]time.Duration{9, 1, 5}); got != 5 {
		t.Errorf("median %d, want 5", got)
	}
}

func TestJudge(t *testing.T) {
	r := row{name: "get", budget: budget{1.5, nameReady}}
	for _, test := range []struct {
		ours, ready time.Duration
		most, met   string
	}{
		{150, 100, "1.5 × ready: 0.1 µs", "yes"},
		{151, 100, "1.5 × ready: 0.1 µs", "no"},
		{150, 0, "–", "–"},
	} {
		b := &bench{cells: map[string]map[string]*cell{}}
		b.cell(r, nameOurs).cost = []time.Duration{test.ours}
		if test.ready > 0 {
			b.cell(r, nameReady).cost = []time.Duration{test.ready}
		}
		if most, met := b.judge(r); most != test.most || met != test.met {
			t.Errorf("ours %d, ready %d: %q %q, want %q %q", test.ours, test.ready, most, met, test.most, test.met)
		}
	}
	b := &bench{cells: map[string]map[string]*cell{}}
	b.cell(row{name: listedAsJSON}, nameOurs).cost = []time.Duration{1000}
	other := row{name: "another version", budget: budget{3, listedAsJSON}}
	b.cell(other, nameOurs).cost = []time.Duration{3001}
	if _, met := b.judge(other); met != "no" {
		t.Errorf("in proportion to another row: %q", met)
	}
}

// Rows that list by a selector count on these.
func TestSelectedPods(t *testing.T) {
	batch, node := 0, 0
	for i := range 1000 {
		pod := pods.Stored(i)
		if pod.Labels[pods.BatchLabel] == pods.Batch(500) {
			batch++
		}
		if pods.SelectableFields(pod)["spec.nodeName"] == pods.Node(500) {
			node++
		}
	}
	if batch != pods.PerBatch || node != pods.PerNode {
		t.Errorf("%d pods have the label and %d the node, want %d and %d", batch, node, pods.PerBatch, pods.PerNode)
	}
}
