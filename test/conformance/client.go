package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// client is a program that others wrote, or a library of theirs with a program around it.
type client struct {
	name  string
	about string // a sentence for the page
	// run builds it, runs it against a server of its own, and returns its version and what its
	// checks found.
	run func(ctx context.Context, w *workshop) (version string, results []result, err error)
}

func clients() []client {
	return []client{
		{"kubernetes", "The controllers of `k8s.io/kubernetes` in one small program, with clients that speak protobuf and informers that begin with a WatchList. The server's own loops stand by meanwhile, and it keeps its objects in an etcd beside it. Quotas are charged by the server in any case: when their controller writes a status, the server counts again.", runControllers},
		{"helm", "The command, with a chart of its own. It applies on the server's side unless it is told otherwise.", runHelm},
		{"python3-kubernetes", "Debian's package of the library, with its typed clients and its dynamic one.", runPython},
		{"client-node", "`@kubernetes/client-node` of npm, with its typed clients, informers and WebSockets.", runNode},
	}
}

func names(all []client) []string {
	var list []string
	for _, c := range all {
		list = append(list, c.name)
	}
	return list
}

// result is what a check found: it holds, or said is what was answered instead.
type result struct {
	check string // "area: what has to be so"
	holds bool
	said  string
}

// trial is a run of a client.
type trial struct {
	client    client
	leftOut   bool
	version   string
	results   []result
	err       error // why it did not come to its end
	surprises []string
}

// judge compares what was found with what is known to differ. A client that came to its end has
// made every check.
func (t *trial) judge(known []difference) {
	for _, r := range t.results {
		d := find(known, t.client.name, r.check)
		switch {
		case r.holds && d != nil:
			t.surprise("%q holds now: take it out of the table of differences", r.check)
		case !r.holds && d == nil:
			t.surprise("%q failed: %s", r.check, r.said)
		case !r.holds && !strings.Contains(r.said, d.says):
			t.surprise("%q failed with other words than %q: %s", r.check, d.says, r.said)
		}
	}
	if t.err != nil {
		return
	}
	for _, d := range known {
		if d.client == t.client.name && !slices.ContainsFunc(t.results, func(r result) bool { return r.check == d.check }) {
			t.surprise("%q is known to differ, and there was no such check", d.check)
		}
	}
}

func (t *trial) surprise(format string, args ...any) {
	t.surprises = append(t.surprises, fmt.Sprintf(format, args...))
}

// held counts the checks that hold.
func (t *trial) held() int {
	n := 0
	for _, r := range t.results {
		if r.holds {
			n++
		}
	}
	return n
}
