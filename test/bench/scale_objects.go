package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// How many things have the same namespace, and the same value of the label batch.
const (
	thingsPerNamespace = 100
	thingsPerBatch     = 10
)

func thingName(i int) string      { return fmt.Sprintf("thing-%07d", i) }
func thingNamespace(i int) string { return fmt.Sprintf("team-%05d", i/thingsPerNamespace) }
func thingBatch(i int) string     { return fmt.Sprintf("b%06d", i/thingsPerBatch) }

const thingsPrefix = "/scale"

// manyObjects measures one server on one etcd over ever more objects of about 1 KB.
func manyObjects(ctx context.Context, l *lab, out io.Writer) error {
	sizes := []int{10_000, 100_000, 1_000_000}
	if l.short {
		sizes = []int{1000, 2000}
	}
	dir, err := l.place("million")
	if err != nil {
		return err
	}
	module, err := l.newThings(ctx, dir)
	if err != nil {
		return err
	}
	if _, err := module.build(ctx, filepath.Join(dir, "scale")); err != nil {
		return err
	}
	b := &bench{options: l.options, dir: dir, bin: dir}
	if err := b.startEtcd(ctx); err != nil {
		return err
	}
	defer b.stop()
	g := grid{title: "objects"}
	there, size := 0, 0
	for _, n := range sizes {
		say("%d objects", n)
		g.column(fmt.Sprint(n))
		if size, err = b.fillThings(ctx, there, n); err != nil {
			return err
		}
		there = n
		if err := b.measureThings(ctx, &g, n); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "### More objects\n\nOne server, one etcd beside it, objects of %d bytes in namespaces of %d. CPU time of the server.\n\n", size, thingsPerNamespace)
	g.print(out)
	return nil
}

// fillThings stores the things from a number on, up to n, past the server: copies of one that a
// server has written, with names of the same length. It returns how long one is.
func (b *bench) fillThings(ctx context.Context, from, n int) (size int, err error) {
	key := thingsPrefix + "/scale.example.com/thing0s/"
	if from == 0 {
		s, err := startThings(ctx, filepath.Join(b.dir, "first"), b.bin, b.thingFlags()...)
		if err != nil {
			return 0, err
		}
		defer s.stop()
		if err := s.create(ctx, 0, thingNamespace(0), thingName(0), fmt.Sprintf(`"batch":%q`, thingBatch(0))); err != nil {
			return 0, err
		}
	}
	first, err := b.seeder.stored(ctx, key+thingNamespace(0)+"/"+thingName(0))
	if err != nil {
		return 0, err
	}
	uid := uidOf(first)
	var puts []clientv3.Op
	for i := max(1, from); i < n; i++ {
		value := bytes.ReplaceAll(first, []byte(thingName(0)), []byte(thingName(i)))
		value = bytes.ReplaceAll(value, []byte(thingNamespace(0)), []byte(thingNamespace(i)))
		value = bytes.ReplaceAll(value, []byte(thingBatch(0)), []byte(thingBatch(i)))
		value = bytes.ReplaceAll(value, uid, fmt.Appendf(nil, "00000000-0000-4000-8000-%012d", i))
		if puts = append(puts, clientv3.OpPut(key+thingNamespace(i)+"/"+thingName(i), string(value))); len(puts) < 100 && i < n-1 {
			continue
		}
		if _, err := b.seeder.client.Txn(ctx).Then(puts...).Commit(); err != nil {
			return 0, err
		}
		puts = puts[:0]
	}
	return len(first), nil
}

// uidOf finds the uid in a stored object: the only text of its form.
func uidOf(value []byte) []byte {
	for i := range value {
		if end := i + 36; end <= len(value) && value[i+8] == '-' && value[i+13] == '-' && value[i+18] == '-' && value[i+23] == '-' {
			return value[i:end]
		}
	}
	return nil
}

func (b *bench) thingFlags() []string {
	return []string{"--etcd-servers", b.endpoint, "--etcd-prefix", thingsPrefix, "--storage-migration-rate", "0"}
}

// measureThings starts a server over n things and does some of everything to it.
func (b *bench) measureThings(ctx context.Context, g *grid, n int) error {
	s, err := startThings(ctx, filepath.Join(b.dir, fmt.Sprint("server-", n)), b.bin, b.thingFlags()...)
	if err != nil {
		return err
	}
	defer s.stop()
	// An answer from the cache alone, which waits until all objects are in it.
	if _, err := s.get(ctx, thingsPath+"?limit=1&resourceVersion=0", protobuf); err != nil {
		return err
	}
	spent, err := cpu(s.pid())
	if err != nil {
		return err
	}
	g.set("ready after", show(s.ready))
	g.set("cache filled after", show(time.Since(s.begun)))
	g.set("CPU until then", show(spent))
	if err := b.setMemory(g, s, "filled"); err != nil {
		return err
	}
	sleep(ctx, 10*time.Second)
	if err := b.setMemory(g, s, "ten seconds later"); err != nil {
		return err
	}
	if err := b.requestThings(ctx, g, s, n); err != nil {
		return err
	}
	if err := g.watchThings(ctx, b, s, n); err != nil {
		return err
	}
	if err := b.setMemory(g, s, "after all of this"); err != nil {
		return err
	}
	etcd, err := resident(b.etcdPid())
	if err != nil {
		return err
	}
	g.set("etcd: resident, MiB", fmt.Sprint(etcd))
	status, err := b.seeder.client.Status(ctx, b.endpoint)
	if err != nil {
		return err
	}
	g.set("etcd: its file, MB", fmt.Sprint(status.DbSize/1e6))
	return nil
}

