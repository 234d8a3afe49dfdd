package fieldset_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/runtime/fieldset"
	"github.com/typeplane/typeplane/runtime/runtimetest"
)

// growth is what make amplify makes larger.
var growth = flag.Int("growth", 2_000, "how many fields there are at `least`, where what ten times as many cost is measured")

// crowd is an object with many fields or items below one place.
type crowd struct {
	name    string
	compare func(c *fieldset.Comparison, size int)
	place   string
	member  func(i int) string // of FieldsV1
}

var crowds = []crowd{
	{"fields", func(c *fieldset.Comparison, size int) {
		labels := map[string]string{}
		for i := range size {
			labels[fmt.Sprint("label", i)] = "a"
		}
		fieldset.Field(c, "labels", nil, &labels, fieldset.Values)
	}, "f:labels", func(i int) string { return fmt.Sprintf(`"f:label%d":{}`, i) }},
	{"items by key", func(c *fieldset.Comparison, size int) {
		list := make([]item, size)
		for i := range list {
			list[i] = item{Name: fmt.Sprint("item", i), Text: "a"}
		}
		fieldset.Field(c, "list", nil, &list, items)
	}, "f:list", func(i int) string { return fmt.Sprintf(`"k:{\"name\":\"item%d\"}":{".":{},"f:text":{}}`, i) }},
	{"items of a set", func(c *fieldset.Comparison, size int) {
		set := make([]int64, size)
		for i := range set {
			set[i] = int64(size - i - 1)
		}
		fieldset.Field(c, "set", nil, &set, func(c *fieldset.Comparison, old, obj *[]int64) {
			fieldset.SetOf(c, old, obj, func(n int64) any { return n })
		})
	}, "f:set", func(i int) string { return fmt.Sprintf(`"v:%d":{}`, i) }},
}

// set is one that nobody has put in order yet.
func (c crowd) set(size int) *fieldset.Set {
	comparison := new(fieldset.Comparison)
	c.compare(comparison, size)
	return comparison.Changed()
}

// ordered and shuffled are the set as FieldsV1, in the order of structured-merge-diff and in none.
func (c crowd) ordered(size int) ([]byte, error) { return c.set(size).AppendJSON(nil) }

func (c crowd) shuffled(size int) ([]byte, error) {
	members := make([]string, size)
	for at, i := range rand.New(rand.NewPCG(8, 1)).Perm(size) {
		members[at] = c.member(i)
	}
	return fmt.Appendf(nil, `{"%s":{".":{},%s}}`, c.place, strings.Join(members, ",")), nil
}

// What many fields cost does not grow with the square of their number.
func TestGrowth(t *testing.T) {
	for _, c := range crowds {
		count := func(text []byte, size int) error {
			set := c.set(size)
			if n, err := fieldset.Count(text, set); n != set.Size() || err != nil {
				return fmt.Errorf("%d of %d are counted: %w", n, set.Size(), err)
			}
			return nil
		}
		for _, work := range []struct {
			name string
			text func(size int) ([]byte, error)
			do   func(text []byte, size int) error
		}{
			{"compare and write", c.ordered, func(want []byte, size int) error {
				text, err := c.ordered(size)
				if string(text) != string(want) {
					return fmt.Errorf("it is written in two ways, %w", err)
				}
				return err
			}},
			{"count", c.ordered, count},
			{"count in no order", c.shuffled, count},
			{"take away", c.ordered, func(text []byte, size int) error {
				if left, err := fieldset.Without(nil, text, c.set(size)); string(left) != "{}" {
					return fmt.Errorf("%d bytes are left: %w", len(left), err)
				}
				return nil
			}},
			{"add", c.ordered, func(text []byte, size int) error {
				if more, err := fieldset.With(nil, text, c.set(size+10)); len(more) <= len(text) {
					return fmt.Errorf("nothing was added: %w", err)
				}
				return nil
			}},
			{"read in no order", c.shuffled, func(text []byte, size int) error {
				if set, err := fieldset.Read(text); err != nil || !set.Equals(c.set(size).FieldSet()) {
					return fmt.Errorf("others are read than were written: %w", err)
				}
				return nil
			}},
		} {
			t.Run(work.name+" "+c.name, func(t *testing.T) {
				runtimetest.Growth(t, *growth, func(size int) func() {
					text, err := work.text(size)
					if err != nil {
						t.Fatal(err)
					}
					return func() {
						if err := work.do(text, size); err != nil {
							t.Fatal(err)
						}
					}
				})
			})
		}
	}
}

// Long FieldsV1 are read as structured-merge-diff reads short ones.
func TestLongFieldsAreReadAsShortOnes(t *testing.T) {
	members := []string{`".":7`, `"x:unknown":{"f:a":{}}`, `"f:twice":{"f:a":{}}`, `"f:twice":{"f:b":{}}`, `"f:twice":{}`, `"f:none":null`,
		`"f:only":{".":{}}`, `"f:odd":{"x:unknown":[]}`, `"v:1":{}`, `"v:1.5":{"f:a":{}}`, `"i:3":{}`, `"k:{\"b\":1,\"a\":true}":{}`, `"f:c":{"f:b":{},"f:a":{".":{},"f:c":{}}}`}
	random := rand.New(rand.NewPCG(6, 2))
	for range 1000 {
		var some []string
		for _, i := range random.Perm(len(members))[:random.IntN(len(members))] {
			some = append(some, members[i])
		}
		text := "{" + strings.Join(some, ",") + "}"
		want, err := fieldset.Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := fieldset.Read([]byte(strings.Repeat(" ", 5000) + text))
		if err != nil || !got.Equals(want) {
			t.Fatalf("%s\nis read as %v, %v\nwant %v", text, got, err, want)
		}
	}
	for _, wrong := range []string{`{"f:a":{}`, `{"f:a":7}`, `{"f:a":[]}`, `[]`, `{"k:{":{}}`, `{"v:":{}}`, `{"i:a":{}}`, `{"f":{}}`, `{}{}`} {
		_, short := fieldset.Read([]byte(wrong))
		_, long := fieldset.Read([]byte(wrong + strings.Repeat(" ", 5000)))
		if short == nil || long == nil {
			t.Errorf("%s: errors are %v, and %v", wrong, short, long)
		}
	}
}
