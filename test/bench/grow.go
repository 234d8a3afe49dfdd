package main

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// moreWatchers measures what an event costs for each of ever more watchers, and what these hold in
// memory.
func moreWatchers(ctx context.Context, l *lab, out io.Writer) error {
	sizes := []int{10, 100, 1000, 5000}
	if l.short {
		sizes = []int{10, 100}
	}
	b, err := l.open(ctx, "watchers", l.n)
	if err != nil {
		return err
	}
	defer b.stop()
	if err := b.startReady(ctx, nil); err != nil {
		return err
	}
	var rows []row
	for _, n := range sizes {
		// About as many deliveries for each number of watchers, but events enough to be seen in
		// ticks of 10 ms.
		rows = append(rows, deliveries(n, protobufWatch, min(1000, max(8, 20_000/n)), 10))
	}
	if err := b.measure(ctx, rows); err != nil {
		return err
	}
	fmt.Fprintf(out, "### More watchers\n\n%d pods. CPU time of the server for one event and watcher, the median of %d rounds; resident memory while they watch.\n\n", b.n, b.rounds)
	fmt.Fprint(out, "| watchers | ours | ready bytes | times | k8s.io/apiserver | ratio | ours, MiB | k8s.io/apiserver, MiB |\n|---|---|---|---|---|---|---|---|\n")
	for i, r := range rows {
		ours, bytes, peer := b.cell(r, nameOurs), b.cell(r, nameReady), b.cell(r, namePeer)
		if len(ours.cost) == 0 {
			continue // -rows leaves it out
		}
		fmt.Fprintf(out, "| %d | %s | %s | %s | %s | %s | %d | %d |\n", sizes[i], ours, bytes, ratio(bytes, ours), peer, ratio(ours, peer), middle(ours.resident), middle(peer.resident))
	}
	fmt.Fprintln(out)
	return nil
}

// moreObjects measures what starting and some of the rows cost with ever more pods.
func moreObjects(ctx context.Context, l *lab, out io.Writer) error {
	sizes := []int{1000, 10_000, 100_000}
	if l.short {
		sizes = []int{1000, 2000}
	}
	var grown []growth
	for _, n := range sizes {
		g, err := l.grow(ctx, n)
		if err != nil {
			return fmt.Errorf("with %d pods: %w", n, err)
		}
		grown = append(grown, g)
	}
	fmt.Fprintf(out, "### More pods\n\nPods of %d bytes. CPU time of the server, the median of %d rounds.\n\n", grown[0].stored, l.rounds)
	printGrowth(out, grown)
	return nil
}

// growth is what was measured over some number of pods.
type growth struct {
	*bench
	lists map[string]int // MiB resident behind lists of everything
	rows  []row
}

// grow measures over n pods. What it returns does not run any more.
func (l *lab) grow(ctx context.Context, n int) (growth, error) {
	say("%d pods", n)
	b, err := l.open(ctx, fmt.Sprintf("objects-%d", n), n)
	if err != nil {
		return growth{}, err
	}
	defer b.stop()
	g := growth{bench: b, lists: map[string]int{}, rows: b.wanted(slices.DeleteFunc(rows(), func(r row) bool { return !r.grows }))}
	for _, t := range b.targets {
		for _, accept := range []string{protobuf, asJSON, protobuf} {
			if err := listed(ctx, t, request{path: "/api/v1/pods", accept: accept}, n); err != nil {
				return growth{}, err
			}
		}
		if g.lists[t.name], err = resident(t.pid()); err != nil {
			return growth{}, err
		}
	}
	if err := b.startReady(ctx, g.rows); err != nil {
		return growth{}, err
	}
	return g, b.measure(ctx, g.rows)
}

// printGrowth has a column for each number of pods and server.
func printGrowth(w io.Writer, grown []growth) {
	servers := []string{nameOurs, nameReady, namePeer}
	fmt.Fprint(w, "| |")
	for _, name := range []string{"ours", "ready bytes", "k8s.io/apiserver"} {
		for _, g := range grown {
			fmt.Fprintf(w, " %s, %d |", name, g.n)
		}
	}
	fmt.Fprint(w, " at most, 100000 |\n|---|")
	for range len(servers)*len(grown) + 1 {
		fmt.Fprint(w, "---|")
	}
	line := func(name, most string, value func(g growth, server string) string) {
		fmt.Fprintf(w, "\n| %s |", name)
		for _, server := range servers {
			for _, g := range grown {
				fmt.Fprintf(w, " %s |", value(g, server))
			}
		}
		fmt.Fprintf(w, " %s |", most)
	}
	line("resident, after lists, MiB", "500", func(g growth, server string) string {
		if mib, ok := g.lists[server]; ok {
			return fmt.Sprint(mib)
		}
		return "–"
	})
	last := grown[len(grown)-1]
	for _, r := range last.rows {
		most, _ := last.judge(r)
		line(r.name, most, func(g growth, server string) string { return span(g.cell(r, server).cost, false) })
	}
	fmt.Fprint(w, "\n\n")
}
