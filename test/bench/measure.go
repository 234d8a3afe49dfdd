package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// bench is one run of the harness.
type bench struct {
	options
	etcd    *process
	targets []*target // ours and the peer
	stored  int       // bytes of one pod in etcd
	cells   map[string]map[string]*cell
	memory  []moment
}

// cell is what was measured of one row for one server.
type cell struct {
	skipped string // why it was not
	cost    []time.Duration
	etcd    []time.Duration
}

// moment is the memory of each server at a time that name describes.
type moment struct {
	name string
	mib  []int
}

// rows are the ones that the options want.
func (b *bench) rows() []row {
	return slices.DeleteFunc(rows(), func(r row) bool { return !b.options.rows.MatchString(r.name) })
}

// measure does every row in every round to both servers, in turns, so that what disturbs the machine disturbs both.
func (b *bench) measure(ctx context.Context) error {
	if err := b.remember("started, caches filled"); err != nil {
		return err
	}
	for round := range b.rounds {
		for _, r := range b.rows() {
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, b.rounds, r.name)
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
		if err := b.remember(fmt.Sprintf("after round %d", round+1)); err != nil {
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
	c := b.cell(r, t)
	if c.skipped != "" {
		return nil
	}
	do, stop, err := r.begin(ctx, t)
	if err != nil {
		return err
	}
	defer stop()
	count := b.count(r)
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
	return nil
}

func (b *bench) count(r row) int {
	if b.short {
		return r.short
	}
	return r.count
}

// spent is the CPU time of a server and of etcd so far.
func (b *bench) spent(t *target) (server, etcd time.Duration, err error) {
	if server, err = cpu(t.pid()); err != nil {
		return 0, 0, err
	}
	etcd, err = cpu(b.etcd.pid())
	return server, etcd, err
}

func (b *bench) cell(r row, t *target) *cell {
	if b.cells[r.name] == nil {
		b.cells[r.name] = map[string]*cell{}
	}
	if b.cells[r.name][t.name] == nil {
		b.cells[r.name][t.name] = new(cell)
	}
	return b.cells[r.name][t.name]
}

func (b *bench) remember(name string) error {
	m := moment{name: name}
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

func (b *bench) stop() {
	for _, t := range b.targets {
		t.stop()
	}
	if b.etcd != nil {
		b.etcd.stop()
	}
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
