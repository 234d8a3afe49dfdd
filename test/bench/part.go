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
}

func parts() []part {
	return []part{
		{"sizes", sizes},
		{"embedded", embedded},
		{"starts", starts},
		{"requests", requests},
		{"watchers", moreWatchers},
		{"crowd", crowds},
		{"objects", moreObjects},
		{"audit", audited},
		{"documents", documents},
	}
}

func partNames() []string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
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
	if l.bin, err = build(ctx, slices.Contains(o.parts, "sizes")); err != nil {
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
