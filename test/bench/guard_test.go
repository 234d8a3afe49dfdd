package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestGuardedRows(t *testing.T) {
	if n := len(guardedRows()); n != 6 {
		t.Errorf("the guard compares %d rows, want 6: a row was renamed", n)
	}
}

func TestInterval(t *testing.T) {
	for _, test := range []struct {
		n, low   int
		coverage float64
	}{{5, 0, 0.9375}, {7, 0, 0.984375}, {9, 1, 0.9609375}, {11, 2, 0.9345703125}} {
		if low, coverage := interval(test.n); low != test.low || coverage != test.coverage {
			t.Errorf("interval(%d) = %d, %v, want %d, %v", test.n, low, coverage, test.low, test.coverage)
		}
	}
}

func TestCompareBuilds(t *testing.T) {
	for _, test := range []struct {
		name  string
		ratio []time.Duration // in percent, one for each round
		fails bool
	}{
		{"equal", []time.Duration{100, 100, 100, 100, 100}, false},
		{"one slow round", []time.Duration{100, 100, 300, 100, 100}, false},
		{"at the limit", []time.Duration{105, 105, 105, 105, 105}, false},
		{"above the limit", []time.Duration{100, 106, 106, 106, 100}, true},
		{"cheaper", []time.Duration{50, 60, 50, 60, 50}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &bench{options: options{n: 1000, base: "HEAD", rounds: len(test.ratio)}, cells: map[string]map[string]*cell{}}
			if err := b.complete("", "guard"); err != nil {
				t.Fatal(err)
			}
			for _, r := range guardedRows() {
				for _, percent := range test.ratio {
					c := b.cell(r, nameOurs)
					c.cost = append(c.cost, percent*time.Microsecond)
					base := b.cell(r, nameBase)
					base.cost = append(base.cost, 100*time.Microsecond)
				}
			}
			var out bytes.Buffer
			err := b.compareBuilds(t.Context(), &out)
			if (err != nil) != test.fails {
				t.Errorf("error %v, want one: %v", err, test.fails)
			}
			if lines := strings.Count(out.String(), "\n| "); lines != 7 {
				t.Errorf("%d lines in the table, want a head and six rows:\n%s", lines, &out)
			}
		})
	}
}

func TestGuardFlags(t *testing.T) {
	for _, test := range []struct {
		base, parts string
		rounds      int
		want        string
	}{
		{"HEAD~1", "guard", 5, ""},
		{"", "guard", 5, "-base"},
		{"HEAD~1", "requests", 5, "-base"},
		{"HEAD~1", "guard", 4, "-rounds=4"},
	} {
		o := options{n: 1000, rounds: test.rounds, base: test.base}
		if err := o.complete("", test.parts); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("-base=%q -parts=%s -rounds=%d: error %v, want %q", test.base, test.parts, test.rounds, err, test.want)
		}
	}
	if !slices.Contains(partNames(true), "guard") || slices.Contains(partNames(false), "guard") {
		t.Error("guard must be a part that only runs if it is named")
	}
}
