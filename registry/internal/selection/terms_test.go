package selection

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// FuzzLabels: a label selector matches the labels that the one of apimachinery matches.
func FuzzLabels(f *testing.F) {
	for _, selector := range []string{
		"a", "!a", "a=1", "a==1", "a!=1", "a in (1,2)", "a notin (1,2)", "a>1", "a<2", "a=", "a!=", "a in (,1)", "a>-9223372036854775808", "a<9223372036854775807",
		"a=1,a=2", "a=1,a!=1", "a in (1,2),a in (2,3)", "a in (1,2),a notin (2)", "a>1,a>2,a<9,a<8", "a,!a", "a!=0,a!=1,a!=2", "a=1,b!=2,!c,d>3", "a in (1,1,1)", "a notin (2,1,2)",
	} {
		f.Add(selector, "a=1,b=2,d=4")
		f.Add(selector, "a=")
		f.Add(selector, "a=x,c=")
		f.Add(selector, "")
	}
	f.Fuzz(func(t *testing.T, selector, set string) {
		want, err := labels.Parse(selector)
		got, err2 := labelTerms.of(selector)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("%q: %v, want %v", selector, err2, err)
		}
		if err != nil {
			return
		}
		compareLabels(t, selector, got, want, asSet(set))
	})
}

func asSet(text string) map[string]string {
	set := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		if key, value, ok := strings.Cut(part, "="); ok {
			set[key] = value
		}
	}
	return set
}

func compareLabels(t *testing.T, text string, got *terms, want labels.Selector, set labels.Set) {
	t.Helper()
	if want.Empty() != (len(got.keys) == 0) {
		t.Errorf("%q: %d keys, want empty %v", text, len(got.keys), want.Empty())
	}
	m := match{terms: got}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		m.add(key, set[key])
	}
	if m.ok() != want.Matches(set) || m.unordered {
		t.Errorf("%q of %v: %v, want %v; unordered %v", text, set, m.ok(), want.Matches(set), m.unordered)
	}
}

// TestLabels compares long selectors at random, in which keys come more than once.
func TestLabels(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		value := func() string { return []string{"", "0", "1", "2", "3", "x", "9223372036854775807"}[r.IntN(7)] }
		var parts []string
		for range 1 + r.IntN(8) {
			key := string(rune('a' + r.IntN(4)))
			parts = append(parts, []string{key, "!" + key, key + "=" + value(), key + "!=" + value(), fmt.Sprintf("%s in (%s,%s)", key, value(), value()),
				fmt.Sprintf("%s notin (%s,%s)", key, value(), value()), fmt.Sprintf("%s>%d", key, r.IntN(4)), fmt.Sprintf("%s<%d", key, r.IntN(4))}[r.IntN(8)])
		}
		text := strings.Join(parts, ",")
		want, err := labels.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := labelTerms.of(text)
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			set := labels.Set{}
			for range r.IntN(5) {
				set[string(rune('a'+r.IntN(5)))] = value()
			}
			compareLabels(t, text, got, want, set)
		}
	}
}

// FuzzFields: a field selector matches the fields that the one of apimachinery matches.
func FuzzFields(f *testing.F) {
	for _, selector := range []string{"a=1", "a!=1", "a==1,b=2", "a=1,a=2", "a=1,a=1", "a!=1,a!=2", `a=\,`, "a=", "a!=", "", ",", "a=1,"} {
		f.Add(selector, "a=1,b=2")
		f.Add(selector, "a=")
	}
	f.Fuzz(func(t *testing.T, selector, set string) {
		want, err := fields.ParseSelector(selector)
		got, err2 := fieldTerms.of(selector)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("%q: %v, want %v", selector, err2, err)
		}
		if err != nil {
			return
		}
		values, matches := asSet(set), true
		for i, key := range got.keys {
			matches = matches && got.of[i].matches(values[key])
		}
		if matches != want.Matches(fields.Set(values)) {
			t.Errorf("%q of %v: %v", selector, values, matches)
		}
	})
}

// TestSharedTerms: selectors of one text are one value while they are in use, and no longer.
func TestSharedTerms(t *testing.T) {
	const text = "shared in (a,b)"
	first, err := labelTerms.of(text)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := labelTerms.of(strings.Clone(text))
	if first != second {
		t.Error("two values of one text")
	}
	runtime.KeepAlive(first)
	for first, second = nil, nil; ; runtime.GC() {
		if _, inUse := labelTerms.inUse.Load(text); !inUse {
			break
		}
	}
}

// many is a selector of n requirements, on one key or on as many.
func many(n int, format string) string {
	var parts []string
	for i := range n {
		parts = append(parts, fmt.Sprintf(format, i))
	}
	return strings.Join(parts, ",")
}

// TestLongSelectors: a comparison with many requirements is a search among them and allocates
// nothing.
func TestLongSelectors(t *testing.T) {
	for _, format := range []string{"a!=q%d", "a%d!=q", "!a%d"} {
		got, err := labelTerms.of(many(1000, format))
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() {
			m := match{terms: got}
			m.add("b", "1")
			if m.add("c", "x"); !m.ok() {
				t.Fatal("not selected")
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations", format, n)
		}
	}
}
