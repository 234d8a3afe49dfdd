package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// usage is what a run took: seconds on the clock, seconds of CPU, and the largest resident set in
// bytes. The CPU is its own and that of all processes that it started and waited for, and the set
// is the largest among them.
type usage struct {
	wall, cpu float64
	rss       int64
}

// and is one run after another.
func (u usage) and(v usage) usage {
	return usage{u.wall + v.wall, u.cpu + v.cpu, max(u.rss, v.rss)}
}

// median takes each figure by itself.
func median(all []usage) usage {
	return usage{
		middle(all, func(u usage) float64 { return u.wall }),
		middle(all, func(u usage) float64 { return u.cpu }),
		middle(all, func(u usage) int64 { return u.rss }),
	}
}

func middle[T cmp.Ordered](all []usage, of func(usage) T) T {
	var values []T
	for _, u := range all {
		values = append(values, of(u))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// command is a program to run in a folder.
type command struct {
	program, dir string
	env, args    []string
}

func (c command) run(p place) (usage, error) {
	cmd := exec.Command(c.program, c.args...)
	cmd.Dir = c.dir
	cmd.Env = append(append(os.Environ(), p.env()...), c.env...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return usage{}, fmt.Errorf("%s: %w\n%s", c.program, err, said.Bytes())
	}
	wall := time.Since(began)
	r := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return usage{wall.Seconds(), cpu.Seconds(), r.Maxrss << 10}, nil
}
