package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// printBeside prints what a workload took on both sides, and how much of theirs ours is.
func printBeside(w workload, results []result) string {
	var b strings.Builder
	theirs, own := results[0], results[1]
	fmt.Fprintf(&b, "%s, %d cores, %s; load %s at the end.\n\n", time.Now().Format(time.DateOnly), runtime.NumCPU(), runtime.Version(), load())
	head := func(first, of string) {
		fmt.Fprintf(&b, "| %s | %s, kube-apiserver | ours | ours of theirs |\n|---|---|---|---|\n", first, of)
	}
	names := w.states()
	head("state", "seconds")
	for i, name := range names {
		row(&b, name, theirs.took[i].Seconds(), own.took[i].Seconds(), "%.1f s")
	}
	b.WriteString("\n")
	head("CPU of the server", "seconds")
	for i, name := range names {
		row(&b, name, theirs.used[i].server.Seconds(), own.used[i].server.Seconds(), "%.2f s")
	}
	t, o := sumUsage(theirs.used), sumUsage(own.used)
	row(&b, "**all**", t.server.Seconds(), o.server.Seconds(), "%.1f s")
	b.WriteString("\n")
	head("what else", "whole run")
	row(&b, "memory of the server at the end", float64(theirs.resident), float64(own.resident), "%.0f MiB")
	row(&b, "memory of the server at most", float64(theirs.peak), float64(own.peak), "%.0f MiB")
	row(&b, "CPU of etcd", t.etcd.Seconds(), o.etcd.Seconds(), "%.1f s")
	row(&b, "bytes to etcd", t.toEtcd/(1<<20), o.toEtcd/(1<<20), "%.1f MiB")
	row(&b, "bytes from etcd", t.fromEtcd/(1<<20), o.fromEtcd/(1<<20), "%.1f MiB")
	row(&b, "requests", theirs.requests, own.requests, "%.0f")
	row(&b, "answers with 429", theirs.busy, own.busy, "%.0f")
	row(&b, "answers with 5xx", theirs.broken, own.broken, "%.0f")
	row(&b, "requests of the client beside that failed", float64(theirs.recorder.failed), float64(own.recorder.failed), "%.0f")
	b.WriteString("\n")
	head("p99 of a client beside", "milliseconds")
	for _, verb := range asked {
		row(&b, verb, milliseconds(theirs, verb), milliseconds(own, verb), "%.1f ms")
	}
	return b.String()
}

func row(b *strings.Builder, name string, theirs, own float64, form string) {
	part := ""
	if theirs > 0 {
		part = fmt.Sprintf("%.2f", own/theirs)
	}
	fmt.Fprintf(b, "| %s | "+form+" | "+form+" | %s |\n", name, theirs, own, part)
}

func milliseconds(r result, verb string) float64 {
	return float64(r.recorder.quantile(verb, 0.99)) / float64(time.Millisecond)
}

func sumUsage(all []usage) (sum usage) {
	for _, u := range all {
		sum.server += u.server
		sum.etcd += u.etcd
		sum.toEtcd += u.toEtcd
		sum.fromEtcd += u.fromEtcd
	}
	return sum
}
