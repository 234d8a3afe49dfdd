package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// side is a server that is measured.
type side struct {
	name  string
	serve server
}

// sides are measured by turns, each over an etcd of its own.
var sides = []side{{"kube-apiserver", kubeAPIServer}, {"examples/kubernetes", ours}}

// result is what a workload has taken on a side.
type result struct {
	took                   []time.Duration // of each phase; the first is the start
	used                   []usage
	resident, peak         int // MiB: after the heartbeats, and the most
	requests, busy, broken float64
	recorder               *recorder
}

// besideFlags are what the programs around the servers are told beside the stock flags. The
// controller manager may ask more than 20 requests a second, since otherwise it would be measured.
// Nobody gives up because a machine that has other things to do renews a lease too late.
var besideFlags = map[string][]string{
	"kube-controller-manager": {"--kube-api-qps=200", "--kube-api-burst=400", "--leader-elect=false"},
	"kube-scheduler":          {"--leader-elect=false"},
}

// beside runs a workload on both sides, and prints what it took. page is a file with a place for
// as many nodes, or "".
func beside(ctx context.Context, bin, dir, page string, w workload, patience time.Duration) error {
	place := fmt.Sprintf("make beside with %d nodes", w.nodes)
	if page != "" {
		if _, _, err := textAround(page, place); err != nil {
			return err
		}
	}
	results := make([]result, len(sides))
	for i, s := range sides {
		own := filepath.Join(dir, filepath.Base(s.name))
		if err := os.Mkdir(own, 0o700); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s, load %s\n", s.name, load())
		r, err := measure(ctx, &cluster{bin: bin, dir: own, patience: patience}, s.serve, w)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		results[i] = *r
	}
	table := printBeside(w, results)
	fmt.Print(table)
	if page == "" {
		return nil
	}
	return insert(page, place, table)
}

// around are the programs of a cluster, with besideFlags.
func around() []program {
	all := slices.Clone(programs)
	for i, p := range all {
		all[i].flags = slices.Concat(p.flags, besideFlags[p.name])
	}
	return all
}

// measure runs a workload on a new cluster.
func measure(ctx context.Context, c *cluster, serve server, w workload) (r *result, err error) {
	bin, err := filepath.Abs(c.bin)
	if err != nil {
		return nil, err
	}
	e, err := startEtcd(ctx, bin, c.dir)
	if err != nil {
		return nil, err
	}
	defer e.stop()
	c.etcd = e.url
	begun := time.Now()
	if err := c.start(ctx, serve, around()...); err != nil {
		return nil, err
	}
	defer c.stop()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	go func() {
		select {
		case err := <-c.ended:
			fail(err)
		case <-ctx.Done():
		}
	}()
	r = &result{recorder: &recorder{took: map[string][]time.Duration{}}}
	pid, a := c.server.Cmd.Process.Pid, &api{c.server.URL, c.server.Client}
	last := usage{}
	note := func() error {
		now, err := used(ctx, pid, e)
		r.took, r.used = append(r.took, time.Since(begun)), append(r.used, now.minus(last))
		if c.profiles != nil {
			err = errors.Join(err, c.profiles.note(ctx, c, w.states()[len(r.took)-1]))
		}
		begun, last = time.Now(), now
		return err
	}
	starting, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	err = until(starting, func() (bool, error) {
		err := a.do(ctx, "GET", "/api/v1/namespaces/default/serviceaccounts/default", "", nil)
		return err == nil, err
	})
	if err := errors.Join(err, note()); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	before, err := metrics(ctx, c.server.Client, c.server.URL)
	if err != nil {
		return nil, err
	}
	asking, stopAsking := context.WithCancel(ctx)
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		r.recorder.run(asking, a)
	}()
	defer func() {
		stopAsking()
		<-asked
	}()
	for _, p := range w.phases() {
		limit, cancel := context.WithTimeout(ctx, c.patience+w.heartbeats)
		err := p.do(limit, a)
		cancel()
		if err := errors.Join(err, note()); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Fprintf(os.Stderr, "  %s: %.1f s\n", p.name, r.took[len(r.took)-1].Seconds())
	}
	if r.resident, err = memory(pid, "VmRSS"); err != nil {
		return nil, err
	}
	if r.peak, err = memory(pid, "VmHWM"); err != nil {
		return nil, err
	}
	if c.profiles != nil {
		return r, c.keepProfile(ctx, "/debug/pprof/heap?gc=1", filepath.Join(c.profiles.dir, "memory.pprof"))
	}
	values, err := metrics(ctx, c.server.Client, c.server.URL)
	const total = "apiserver_request_total"
	since := func(label string) float64 { return values.sum(total, label) - before.sum(total, label) }
	r.requests, r.busy, r.broken = since(""), since(`code="429"`), since(`code="5`)
	return r, err
}

// load is the load average of the last minute, as the kernel has it.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// insert puts a table into its place in a page, between the lines that name the command.
func insert(page, command, table string) error {
	before, after, err := textAround(page, command)
	if err != nil {
		return err
	}
	return os.WriteFile(page, []byte(before+table+after), 0o644)
}

// textAround is the text of a page before and behind what a command prints there, with the lines
// that name it.
func textAround(page, command string) (before, after string, err error) {
	begins, ends := "<!-- Printed by "+command+". Don't edit. -->\n", "<!-- The end of what "+command+" prints. -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		return "", "", err
	}
	before, rest, ok := strings.Cut(string(text), begins)
	_, after, ended := strings.Cut(rest, ends)
	if !ok || !ended {
		return "", "", fmt.Errorf("%s has no place for the table: want the lines %q and %q there, or -page '' to print it only", page, begins, ends)
	}
	return before + begins, ends + after, nil
}
