package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
)

// run is a program that notes figures of some rows. Those of a test are the tests that make test
// runs, or their long form.
type run struct {
	rows []drill.Row
	dir  string
	// long and short are commands; nil: this form does not have it.
	long, short []string
}

// tests is a run of the tests of a nested module whose names match.
func tests(dir, names, long, short string, rows ...drill.Row) run {
	args := func(flags string) []string {
		return append([]string{"go", "test", "-count=1", "-timeout", "10h", "-run", names, "."}, strings.Fields(flags)...)
	}
	return run{rows: rows, dir: dir, long: args(long), short: args(short)}
}

// bench is a run of a part of test/bench.
func bench(part string, rows ...drill.Row) run {
	args := []string{"go", "run", ".", "-parts", part}
	return run{rows: rows, dir: "test/bench", long: args, short: append(slices.Clone(args), "-short")}
}

func (r run) args(short bool) []string {
	if short {
		return r.short
	}
	return r.long
}

func (r run) String() string { return r.dir + ": " + strings.Join(r.long, " ") }

// measures says if it notes a figure of a row that is wanted; nil wants all.
func (r run) measures(wanted map[drill.Row]bool) bool {
	return wanted == nil || slices.ContainsFunc(r.rows, func(row drill.Row) bool { return wanted[row] })
}

// runAll runs what measures the wanted rows, one after the other, and returns what failed.
func runAll(ctx context.Context, wanted map[drill.Row]bool, short bool, file string) (failed []run, err error) {
	chosen := slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return !r.measures(wanted) || r.args(short) == nil })
	var anew []drill.Row
	for _, r := range chosen {
		anew = append(anew, r.rows...)
	}
	if err := forget(file, anew); err != nil {
		return nil, err
	}
	for _, r := range chosen {
		args := r.args(short)
		began := time.Now()
		fmt.Fprintf(os.Stderr, "==> %s: %s\n", r.dir, strings.Join(args, " "))
		err := r.start(ctx, args, file)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			failed = append(failed, r)
		}
		fmt.Fprintf(os.Stderr, "    after %v: %v\n", time.Since(began).Round(time.Second), outcome(err))
	}
	return failed, nil
}

func outcome(err error) string {
	if err != nil {
		return err.Error()
	}
	return "done"
}

// start runs the command. What tests use of the programs in bin is named in its environment.
func (r run) start(ctx context.Context, args []string, file string) error {
	bin, err := filepath.Abs("bin")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), drill.File+"="+file, "ETCD="+filepath.Join(bin, "etcd"), "KUBECTL="+filepath.Join(bin, "kubectl"))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}

// failures is an error that names what failed.
func failures(failed []run) (err error) {
	for _, r := range failed {
		err = errors.Join(err, fmt.Errorf("failed: %v", r))
	}
	return err
}
