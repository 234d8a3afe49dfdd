package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// moreServers measures one, two and three servers on one etcd: what a write costs each of them, and
// how soon it can be read from another.
func moreServers(ctx context.Context, l *lab, out io.Writer) error {
	n := 100_000
	if l.short {
		n = 1000
	}
	dir, err := l.place("servers")
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
	size, err := b.fillThings(ctx, 0, n)
	if err != nil {
		return err
	}
	g := grid{title: "servers"}
	var servers []*thingServer
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte(rand.Text()+"\n"), 0o600); err != nil {
		return err
	}
	for i := range 3 {
		say("%d servers", i+1)
		flags := append(b.thingFlags(), "--cluster-secret-file", secret)
		s, err := startThings(ctx, filepath.Join(dir, fmt.Sprint("server-", i)), b.bin, flags...)
		if err != nil {
			return err
		}
		servers = append(servers, s)
		if _, err := s.get(ctx, thingsPath+"?limit=1&resourceVersion=0", protobuf); err != nil {
			return err
		}
		g.column(fmt.Sprint(i + 1))
		if err := b.writeToMany(ctx, &g, servers); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "### More servers\n\nOn one etcd, over %d objects of %d bytes. All writes go to the first server. CPU times for one write.\n\n", n, size)
	g.print(out)
	return nil
}

// writeToMany writes to the first of some servers.
func (b *bench) writeToMany(ctx context.Context, g *grid, servers []*thingServer) error {
	pids := []int{b.etcdPid()}
	for _, s := range servers {
		pids = append(pids, s.pid())
	}
	before, err := spentOf(pids)
	if err != nil {
		return err
	}
	count := b.some(2000)
	r := row{name: "creates", workers: 8}
	if err := r.repeat(ctx, &target{process: servers[0].process}, func(ctx context.Context, _ *target, i int) error {
		return servers[0].create(ctx, 0, "scratch", fmt.Sprintf("made-%d-%d", len(servers), i), "")
	}, count); err != nil {
		return err
	}
	sleep(ctx, time.Second) // the others hear of it
	after, err := spentOf(pids)
	if err != nil {
		return err
	}
	cost := func(i int) string { return show((after[i] - before[i]) / time.Duration(count)) }
	g.set("etcd", cost(0))
	g.set("the server that is written to", cost(1))
	if len(servers) > 1 {
		g.set("each of the others", cost(len(servers)))
	}
	mib, err := resident(servers[len(servers)-1].pid())
	if err != nil {
		return err
	}
	g.set("resident, the last one, MiB", fmt.Sprint(mib))
	return b.readElsewhere(ctx, g, servers)
}

func spentOf(pids []int) (spent []time.Duration, err error) {
	for _, pid := range pids {
		d, err := cpu(pid)
		if err != nil {
			return nil, err
		}
		spent = append(spent, d)
	}
	return spent, nil
}

// readElsewhere changes an object at the first server and reads it from the last, which has to have
// the change: the answer waits for it.
func (b *bench) readElsewhere(ctx context.Context, g *grid, servers []*thingServer) error {
	path := "/apis/scale.example.com/v1alpha1/namespaces/" + thingNamespace(0) + "/thing0s/" + thingName(0)
	var took []time.Duration
	for round := range b.some(300) {
		if err := servers[0].patchThing(ctx, 0, len(servers)*1_000_000+round); err != nil {
			return err
		}
		begun := time.Now()
		if _, err := servers[len(servers)-1].get(ctx, path, protobuf); err != nil {
			return err
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	g.set("a get at the last one right after a patch at the first, median", show(median(took)))
	g.set("the same, p99", show(took[len(took)*99/100]))
	return nil
}
