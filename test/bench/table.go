package main

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// print writes the results as Markdown.
func (b *bench) print(w io.Writer) {
	fmt.Fprintf(w, "%d pods of %d bytes; CPU time of the server for one unit of work, the median of %d rounds (from the least to the most).\n\n", b.n, b.stored, b.rounds)
	fmt.Fprintln(w, "| work | ours | k8s.io/apiserver | ratio | etcd for ours | etcd for the peer |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, r := range b.rows() {
		ours, peer := b.cell(r, b.targets[0]), b.cell(r, b.targets[1])
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", r.name, ours, peer, ratio(ours, peer), span(ours.etcd, false), span(peer.etcd, false))
	}
	fmt.Fprintln(w, "\n| resident memory, MiB | ours | k8s.io/apiserver |")
	fmt.Fprintln(w, "|---|---|---|")
	for _, m := range b.memory {
		fmt.Fprintf(w, "| %s | %d | %d |\n", m.name, m.mib[0], m.mib[1])
	}
}

func (c *cell) String() string {
	if c.skipped != "" {
		return "– (" + c.skipped + ")"
	}
	return span(c.cost, true)
}

// ratio is how many times as much the peer takes.
func ratio(ours, peer *cell) string {
	if len(ours.cost) == 0 || len(peer.cost) == 0 || median(ours.cost) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(median(peer.cost))/float64(median(ours.cost)))
}

// span is the median, and with wide the least and the most beside it.
func span(d []time.Duration, wide bool) string {
	if len(d) == 0 {
		return "–"
	}
	text := show(median(d))
	if wide && len(d) > 1 {
		text += fmt.Sprintf(" (%s–%s)", show(slices.Min(d)), show(slices.Max(d)))
	}
	return text
}

func median(d []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[len(sorted)/2]
}

// show prints three digits, in µs or ms.
func show(d time.Duration) string {
	us := float64(d) / float64(time.Microsecond)
	switch {
	case us < 100:
		return fmt.Sprintf("%.1f µs", us)
	case us < 1000:
		return fmt.Sprintf("%.0f µs", us)
	case us < 100_000:
		return fmt.Sprintf("%.2f ms", us/1000)
	default:
		return fmt.Sprintf("%.0f ms", us/1000)
	}
}
