package fieldset_test

import (
	"errors"
	"testing"

	"github.com/typeplane/typeplane/runtime/fieldset"
)

type item struct{ Name, Text string }

func items(c *fieldset.Comparison, old, obj *[]item) {
	fieldset.List(c, old, obj,
		func(a, b *item) bool { return a.Name == b.Name },
		func(in *item) fieldset.Key { return fieldset.AddKey(nil, "name", in.Name != "", in.Name, nil) },
		func(c *fieldset.Comparison, old, obj *item) {
			old, was := fieldset.Value(old)
			obj, is := fieldset.Value(obj)
			c.Leaf("text", was, is, old.Text == obj.Text)
		})
}

// words are in an order that is not that of their text in JSON.
var words = []string{"b", "a", "a b", `quote"`, "é", "line\n", ""}

func compared() *fieldset.Comparison {
	c := new(fieldset.Comparison)
	labels, set, list := map[string]string{}, []string{}, []item{}
	for _, w := range words {
		labels[w], set = w, append(set, w)
		if w != "" {
			list = append(list, item{w, w})
		}
	}
	fieldset.Field(c, "set", nil, &set, func(c *fieldset.Comparison, old, obj *[]string) {
		fieldset.SetOf(c, old, obj, func(s string) any { return s })
	})
	fieldset.Field(c, "labels", nil, &labels, fieldset.Values)
	fieldset.Field(c, "list", &[]item{{"b", "x"}, {"gone", ""}}, &list, items)
	return c
}

func TestSetIsWrittenAsFieldpathWritesIt(t *testing.T) {
	set := compared().Changed()
	got, err := set.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := set.FieldSet().ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if set.Size() != set.FieldSet().Size() || set.Size() < 2*len(words) {
		t.Errorf("%d fields, by fieldpath %d", set.Size(), set.FieldSet().Size())
	}
	// Every field is found in its own text, also if that is written in another way.
	for _, text := range []string{string(got), " { \"f:other\" : {} ," + string(got[1:])} {
		if n, err := fieldset.Count([]byte(text), set); n != set.Size() || err != nil {
			t.Errorf("%d of %d fields, %v, are in %s", n, set.Size(), err, text)
		}
	}
}

func TestCount(t *testing.T) {
	c := compared()
	for _, tc := range []struct {
		fields string
		want   int
	}{
		{`{}`, 0},
		{`{"f:labels":{}}`, 1},
		{`{"f:labels":{".":{},"f:a":{},"f:unknown":{}}}`, 2},
		{`{"f:labels":{"f:\u0061":{}}}`, 1},
		{`{"f:labels":{"f:a":{"f:below":{}}}}`, 0},
		{`{"f:list":{"k:{\"name\":\"a\"}":{".":{},"f:text":{}},"k:{\"name\":\"z\"}":{}}}`, 2},
		{`{"f:set":{"v:\"a b\"":{}}}`, 1},
	} {
		if n, err := fieldset.Count([]byte(tc.fields), c.Changed()); n != tc.want || err != nil {
			t.Errorf("%d, %v in %s; want %d", n, err, tc.fields, tc.want)
		}
	}
	if n, err := fieldset.Count([]byte(`{"f:list":{"k:{\"name\":\"gone\"}":{".":{},"f:text":{}}}}`), c.Removed()); n != 2 || err != nil {
		t.Errorf("%d, %v of what is gone", n, err)
	}
	for _, broken := range []string{``, `[]`, `{"f:labels"`, `{"f:labels":`, `{"f:labels":{"f:a":{}`, `{"f:other":{"`, `{"f:labels":7}`} {
		if _, err := fieldset.Count([]byte(broken), c.Changed()); !errors.Is(err, fieldset.ErrFieldsV1) {
			t.Errorf("%q: %v", broken, err)
		}
	}
}

func TestItemWithoutAName(t *testing.T) {
	c := new(fieldset.Comparison)
	fieldset.Field(c, "list", nil, &[]item{{Text: "x"}}, items)
	if c.Err() == nil || c.Err().Error() != ".list: item 0: it has none of the fields that name an item of the list" {
		t.Error(c.Err())
	}
}

func TestDrop(t *testing.T) {
	set := compared().Changed()
	set.Drop([]string{"labels"})
	set.Drop([]string{"set"})
	set.Drop([]string{"list", "nothing"})
	if n, _ := fieldset.Count([]byte(`{"f:labels":{".":{}},"f:set":{}}`), set); n != 0 {
		t.Errorf("%d fields are left", n)
	}
	set.Drop([]string{"list"})
	if !set.Empty() {
		t.Error("it is not empty")
	}
}
