package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// audited measures what the audit log, which is on by default, adds to a write. Two of our servers
// on one etcd, with it and without, do the same in turn.
func audited(ctx context.Context, l *lab, out io.Writer) error {
	const pods, times = 2000, 3 // and how many times as much is done as in other parts, for the difference is small
	b, err := l.seeded(ctx, "audit", pods)
	if err != nil {
		return err
	}
	defer b.stop()
	for _, s := range []struct {
		name, prefix string
		flags        []string
	}{{"with", "/ours", nil}, {"without", "/peer", []string{"--audit-log-path="}}} {
		dir := filepath.Join(b.dir, s.name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		t, err := b.startOne(ctx, nameOurs, dir, s.prefix, s.flags...)
		if err != nil {
			return err
		}
		t.name = s.name
		b.targets = append(b.targets, t)
	}
	writes := slices.DeleteFunc(rows(), func(r row) bool { return !r.writes })
	for i := range writes {
		writes[i].count *= times
	}
	if err := b.measure(ctx, writes); err != nil {
		return err
	}
	fmt.Fprintf(out, "### The audit log\n\nCPU time of the server for one write, the median of %d rounds (from the least to the most).\n\n", b.rounds)
	fmt.Fprint(out, "| work | with the audit log | without | more |\n|---|---|---|---|\n")
	for _, r := range b.wanted(writes) {
		with, without := b.cell(r, b.targets[0].name), b.cell(r, b.targets[1].name)
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", r.name, with, without, more(with, without))
	}
	_, err = fmt.Fprintln(out)
	return err
}

// more is how much more one cell has than another one.
func more(c, than *cell) string {
	if len(c.cost) == 0 || len(than.cost) == 0 || median(than.cost) == 0 {
		return "–"
	}
	return fmt.Sprintf("%+.1f %%", 100*(float64(median(c.cost))/float64(median(than.cost))-1))
}
