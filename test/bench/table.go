package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"
)

// budgetPods is how many pods the budgets are for.
const budgetPods = 10_000

// printRows writes the rows as Markdown.
func (b *bench) printRows(w io.Writer) {
	fmt.Fprintln(w, "| work | ours | k8s.io/apiserver | ratio | ours, at most | ratio, at least | met | etcd for ours | etcd for the peer |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	for _, r := range b.wanted(rows()) {
		ours, peer := b.cell(r, b.targets[0]), b.cell(r, b.targets[1])
		most, least, met := "–", "–", "–"
		if r.budget.most > 0 {
			most, least = show(r.budget.most), fmt.Sprintf("%.2f", float64(r.budget.peer)/float64(r.budget.most))
		}
		if b.n == budgetPods {
			met = r.budget.met(ours, peer)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.name, ours, peer, ratio(ours, peer), most, least, met, span(ours.etcd, false), span(peer.etcd, false))
	}
	fmt.Fprintln(w)
}

// met says whether a budget was kept: in time, or in proportion to the peer, as this machine may be
// a slower one.
func (b budget) met(ours, peer *cell) string {
	if b.most == 0 || len(ours.cost) == 0 || len(peer.cost) == 0 {
		return "–"
	}
	mine, others := median(ours.cost), median(peer.cost)
	switch {
	case mine <= b.most:
		return "yes"
	case float64(mine)*float64(b.peer) <= float64(others)*float64(b.most):
		return "by ratio"
	}
	return "no"
}

// printMemory writes the moments as Markdown.
func (b *bench) printMemory(w io.Writer) {
	fmt.Fprintln(w, "| resident memory, MiB | ours | k8s.io/apiserver | ours, at most | the peer where that was decided |")
	fmt.Fprintln(w, "|---|---|---|---|---|")
	for _, m := range b.memory {
		most, peer := "–", "–"
		if m.most > 0 {
			most, peer = fmt.Sprint(m.most), fmt.Sprint(m.peer)
		}
		fmt.Fprintf(w, "| %s | %d | %d | %s | %s |\n", m.name, m.mib[0], m.mib[1], most, peer)
	}
	fmt.Fprintln(w)
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

func median(d []time.Duration) time.Duration { return middle(d) }

// middle is the median of what was measured in an odd number of rounds; 0 of nothing.
func middle[T cmp.Ordered](values []T) T {
	if len(values) == 0 {
		var none T
		return none
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// show prints three digits, in µs, ms or s.
func show(d time.Duration) string {
	us := float64(d) / float64(time.Microsecond)
	switch {
	case us < 100:
		return fmt.Sprintf("%.1f µs", us)
	case us < 1000:
		return fmt.Sprintf("%.0f µs", us)
	case us < 100_000:
		return fmt.Sprintf("%.2f ms", us/1000)
	case us < 1_000_000:
		return fmt.Sprintf("%.0f ms", us/1000)
	default:
		return fmt.Sprintf("%.2f s", us/1e6)
	}
}