func (b *bench) setMemory(g *grid, s *thingServer, when string) error {
	mib, err := resident(s.pid())
	g.set("resident, "+when+", MiB", fmt.Sprint(mib))
	return err
}

// requestThings measures requests.
func (b *bench) requestThings(ctx context.Context, g *grid, s *thingServer, n int) error {
	any := func() int { return rand.IntN(n) }
	read := func(query func() string) func(context.Context, int) error {
		return func(ctx context.Context, _ int) error {
			_, err := s.get(ctx, query(), protobuf)
			return err
		}
	}
	namespaced := func(i int) string {
		return "/apis/scale.example.com/v1alpha1/namespaces/" + thingNamespace(i) + "/thing0s"
	}
	for _, w := range []struct {
		name  string
		count int
		do    func(context.Context, int) error
	}{
		{"get, linearizable", 4000, read(func() string { i := any(); return namespaced(i) + "/" + thingName(i) })},
		{"list one namespace of 100", 500, read(func() string { return namespaced(any()) })},
		{"a page of 500 at the beginning", 100, read(func() string { return thingsPath + "?limit=500" })},
		{"list by label, 10 of all", 200, read(func() string { return thingsPath + "?labelSelector=batch%3D" + thingBatch(any()) })},
		{"list all", 2, read(func() string { return thingsPath })},
		{"list all as metadata", 2, func(ctx context.Context, _ int) error {
			_, err := s.get(ctx, thingsPath, "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
			return err
		}},
		{"create", 1000, func(ctx context.Context, i int) error {
			return s.create(ctx, 0, "scratch", fmt.Sprintf("made-%d-%d", n, i), "")
		}},
		{"merge patch", 1000, func(ctx context.Context, i int) error {
			return s.patchThing(ctx, i, i)
		}},
	} {
		say("%d objects: %s", n, w.name)
		cost, err := s.each(ctx, b.some(w.count), w.do)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		g.set(w.name, show(cost))
	}
	return nil
}

// some is how many times something is done: less in a short run.
func (b *bench) some(count int) int {
	if b.short {
		return max(2, count/10)
	}
	return count
}

// patchThing changes an annotation of the thing with number i.
func (s *thingServer) patchThing(ctx context.Context, i, round int) error {
	_, err := s.client.do(ctx, request{
		method: "PATCH", path: "/apis/scale.example.com/v1alpha1/namespaces/" + thingNamespace(i) + "/thing0s/" + thingName(i),
		accept: protobuf, contentType: mergePatch, body: fmt.Appendf(nil, `{"metadata":{"annotations":{"round":"%d"}}}`, round),
	})
	return err
}

// watchThings measures how long a change takes to reach one of a hundred watchers of everything,
// from the request to the event.
func (g *grid) watchThings(ctx context.Context, b *bench, s *thingServer, n int) error {
	const watchers = 100
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard := make(chan struct{}, watchers)
	revision, err := s.revision(ctx)
	if err != nil {
		return err
	}
	for i := range watchers {
		resp, err := s.client.open(ctx, s.client.transports[i%connections], request{
			method: "GET", path: thingsPath + "?watch=1&timeoutSeconds=600&resourceVersion=" + revision, accept: protobufWatch,
		})
		if err != nil {
			return err
		}
		go func() {
			defer resp.Body.Close()
			for buf := make([]byte, 64<<10); ; {
				if _, err := resp.Body.Read(buf); err != nil {
					return
				}
				heard <- struct{}{}
			}
		}()
	}
	sleep(ctx, time.Second)
	var took []time.Duration
	for round := range b.some(100) {
		for len(heard) > 0 {
			<-heard
		}
		begun := time.Now()
		if err := s.patchThing(ctx, n/2, 1_000_000+round); err != nil {
			return err
		}
		for range watchers {
			select {
			case <-heard:
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(eventTimeout):
				return fmt.Errorf("%d objects: a watcher has heard nothing within %v", n, eventTimeout)
			}
		}
		took = append(took, time.Since(begun))
	}
	g.set("a patch until all of 100 watchers have it, median", show(median(took)))
	return nil
}
