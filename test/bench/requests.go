package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// requests measures every row over n pods, and memory between them.
func requests(ctx context.Context, l *lab, out io.Writer) error {
	b, err := l.open(ctx, "requests", 0)
	if err != nil {
		return err
	}
	defer b.stop()
	// A server that has just started is still busy with itself.
	idle := 5 * time.Second
	if l.short {
		idle = time.Second
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(idle):
	}
	if err := b.remember(moment{name: fmt.Sprintf("idle, no pods, %v after its start", idle), peer: 69, most: 45}); err != nil {
		return err
	}
	b.stopServers()
	b.n = l.n
	if err := b.fill(ctx); err != nil {
		return err
	}
	if err := b.startServers(ctx); err != nil {
		return err
	}
	if err := b.remember(moment{name: "started, all pods listed once"}); err != nil {
		return err
	}
	if err := b.startReady(ctx, rows()); err != nil {
		return err
	}
	if err := b.measure(ctx, rows()); err != nil {
		return err
	}
	fmt.Fprintf(out, "### Requests\n\n%d pods of %d bytes; CPU time of the server for one unit of work, the median of %d rounds (from the least to the most).\n\n", b.n, b.stored, b.rounds)
	b.printRows(out)
	b.printMemory(out)
	if b.profiles == "" {
		return nil
	}
	return b.profile(ctx, b.profiles)
}
