package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// cell is what was measured of one row for one server.
type cell struct {
	skipped  string // why it was not
	cost     []time.Duration
	etcd     []time.Duration
	resident []int // MiB behind the last step, while what the row has opened is there
}

// moment is the memory of each server at a time that name describes.
type moment struct {
	name       string
	mib        []int
	peer, most int // the budgets in MiB; 0 if there is none
}

// wanted are those of rows that the options want.
func (b *bench) wanted(rows []row) []row {
	return slices.DeleteFunc(rows, func(r row) bool { return !b.options.rows.MatchString(r.name) })
}

// measure does every row in every round to both servers, in turns, so that what disturbs the
// machine disturbs both.
func (b *bench) measure(ctx context.Context, rows []row) error {
	for round := range b.rounds {
		readsOnly := true
		for _, r := range b.wanted(rows) {
			if readsOnly && r.writes && round == 0 {
				if err := b.remember(moment{name: "after the gets and lists of round 1", peer: 460, most: 130}); err != nil {
					return err
				}
			}
			readsOnly = readsOnly && !r.writes
			say("round %d of %d: %s", round+1, b.rounds, r.name)
			order := slices.Clone(b.targets)
			if round%2 == 1 {
				slices.Reverse(order)
			}
			for _, t := range order {
				if err := b.measureRow(ctx, r, t); err != nil {
					return err
				}
			}
		}
		if err := b.remember(moment{name: fmt.Sprintf("after round %d", round+1), peer: 900, most: 180}); err != nil {
			return err
		}
		for _, t := range b.targets {
			if err := t.clear(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// measureRow does a row to one server: some times to warm up, then counted.
func (b *bench) measureRow(ctx context.Context, r row, t *target) error {
	c := b.cell(r, t.name)
	if c.skipped != "" || !r.concerns(t) {
		return nil
	}
	do, stop, err := r.begin(ctx, t)
	if err != nil {
		return err
	}
	defer stop()
	count := b.count(r, t)
	warm := max(1, count/10)
	if r.prepare != nil {
		if err := r.prepare(ctx, t, warm+count); err != nil {
			return err
		}
	}
	err = r.repeat(ctx, t, do, warm)
	if reason, ok := missing(err); ok {
		c.skipped = reason
		return nil
	}
	if err != nil {
		return err
	}
	if err := t.collect(ctx); err != nil {
		return err
	}
	server, etcd, err := b.spent(t)
	if err != nil {
		return err
	}
	if err := r.repeat(ctx, t, do, count); err != nil {
		return err
	}
	serverThen, etcdThen, err := b.spent(t)
	if err != nil {
		return err
	}
	units := time.Duration(count * max(1, r.units))
	c.cost = append(c.cost, (serverThen-server)/units)
	c.etcd = append(c.etcd, (etcdThen-etcd)/units)
	mib, err := resident(t.pid())
	c.resident = append(c.resident, mib)
	return err
}

// count is how many times a row is done to a server.
func (b *bench) count(r row, t *target) int {
	count := r.count
	if b.short {
		count = r.short
	}
	if r.scans && b.n > 10_000 {
		count = max(r.short, count*10_000/b.n)
	}
	if r.owned {
		count = min(count, len(t.pods))
	}
	return count
}

// spent is the CPU time of a server and of etcd so far.
func (b *bench) spent(t *target) (server, etcd time.Duration, err error) {
	if server, err = cpu(t.pid()); err != nil {
		return 0, 0, err
	}
	etcd, err = cpu(b.etcdPid())
	return server, etcd, err
}

// cell is what was measured of a row for a server; empty, if nothing was.
func (b *bench) cell(r row, server string) *cell {
	if b.cells[r.name] == nil {
		b.cells[r.name] = map[string]*cell{}
	}
	if b.cells[r.name][server] == nil {
		b.cells[r.name][server] = new(cell)
	}
	return b.cells[r.name][server]
}

// remember adds a moment with the memory as it is now.
func (b *bench) remember(m moment) error {
	for _, t := range b.targets {
		mib, err := resident(t.pid())
		if err != nil {
			return err
		}
		m.mib = append(m.mib, mib)
	}
	b.memory = append(b.memory, m)
	return nil
}

// fileName is the name of a row as a part of one.
func (r row) fileName() string {
	return strings.Trim(strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, r.name), "-")
}
