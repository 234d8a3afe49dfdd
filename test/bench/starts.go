package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// starts measures how each server comes up over ever more pods, in turn: etcd has them all, the
// server knows none.
func starts(ctx context.Context, l *lab, out io.Writer) error {
	sizes := []int{1000, 10_000, 100_000}
	if l.short {
		sizes = []int{1000, 2000}
	}
	fmt.Fprintf(out, "### Starts\n\nUntil the cache has all pods in it; the median of %d starts (from the least to the most), by turns.\n\n", l.rounds)
	fmt.Fprint(out, "| pods | | ours | k8s.io/apiserver | ratio | ours, at most |\n|---|---|---|---|---|---|\n")
	for _, n := range sizes {
		ours, peer, err := l.startups(ctx, n)
		if err != nil {
			return fmt.Errorf("with %d pods: %w", n, err)
		}
		printStarts(out, n, ours, peer)
	}
	fmt.Fprintln(out)
	return nil
}

// startups starts each server once a round over n pods.
func (l *lab) startups(ctx context.Context, n int) (ours, peer []startup, err error) {
	say("starts over %d pods", n)
	b, err := l.seeded(ctx, fmt.Sprintf("starts-%d", n), n)
	if err != nil {
		return nil, nil, err
	}
	defer b.stop()
	for round := range l.rounds {
		say("round %d of %d", round+1, l.rounds)
		if err := b.startServers(ctx); err != nil {
			return nil, nil, err
		}
		if err := b.settle(ctx); err != nil {
			return nil, nil, err
		}
		ours, peer = append(ours, b.targets[0].startup), append(peer, b.targets[1].startup)
		b.stopServers()
	}
	return ours, peer, nil
}

// settles is how long servers are left alone before their memory counts as that of a server that
// has nothing to do.
const settles = 10 * time.Second

// settle leaves the servers alone for a while, and notes what memory they have then.
func (b *bench) settle(ctx context.Context) (err error) {
	sleep(ctx, settles)
	for _, t := range b.targets {
		if t.startup.settled, err = resident(t.pid()); err != nil {
			return err
		}
	}
	return nil
}

// printStarts has a line for each thing that was measured.
func printStarts(w io.Writer, n int, ours, peer []startup) {
	budget := func(most string) string {
		if n == mostPods {
			return most
		}
		return "–"
	}
	line := func(name string, of func(startup) time.Duration, most string) {
		ours, peer := cell{cost: each(ours, of)}, cell{cost: each(peer, of)}
		fmt.Fprintf(w, "| %d | %s | %s | %s | %s | %s |\n", n, name, &ours, &peer, ratio(&ours, &peer), budget(most))
	}
	line("CPU until the cache is filled", func(s startup) time.Duration { return s.cpu }, "1.70 s, and a fifth")
	line("until the cache is filled", func(s startup) time.Duration { return s.filled }, "–")
	line("until all are listed", func(s startup) time.Duration { return s.listed }, "3.00 s")
	memory := func(name string, of func(startup) int, most string) {
		fmt.Fprintf(w, "| %d | %s | %d | %d | – | %s |\n", n, name, middle(each(ours, of)), middle(each(peer, of)), budget(most))
	}
	memory("MiB resident when it is", func(s startup) int { return s.mib }, "–")
	memory(fmt.Sprintf("MiB resident %v after all are listed", settles), func(s startup) int { return s.settled }, "450")
}

// mostPods is the number of pods that the budgets of starts are for.
const mostPods = 100_000

func each[T, R any](values []T, of func(T) R) (list []R) {
	for _, v := range values {
		list = append(list, of(v))
	}
	return list
}
