package fieldset_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/typeplane/typeplane/runtime/fieldset"
)

// What differs in values without a schema is what structured-merge-diff finds.
func TestUntyped(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		old, obj := untyped(random, 0), untyped(random, 0)
		was, is := &old, &obj
		if random.IntN(10) == 0 {
			was = nil
		} else if random.IntN(10) == 0 {
			is = nil
		}
		wrapped := func(v *any) *typed.TypedValue {
			content := map[string]any{}
			if v != nil {
				content["value"] = *v
			}
			out, err := typed.DeducedParseableType.FromUnstructured(content)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		want, err := wrapped(was).Compare(wrapped(is))
		if err != nil {
			t.Fatal(err)
		}
		c := new(fieldset.Comparison)
		fieldset.Field(c, "value", was, is, fieldset.Untyped)
		if c.Err() != nil {
			t.Fatal(c.Err())
		}
		changed, removed := c.Changed().FieldSet(), c.Removed().FieldSet()
		if !changed.Equals(want.Modified.Union(want.Added)) || !removed.Equals(want.Removed) {
			a, _ := json.Marshal(was)
			b, _ := json.Marshal(is)
			t.Fatalf("%s\n%s\nchanged %v\nremoved %v\nwant\n%v", a, b, changed, removed, want)
		}
	}
	c, v := new(fieldset.Comparison), any(func() {})
	fieldset.Field(c, "value", nil, &v, fieldset.Untyped)
	if c.Err() == nil {
		t.Error("a function is no JSON, which nobody has said")
	}
}

// untyped is a small random value.
func untyped(random *rand.Rand, depth int) any {
	switch n := random.IntN(9); {
	case n == 0:
		return nil
	case n == 1:
		return random.IntN(2) == 0
	case n == 2:
		return int64(random.IntN(3))
	case n == 3:
		return float64(random.IntN(3)) / 2
	case n == 4:
		return []string{"", "a"}[random.IntN(2)]
	case n == 5 && depth < 3:
		list := []any{}
		for range random.IntN(3) {
			list = append(list, untyped(random, depth+1))
		}
		return list
	}
	object := map[string]any{}
	for range random.IntN(3) {
		if depth < 3 {
			object[fmt.Sprint(random.IntN(3))] = untyped(random, depth+1)
		}
	}
	return object
}
