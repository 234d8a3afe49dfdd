package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"
)

// printRows writes the rows as Markdown.
func (b *bench) printRows(w io.Writer) {
	fmt.Fprintln(w, "| work | ours | ready bytes | times | k8s.io/apiserver | ratio | ours, at most | met | etcd for ours | etcd for the peer |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
	for _, r := range b.wanted(rows()) {
		ours, bytes, others := b.cell(r, nameOurs), b.cell(r, nameReady), b.cell(r, namePeer)
		most, met := b.judge(r)
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.name, ours, bytes, ratio(bytes, ours), others, ratio(ours, others), most, met, span(ours.etcd, false), span(others.etcd, false))
	}
	fmt.Fprintln(w)
}

// judge says what a row should cost at most, and whether it does.
func (b *bench) judge(r row) (most, met string) {
	if r.budget.times == 0 {
		return "–", "–"
	}
	ours, than := b.cell(r, nameOurs), b.cell(r, r.budget.than)
	if r.budget.than != nameReady && r.budget.than != namePeer {
		than = b.cell(row{name: r.budget.than}, nameOurs)
	}
	if len(than.cost) == 0 || len(ours.cost) == 0 {
		return "–", "–"
	}
	limit := time.Duration(r.budget.times * float64(median(than.cost)))
	most = fmt.Sprintf("%.3g × %s: %s", r.budget.times, r.budget.than, show(limit))
	if median(ours.cost) <= limit {
		return most, "yes"
	}
	return most, "no"
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

// ratio is how many times as much the other one takes.
func ratio(one, other *cell) string {
	if len(one.cost) == 0 || len(other.cost) == 0 || median(one.cost) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(median(other.cost))/float64(median(one.cost)))
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
