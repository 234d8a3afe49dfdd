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

// A pod in etcd must be what either server would have written, or the first one to touch it would do more work.
func TestStoredPodsAreCanonical(t *testing.T) {
	managed, err := owned(pods.Stored(0))
	if err != nil {
		t.Fatal(err)
	}
	value, err := (&seeder{managed: managed}).value(4711, "0")
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
	if spent := after - before; err != nil || spent < tick || spent > 5*time.Second {
		t.Errorf("300 ms of work took %v (%v)", spent, err)
	}
	if mib, err := resident(os.Getpid()); err != nil || mib < 1 || mib > 10_000 {
		t.Errorf("%d MiB resident (%v)", mib, err)
	}
}

func TestShow(t *testing.T) {
	for d, want := range map[time.Duration]string{
		33_400: "33.4 µs", 447 * time.Microsecond: "447 µs", 3100 * time.Microsecond: "3.10 ms", 330 * time.Millisecond: "330 ms",
	} {
		if got := show(d); got != want {
			t.Errorf("%d ns: %q, want %q", d, got, want)
		}
	}
	if got := median([]time.Duration{9, 1, 5}); got != 5 {
		t.Errorf("median %d, want 5", got)
	}
}
