package tree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/jsontree"
)

func TestLost(t *testing.T) {
	for name, tc := range map[string]struct {
		was, shown, is string
		want           []string
	}{
		"all shown":               {`{"a":1}`, `{"a":1}`, `{}`, nil},
		"hidden":                  {`{"a":1,"b":2}`, `{"a":1}`, `{"a":3}`, []string{".b"}},
		"kept":                    {`{"a":1,"b":2}`, `{"a":1}`, `{"b":2}`, nil},
		"changed":                 {`{"b":2}`, `{}`, `{"b":3}`, nil},
		"shown as something else": {`{"b":2}`, `{"b":"two"}`, `{}`, nil},
		"zero":                    {`{"a":0,"b":"","c":false,"d":null,"e":[],"f":{},"g":0.0}`, `{}`, `{}`, nil},
		"nested":                  {`{"a":{"b":{"c":1,"d":2}}}`, `{"a":{"b":{"c":1}}}`, `{"a":{}}`, []string{".a.b.d"}},
		"whole":                   {`{"a":{"b":{"c":1,"d":2}}}`, `{}`, `{}`, []string{".a"}},
		"parent is a scalar now":  {`{"a":{"b":1}}`, `{"a":7}`, `{"a":7}`, nil},
		"item":                    {`{"a":[{"n":1},{"n":2}]}`, `{"a":[{"n":1}]}`, `{"a":[{"n":1}]}`, []string{".a[1]"}},
		"item that moved":         {`{"a":[{"n":1},{"n":2}]}`, `{"a":[{"n":1}]}`, `{"a":[{"n":2},{"n":1}]}`, nil},
		"repeated":                {`{"a":["x","x","x"]}`, `{"a":["x"]}`, `{"a":["x","x"]}`, []string{".a[2]"}},
		"part of an item":         {`{"a":[{"n":1,"m":2}]}`, `{"a":[{"n":1}]}`, `{"a":[{"n":1}]}`, []string{".a[0].m"}},
		"lists of lists":          {`{"a":[[1],[2]]}`, `{"a":[[1]]}`, `{"a":[[1]]}`, []string{".a[1]"}},
		"list is an object now":   {`{"a":[1]}`, `{"a":{}}`, `{"a":{}}`, nil},
		"null items":              {`{"a":[null,1]}`, `{"a":[null]}`, `{"a":[null]}`, []string{".a[1]"}},
	} {
		var trees [3]map[string]any
		for i, text := range []string{tc.was, tc.shown, tc.is} {
			var err error
			if trees[i], err = jsontree.Read([]byte(text), nil); err != nil {
				t.Fatal(err)
			}
		}
		got, n := (*Type)(nil).Lost(trees[0], trees[1], trees[2], 10)
		if !slices.Equal(got, tc.want) || n != len(tc.want) {
			t.Errorf("%s: %q, %d, want %q", name, got, n, tc.want)
		}
	}
}

// Of very many only the first are named, and they are found in a time that grows with their number.
func TestLostMany(t *testing.T) {
	const items = 50_000
	var text strings.Builder
	for i := range items {
		fmt.Fprintf(&text, `,{"n":%d}`, i)
	}
	was, err := jsontree.Read([]byte(`{"a":[`+text.String()[1:]+`]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	rest := map[string]any{"a": was["a"].([]any)[:1]}
	paths, n := (*Type)(nil).Lost(was, rest, rest, 3)
	if n != items-1 || !slices.Equal(paths, []string{".a[1]", ".a[2]", ".a[3]"}) {
		t.Errorf("%q, %d", paths, n)
	}
}
