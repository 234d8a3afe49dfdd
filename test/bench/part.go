package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// part is one question that a run answers, with tables of its own. A part that fails does not keep
// the others from being measured.
type part struct {
	name string
	run  func(ctx context.Context, l *lab, out io.Writer) error
	// asked says that the part runs only if -parts names it.
	asked bool
}

func parts() []part {
	return []part{
		{name: "sizes", run: sizes},
		{name: "embedded", run: embedded},
		{name: "starts", run: starts},
		{name: "requests", run: requests},
		{name: "watchers", run: moreWatchers},
		{name: "objects", run: moreObjects},
		{name: "audit", run: audited},
		{name: "documents", run: documents},
		{name: "guard", run: guard, asked: true},
		{name: "staircase", run: staircase, asked: true},
		{name: "kinds", run: moreKinds, asked: true},
		{name: "crowd", run: crowds, asked: true},
		{name: "lists", run: manyLists, asked: true},
		{name: "million", run: manyObjects, asked: true},
		{name: "servers", run: moreServers, asked: true},
	}
}

// partNames are the names of all parts, or of those that run when nobody names one.
func partNames(all bool) []string {
	var names []string
	for _, p := range parts() {
		if all || !p.asked {
			names = append(names, p.name)
		}
	}
	return names
}

// lab is where parts work.
type lab struct {
	options
	dir string // what processes write: data and logs
	bin string // the programs
}

func run(ctx context.Context, o options, out io.Writer) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	if o.keep {
		fmt.Fprintln(os.Stderr, "working directory:", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	l := &lab{options: o, dir: dir}
	fmt.Fprintln(os.Stderr, "building")
	if l.bin, err = build(ctx, o.programs()); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, %d CPUs, %s/%s, %s; load of the machine before: %s.\n\n", time.Now().UTC().Format("2006-01-02 15:04 MST"), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), load())
	var failed error
	for _, p := range parts() {
		if ctx.Err() != nil || !slices.Contains(o.parts, p.name) {
			continue
		}
		if err := p.run(ctx, l, out); err != nil {
			err = fmt.Errorf("%s: %w", p.name, err)
			fmt.Fprintln(os.Stderr, err)
			failed = errors.Join(failed, err)
		}
	}
	return errors.Join(failed, context.Cause(ctx))
}

// compares says whether a part needs our server and its peer.
func (o options) compares() bool {
	return slices.ContainsFunc(parts(), func(p part) bool { return !p.asked && slices.Contains(o.parts, p.name) })
}

// place makes a directory of the lab.
func (l *lab) place(name string) (string, error) {
	dir := filepath.Join(l.dir, name)
	return dir, os.MkdirAll(dir, 0o700)
}

// load is the load average of the last minute, as the kernel has it.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
