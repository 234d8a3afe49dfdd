package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/typeplane/typeplane/internal/server"
)

// stair is a server that does more for a get than the one on the stair below.
type stair struct {
	name  string
	query string // of the get
	start func(ctx context.Context, b *bench, dir string) (*target, error)
}

// preparedStairs are those of the program stairs, which sends the bytes of one pod whatever it is
// asked for.
func preparedStairs() []string {
	return append([]string{"bare net/http", "client certificates", "our connections", "panics, headers of every answer, metrics"}, server.Steps()...)
}

// stairs lead from a bare net/http server to ours.
func stairs() (all []stair) {
	for i, name := range preparedStairs() {
		all = append(all, stair{name, "", func(ctx context.Context, b *bench, dir string) (*target, error) {
			return b.startStair(ctx, dir, i)
		}})
	}
	ours := func(flags ...string) func(context.Context, *bench, string) (*target, error) {
		return func(ctx context.Context, b *bench, dir string) (*target, error) {
			return b.startOne(ctx, nameOurs, dir, "/ours", flags...)
		}
	}
	return append(all,
		stair{"registry and cache", "?resourceVersion=0", ours("--audit-log-path=")},
		stair{"audit log", "?resourceVersion=0", ours()},
		stair{"etcd's revision: linearizable", "", ours()},
	)
}

// turns is how many times all stairs take turns in a round. Each time is short, so that what
// disturbs the machine disturbs all of them.
const turns = 8

// staircase measures what a get costs on every stair.
func staircase(ctx context.Context, l *lab, out io.Writer) error {
	b, err := l.seeded(ctx, "staircase", 1000)
	if err != nil {
		return err
	}
	defer b.stop()
	all := stairs()
	steps := map[string]row{}
	// The last ones first: one of them makes the certificate of the client, and knows the pod.
	for i, s := range slices.Backward(all) {
		dir := b.stairDir(i)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		t, err := s.start(ctx, b, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		t.name = s.name
		b.targets = append(b.targets, t)
		steps[s.name] = row{name: "get", count: 1000, short: 300, workers: 8, read: onePod(s.query)}
		if i == len(all)-1 {
			if err := b.keepAnswer(ctx, t); err != nil {
				return err
			}
		}
	}
	slices.Reverse(b.targets)
	for round := range turns * b.rounds {
		say("turn %d of %d", round+1, turns*b.rounds)
		for _, t := range b.targets {
			if err := b.measureRow(ctx, steps[t.name], t); err != nil {
				return err
			}
		}
	}
	b.printStairs(out)
	return nil
}

func (b *bench) stairDir(i int) string { return filepath.Join(b.dir, strconv.Itoa(i)) }

// onePod gets the first pod.
func onePod(query string) *read {
	r := get(query, protobuf)
	first := r.ask(0)
	r.ask, r.shared = func(int) request { return first }, 0
	check := r.check
	r.check = func(body []byte, _, n int) error { return check(body, 0, n) }
	return r
}

// answerFile is where the answer is that the program stairs sends.
func (b *bench) answerFile() string { return filepath.Join(b.dir, "answer") }

func (b *bench) keepAnswer(ctx context.Context, t *target) error {
	body, err := t.client.do(ctx, onePod("").ask(0))
	if err != nil {
		return err
	}
	return os.WriteFile(b.answerFile(), body, 0o600)
}

// startStair starts the program stairs. It knows users by the authority of ours, which runs
// already.
func (b *bench) startStair(ctx context.Context, dir string, i int) (*target, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(b.stairDir(len(stairs())-1), "ours-data")
	p, err := start(dir, b.bin, "stairs", true, "--port", strconv.Itoa(port), "--stair", strconv.Itoa(i), "--dir", dir,
		"--answer", b.answerFile(), "--client-ca-file", filepath.Join(data, "pki", "ca.crt"))
	if err != nil {
		return nil, err
	}
	t := &target{process: p, n: b.n}
	err = t.until(ctx, func(ctx context.Context) error {
		config, err := adminTLS(filepath.Join(data, "admin.kubeconfig"))
		if err != nil {
			return err
		}
		pem, err := os.ReadFile(filepath.Join(dir, "serving.crt"))
		if err != nil {
			return err
		}
		config.RootCAs = pool(pem)
		t.client = newClient(port, config)
		return onePod("").do(ctx, t, 0)
	})
	if err != nil {
		t.stop()
	}
	return t, err
}

// printStairs has a line for every stair, with what it adds. Differences are taken within each
// turn, since the machine is not as busy in all of them.
func (b *bench) printStairs(out io.Writer) {
	get := row{name: "get"}
	bare := b.cell(get, b.targets[0].name).cost
	fmt.Fprintf(out, "### What a get costs, from a bare server to ours\n\nA pod of %d bytes as protobuf; CPU time of the server for one get, the medians of %d turns (from the least to the most).\n\n", b.stored, len(bare))
	fmt.Fprint(out, "| with | a get | more than the one before | times the bare one |\n|---|---|---|---|\n")
	before := bare
	for _, t := range b.targets {
		c := b.cell(get, t.name)
		var more, times []float64
		for i, cost := range c.cost {
			more = append(more, float64(cost-before[i])/1000)
			times = append(times, float64(cost)/float64(bare[i]))
		}
		fmt.Fprintf(out, "| %s | %s | %.1f µs | %.2f |\n", t.name, c, middle(more), middle(times))
		before = c.cost
	}
	fmt.Fprintln(out)
}
