package lossless

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDelta makes a delta of what the hub and the plain conversion are, and applies it to what a
// client sent.
func TestDelta(t *testing.T) {
	list := &Shape{IsList: true}
	keyed := &Shape{IsList: true, Keys: []string{"k"}}
	for _, tc := range []struct {
		name                     string
		shape                    *Shape
		hub, plain, client, want string
	}{
		{"a value that is not shown", nil, `{"a":1,"b":2}`, `{"a":1}`, `{"a":3}`, `{"a":3,"b":2}`},
		{"a value that is made up", nil, `{"a":1}`, `{"a":1,"b":2}`, `{"a":3,"b":2}`, `{"a":3}`},
		{"a value that is made up, changed", nil, `{"a":1}`, `{"a":1,"b":2}`, `{"a":1,"b":3}`, `{"a":1,"b":3}`},
		{"a number that is cut", nil, `{"a":9007199254740993}`, `{"a":127}`, `{"a":127}`, `{"a":9007199254740993}`},
		{"a number that is cut, changed", nil, `{"a":5000000000}`, `{"a":127}`, `{"a":7}`, `{"a":7}`},
		{"false is something", nil, `{"a":false}`, `{}`, `{}`, `{"a":false}`},
		{"an object that the client removes", nil, `{"a":{"b":1,"c":2}}`, `{"a":{"b":1}}`, `{}`, `{}`},
		{"an object that the client makes", nil, `{"a":{"b":1}}`, `{}`, `{"a":{}}`, `{"a":{}}`},
		{"a map that is not shown", &Shape{IsMap: true}, `{"a":1}`, ``, `{"b":2}`, `{"a":1,"b":2}`},
		{"a map's entry that the client makes too", &Shape{IsMap: true}, `{"a":1}`, `{}`, `{"a":2}`, `{"a":2}`},
		{"hidden items stay where they were", list, `[1,2,3,4,5]`, `[2,4]`, `[2,6,4]`, `[1,2,3,6,4,5]`},
		{"hidden items stay if all others go", list, `[1,2,3]`, `[2]`, ``, `[1,3]`},
		{"hidden items stay beside a changed one", list, `[1,2,3]`, `[2]`, `[7]`, `[1,7,3]`},
		{"items turned round", list, `["a","b"]`, `["b","a"]`, `["b","a"]`, `["a","b"]`},
		{"an item goes with what is kept for it", list, `[{"a":1,"b":1},{"a":2,"b":2}]`, `[{"a":1},{"a":2}]`, `[{"a":2}]`, `[{"a":2,"b":2}]`},
		{"an item moves with what is kept for it", list, `[{"a":1,"b":1},{"a":2,"b":2}]`, `[{"a":1},{"a":2}]`, `[{"a":2},{"a":1}]`, `[{"a":2,"b":2},{"a":1,"b":1}]`},
		{"a changed item loses what is kept for it", list, `[{"a":1,"b":1}]`, `[{"a":1}]`, `[{"a":2}]`, `[{"a":2}]`},
		{"equal items in their order", list, `[{"a":1},{"a":1,"b":2}]`, `[{"a":1},{"a":1}]`, `[{"a":1},{"a":1},{"a":1}]`, `[{"a":1},{"a":1,"b":2},{"a":1}]`},
		{"items by key", keyed, `[{"k":1,"b":1},{"k":2,"b":2}]`, `[{"k":1},{"k":2}]`, `[{"k":2,"a":9},{"k":3}]`, `[{"k":2,"a":9,"b":2},{"k":3}]`},
		{"an item that the client makes too", keyed, `[{"k":1},{"k":2}]`, `[{"k":2}]`, `[{"k":2},{"k":1,"a":1}]`, `[{"k":2},{"k":1,"a":1}]`},
		{"items by place", &Shape{IsList: true, Aligned: true}, `["a","b"]`, `["A","B"]`, `["C","B"]`, `["C","b"]`},
		{"a list where there was none", nil, `{"a":[1]}`, `{}`, `{"a":[2]}`, `{"a":[2]}`},
		{"another sort of value", nil, `{"a":[1]}`, `{"a":{"b":1}}`, `{"a":"x"}`, `{"a":"x"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			hub, plain := tree(t, tc.hub), tree(t, tc.plain)
			d := throughJSON(t, tc.shape.diff(hub, plain))
			if diff := cmp.Diff(tree(t, tc.want), all(tc.shape, d, tree(t, tc.client))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(hub, all(tc.shape, d, plain)); diff != "" {
				t.Errorf("of what nobody changed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDeltaOfAnything restores whatever was lost to whatever remained, if nobody changes it.
func TestDeltaOfAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shapes := []*Shape{nil, {IsList: true}, {IsMap: true}, {Keys: []string{"a"}}, {Keys: []string{"a", "b"}, Elem: &Shape{Keys: []string{"c"}}}, {Aligned: true}}
	for range 50_000 {
		hub, plain, client := prune(random(r, 3)), prune(random(r, 3)), prune(random(r, 3))
		shape := shapes[r.IntN(len(shapes))]
		if m, ok := hub.(map[string]any); ok && len(m) == 0 && shape != nil && shape.IsMap {
			hub = nil // no map and an empty one are the same
		}
		d := shape.diff(hub, plain)
		if d == nil {
			if diff := cmp.Diff(hub, plain); diff != "" && fingerprint(hub) != fingerprint(plain) && !(shape != nil && shape.IsMap) {
				t.Fatalf("a difference is not seen (-hub +plain):\n%s", diff)
			}
			continue
		}
		d = throughJSON(t, d)
		before := fingerprint(plain)
		if got := all(shape, d, plain); fingerprint(got) != fingerprint(hub) {
			t.Fatalf("hub %v, plain %v, delta %s: got %v", hub, plain, mustJSON(d), got)
		}
		if fingerprint(plain) != before {
			t.Fatal("apply modifies its argument")
		}
		all(shape, d, client) // must not panic
	}
}

// TestNumbersAreAllUsed compares the numbers of a delta with its parts: each of them can be
// switched on alone.
func TestNumbersAreAllUsed(t *testing.T) {
	shape := &Shape{IsList: true}
	d := &delta{Fields: map[string]*delta{
		"a": shape.diff(tree(t, `[1,2,3]`), tree(t, `[2]`)),
		"b": {Kept: "b"},
		"c": nil,
	}}
	fields := map[string]*delta{"root": d}
	count := numberAll(fields, 0)
	var got []string
	for i := range count {
		on := make([]bool, count)
		on[i] = true
		s := &Shape{Fields: map[string]*Shape{"a": shape}}
		got = append(got, mustJSON(s.apply(d, tree(t, `{"a":[2]}`), on)))
	}
	want := []string{`{"a":[1,2]}`, `{"a":[2,3]}`, `{"a":[2],"b":"b"}`}
	if !slices.Equal(want, got) {
		t.Errorf("want %v, got %v", want, got)
	}
}

func all(s *Shape, d *delta, client any) any {
	if d == nil {
		return client
	}
	on := make([]bool, d.count(0))
	setAll(on, true)
	return s.apply(d, client, on)
}

func throughJSON(t *testing.T, d *delta) *delta {
	t.Helper()
	var out *delta
	decoder := json.NewDecoder(strings.NewReader(mustJSON(d)))
	decoder.UseNumber()
	if err := decoder.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func mustJSON(v any) string {
	text, err := compact(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func tree(t *testing.T, text string) any {
	t.Helper()
	if text == "" {
		return nil
	}
	out, err := treeOf(json.RawMessage(bytes.TrimSpace([]byte(text))))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// random is a small tree over few values, so that parts are often equal.
func random(r *rand.Rand, depth int) any {
	switch n := r.IntN(6); {
	case depth == 0 || n < 2:
		return []any{"x", "", true, false, json.Number("0"), json.Number("7")}[r.IntN(6)]
	case n < 4:
		out := make([]any, r.IntN(5))
		for i := range out {
			out[i] = random(r, depth-1)
		}
		return out
	}
	out := map[string]any{}
	for range r.IntN(4) {
		out[string(rune('a'+r.IntN(3)))] = random(r, depth-1)
	}
	return out
}
