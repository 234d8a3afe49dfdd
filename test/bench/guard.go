package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// guardLimit is the ratio of the CPU times above which a row fails.
	guardLimit = 1.05
	// guardRounds is the least number of rounds. With fewer the confidence interval of a median
	// covers less than 90 %.
	guardRounds = 5
	// guardFile receives the table, beside the source of this program.
	guardFile = "guard.md"

	// guardTimes is how many times as many requests the guard sends as other parts, because a
	// difference of 5 % is small.
	guardTimes = 3

	// nameBase is the name of the server of -base, and of its program.
	nameBase = "base"
)

// guardedRows returns the rows that the guard compares.
func guardedRows() []row {
	names := []string{"get, linearizable, protobuf", "list all, protobuf", listedAsJSON, "create, protobuf", updated, deliveries(200, protobufWatch, 0, 0).name}
	guarded := slices.DeleteFunc(rows(), func(r row) bool { return !slices.Contains(names, r.name) })
	for i := range guarded {
		guarded[i].count *= guardTimes
	}
	return guarded
}

// guard compares the CPU time of this build with that of the commit of -base. Both builds serve the
// same pods from one etcd, and take turns in every row. It fails if a row's median ratio exceeds
// guardLimit.
func guard(ctx context.Context, l *lab, out io.Writer) error {
	if err := l.buildBase(ctx); err != nil {
		return err
	}
	b, err := l.seeded(ctx, "guard", 0)
	if err != nil {
		return err
	}
	defer b.stop()
	b.n = l.n
	if b.stored, err = b.seeder.seed(ctx, b.n, "/"+nameOurs, "/"+nameBase); err != nil {
		return err
	}
	for _, name := range []string{nameOurs, nameBase} {
		dir, err := l.place(filepath.Join("guard", name))
		if err != nil {
			return err
		}
		t, err := b.startOne(ctx, name, dir, "/"+name)
		if err != nil {
			return err
		}
		b.targets = append(b.targets, t)
	}
	if err := b.measure(ctx, guardedRows()); err != nil {
		return err
	}
	file, err := os.Create(guardFile)
	if err != nil {
		return err
	}
	defer file.Close()
	return b.compareBuilds(ctx, io.MultiWriter(out, file))
}

// buildBase compiles the measured server of the commit of -base into the directory of the programs.
func (l *lab) buildBase(ctx context.Context) error {
	tree := filepath.Join(l.dir, "base-source")
	if err := command(ctx, root, "git", "worktree", "add", "--quiet", "--detach", tree, l.base); err != nil {
		return fmt.Errorf("check out -base=%s: %w", l.base, err)
	}
	defer command(context.WithoutCancel(ctx), root, "git", "worktree", "remove", "--force", tree)
	return measured.build(ctx, filepath.Join(tree, "test", "bench"), filepath.Join(l.bin, nameBase))
}

// compareBuilds writes a table of both builds. It returns an error that names the rows in which
// this build exceeds the limit.
func (b *bench) compareBuilds(ctx context.Context, out io.Writer) error {
	base, err := output(ctx, "git", "log", "-1", "--format=%h of %cs", b.base)
	if err != nil {
		return err
	}
	head, err := output(ctx, "git", "describe", "--always", "--dirty", "--exclude=*")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "# This build beside an earlier one\n\n`make bench-guard BASE=COMMIT` wrote this page on %s: %s beside %s, %d pods of %d bytes,\n%d pairs of rounds. Ratio is the median of the pairs' ratios, with its confidence interval. Above %.2f the guard fails.\n\n",
		time.Now().UTC().Format(time.DateOnly), head, base, b.n, b.stored, b.rounds, guardLimit)
	low, coverage := interval(b.rounds)
	fmt.Fprintf(out, "| CPU time of the server | %s | %s | ratio | %.0f %% interval |\n|---|---|---|---|---|\n", b.base, head, 100*coverage)
	var dearer []string
	for _, r := range b.wanted(guardedRows()) {
		ours, base := b.cell(r, nameOurs), b.cell(r, nameBase)
		ratios := pairRatios(ours.cost, base.cost)
		median := middle(ratios)
		fmt.Fprintf(out, "| %s | %s | %s | %.3f | %.3f–%.3f |\n", r.name, show(middle(base.cost)), show(middle(ours.cost)), median, ratios[low], ratios[len(ratios)-1-low])
		if median > guardLimit {
			dearer = append(dearer, fmt.Sprintf("%s (%.3f)", r.name, median))
		}
	}
	fmt.Fprintln(out)
	if dearer != nil {
		return fmt.Errorf("more than %.0f %% dearer than %s: %s", 100*(guardLimit-1), b.base, strings.Join(dearer, ", "))
	}
	return nil
}

// pairRatios divides the costs of one build by those of the other, round by round, and returns the
// ratios in ascending order.
func pairRatios(cost, than []time.Duration) []float64 {
	ratios := make([]float64, len(cost))
	for i := range cost {
		ratios[i] = float64(cost[i]) / float64(than[i])
	}
	slices.Sort(ratios)
	return ratios
}

// interval returns the narrowest confidence interval of a median of n values that covers at least
// 90 %, and its coverage. The interval reaches from the value with low values below it to the one
// with low values above it. It comes from the binomial distribution, because nothing is known of
// the distribution of the values.
func interval(n int) (low int, coverage float64) {
	p := 1.0 // of no value below the median
	for range n {
		p /= 2
	}
	coverage = 1 - 2*p
	for tail := p; ; low++ {
		p = p * float64(n-low) / float64(low+1)
		tail += p
		if 1-2*tail < 0.9 {
			return low, coverage
		}
		coverage = 1 - 2*tail
	}
}

func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stderr, os.Stderr
	return cmd.Run()
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	return strings.TrimSpace(string(out)), err
}
