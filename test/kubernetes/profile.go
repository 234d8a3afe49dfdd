package main

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// profiles are what examples/kubernetes does in each state of a workload. In dir there are, for
// each state, a CPU profile and the requests, and a profile of the memory in use at the end.
type profiles struct {
	dir    string
	taken  int
	before series
}

// profile runs a workload on examples/kubernetes alone, which is built with the tag profiled.
func profile(ctx context.Context, c *cluster, dir string, w workload) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	c.profiles = &profiles{dir: dir}
	r, err := measure(ctx, c, ours, w)
	if err != nil {
		return err
	}
	for i, name := range w.states() {
		fmt.Printf("%s: %.1f s, CPU %.2f s, CPU of etcd %.2f s\n", name, r.took[i].Seconds(), r.used[i].server.Seconds(), r.used[i].etcd.Seconds())
	}
	sum := sumUsage(r.used)
	fmt.Printf("all: CPU %.2f s, CPU of etcd %.2f s, %d MiB\n", sum.server.Seconds(), sum.etcd.Seconds(), r.resident)
	return nil
}

// note ends the profile of a state, and begins the next.
func (p *profiles) note(ctx context.Context, c *cluster, state string) error {
	name := filepath.Join(p.dir, fmt.Sprintf("%d-%s", p.taken, strings.ReplaceAll(state, " ", "-")))
	p.taken++
	if err := c.keepProfile(ctx, "/cpu", name+".pprof"); err != nil {
		return err
	}
	now, err := metrics(ctx, c.server.Client, c.server.URL)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if n := now[key] - p.before[key]; n != 0 && strings.HasPrefix(key, "apiserver_request_total{") {
			fmt.Fprintf(&lines, "%6.0f %s\n", n, key)
		}
	}
	p.before = now
	return os.WriteFile(name+".requests", []byte(lines.String()), 0o644)
}

// keepProfile asks the socket of the server, and keeps the answer in a file.
func (c *cluster) keepProfile(ctx context.Context, path, file string) error {
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", c.debugSocket())
	}}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://server"+path, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("a server without the tag profiled? %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, resp.Status)
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if _, err := out.ReadFrom(resp.Body); err != nil {
		return err
	}
	return out.Close()
}
