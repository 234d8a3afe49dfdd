package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

var costPods = flag.Int("cost", 2000, "how many pods TestFillCost puts into etcd")

// TestFillCost measures what it takes to fill the cache of pods from etcd: every value is read,
// defaulted, encoded and compared, as nobody knows whether this release has written it.
// With -cost=100000 its figures are those of test/bench/README.md. They include the share of etcd,
// which runs in the same process.
func TestFillCost(t *testing.T) {
	r, form := podForm(t)
	value := storedPod(t, form)
	ctx := context.Background()
	server, err := embedded.Start(ctx, embedded.Config{Dir: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	raw := etcd3.New(server.Client(), etcd3.Config{Root: "/registry"})
	key := func(i int) string { return fmt.Sprintf("%steam-%04d/web-%06d", r.KeyPrefix(), i%1000, i) }
	for i := 0; i < *costPods; i += 100 {
		var with []storage.Op
		for j := i + 1; j < min(i+100, *costPods); j++ {
			with = append(with, storage.Op{Key: key(j), Value: value})
		}
		if _, err := raw.Create(ctx, key(i), value, with...); err != nil {
			t.Fatal(err)
		}
	}

	begin, used := time.Now(), processTime(t)
	writes := new(cacher.WriteCache)
	source := etcd3.New(server.Client(), etcd3.Config{Root: "/registry", Form: writes.Form(form)})
	c, err := cacher.New(cacher.Config{Source: source, Prefix: r.KeyPrefix(), WriteCache: writes})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	wall, used := time.Since(begin), processTime(t)-used
	t.Logf("%d pods of %d bytes: in the cache after %v, with %v of CPU (%v each)", *costPods, len(value),
		wall.Round(time.Millisecond), used.Round(time.Millisecond), used/time.Duration(*costPods))

	page, err := c.List(ctx, r.KeyPrefix(), storage.ListOptions{Match: storage.Any})
	if err != nil || len(page.Entries) != *costPods {
		t.Fatalf("%d pods, %v", len(page.Entries), err)
	}
	for _, e := range page.Entries {
		if e.Stale || e.Err != nil {
			t.Fatalf("%s: stale %v, %v", e.Key, e.Stale, e.Err)
		}
	}
	// The cache knows what it has already: that costs a comparison each.
	used = processTime(t)
	for _, e := range page.Entries {
		if _, _, err := writes.Form(form).Canonical(e.Key, e.Value); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("to recall them all took %v of CPU", processTime(t)-used)
}

func podForm(t *testing.T) (registry.Resource, storage.Form) {
	t.Helper()
	for _, r := range newServer().Resources {
		if r.GroupResource().Resource == "pods" {
			form, err := r.Form(scheme(t), registry.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return r, form
		}
	}
	t.Fatal("there are no pods")
	return registry.Resource{}, storage.Form{}
}

// storedPod is a pod as a cluster's etcd has it: running, and with what a controller and a node
// leave behind about who owns which field.
func storedPod(t *testing.T, form storage.Form) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/running-pod.json")
	if err != nil {
		t.Fatal(err)
	}
	value, _, err := form.Canonical("/pods/team-0001/web", data)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// processTime is the processor time that this process has taken.
func processTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
