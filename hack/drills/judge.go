package main

import (
	"fmt"
	"strings"

	"github.com/typeplane/typeplane/internal/drill"
)

// promise is what a row says: in words, and as bounds of its figures.
type promise struct {
	row    drill.Row
	what   string
	bounds []bound
}

// bound is what a figure may be at most, or has to be at least.
type bound struct {
	name  string
	kind  drill.Kind
	least bool
	value float64
}

func atMost(name string, kind drill.Kind, value float64) bound {
	return bound{name: name, kind: kind, value: value}
}

// none is a figure that has to be zero.
func none(name string) bound { return atMost(name, drill.Counted, 0) }

// within is a time in seconds.
func within(name string, seconds float64) bound { return atMost(name, drill.Seconds, seconds) }

// enough is how often something has to happen, so that the other figures show anything. What is
// less is no broken promise, but a short run.
func enough(name string, n float64) bound {
	return bound{name: name, kind: drill.Counted, least: true, value: n}
}

func (b bound) String() string {
	switch {
	case b.least:
		return fmt.Sprintf("in %s %s", printed(b.kind, b.value), b.name)
	case b.kind == drill.Counted && b.value == 0:
		return "no " + b.name
	}
	return fmt.Sprintf("%s ≤ %s", b.name, printed(b.kind, b.value))
}

// bounded are the bounds of a promise, as they are printed.
func (p promise) bounded() string {
	var all []string
	for _, b := range p.bounds {
		all = append(all, b.String())
	}
	return strings.Join(all, "; ")
}

// The verdicts of a row.
const (
	met     = "yes"
	short   = "yes, in fewer"
	missed  = "**no**"
	broken  = "**a test failed**"
	partly  = "run in part"
	notRun  = "not run"
	notHere = "not on this machine"
)

// judge compares the figures of a row, joined by their names, with what is promised.
func (p promise) judge(figures []drill.Figure, failed bool) string {
	if failed {
		return broken
	}
	values := map[string]float64{}
	for _, f := range figures {
		if f.Kind == drill.NotHere {
			return notHere
		}
		values[f.Name] = f.Value
	}
	verdict, unknown := met, 0
	for _, b := range p.bounds {
		value, known := values[b.name]
		switch {
		case !known:
			unknown++
		case b.least && value < b.value:
			verdict = short
		case !b.least && value > b.value:
			return missed
		}
	}
	switch unknown {
	case 0:
		return verdict
	case len(p.bounds):
		return notRun
	default:
		return partly
	}
}

// printed is a value as people read it.
func printed(kind drill.Kind, value float64) string {
	switch kind {
	case drill.Seconds:
		if value < 1 {
			return fmt.Sprintf("%.3g ms", value*1000)
		}
		return fmt.Sprintf("%.3g s", value)
	case drill.Bytes:
		return fmt.Sprintf("%.0f MiB", value/(1<<20))
	case drill.Ratio:
		return fmt.Sprintf("%.3g", value)
	default:
		return thousands(int64(value))
	}
}

// thousands prints a whole number with commas.
func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
