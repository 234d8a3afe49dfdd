package fieldset_test

import (
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typeplane/typeplane/runtime/fieldset"
)

// A comparison of sets has their fields, each once, in the order in which structured-merge-diff
// writes them.
func TestOf(t *testing.T) {
	key := fieldpath.KeyByFields("name", "x")
	set := fieldpath.NewSet(
		fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("spec", "b", "c"), fieldpath.MakePathOrDie("spec", "b", "d"), fieldpath.MakePathOrDie("spec", "a"),
		fieldpath.MakePathOrDie("spec", "list", key), fieldpath.MakePathOrDie("spec", "list", key, "name"),
	)
	want, err := set.ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	c := fieldset.Of(set, fieldpath.NewSet())
	got, err := c.Changed().AppendJSON(nil)
	if err != nil || string(got) != string(want) || !c.Removed().Empty() || c.Changed().Size() != set.Size() || !c.Changed().FieldSet().Equals(set) {
		t.Errorf("%v: %s, want %s; removed %v", err, got, want, c.Removed())
	}
}

// Values without a schema have each field once, too.
func TestUntypedOnce(t *testing.T) {
	c := new(fieldset.Comparison)
	fieldset.Untyped(c, nil, &map[string]any{"a": map[string]any{"b": 1, "c": map[string]any{"d": 2, "e": 3}}})
	got, err := c.Changed().AppendJSON(nil)
	if want := `{".":{},"f:a":{".":{},"f:b":{},"f:c":{".":{},"f:d":{},"f:e":{}}}}`; err != nil || string(got) != want {
		t.Errorf("%v: %s, want %s", err, got, want)
	}
}
