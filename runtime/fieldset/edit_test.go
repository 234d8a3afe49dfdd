package fieldset_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typeplane/typeplane/runtime/fieldset"
)

// walk changes some of the fields below a place, in the order of the words or in another.
func walk(random *rand.Rand, c *fieldset.Comparison, depth int) {
	for _, i := range random.Perm(len(words)) {
		if random.IntN(3) == 0 {
			continue
		}
		switch word := words[i]; random.IntN(4) {
		case 0:
			name := fieldpath.KeyByFields("name", word, "port", int64(i))
			c.EnterItem(fieldpath.PathElement{Key: name})
		case 1:
			c.EnterItem(fieldpath.MakePathOrDie(fieldpath.KeyByFields("name", word))[0])
		default:
			c.Enter(word)
		}
		below := depth > 0 && random.IntN(2) == 0
		if !below || random.IntN(2) == 0 {
			c.Change()
		}
		if below {
			walk(random, c, depth-1)
		}
		c.Leave()
	}
}

func randomSet(random *rand.Rand) *fieldset.Set {
	c := new(fieldset.Comparison)
	walk(random, c, 3)
	return c.Changed()
}

func textOf(t *testing.T, set *fieldpath.Set) string {
	t.Helper()
	text, err := set.ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The library is the judge: what is done to the text is what it does to sets.
func TestFieldsAreEditedAsFieldpathDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 5))
	for range 300 {
		a, b := randomSet(random), randomSet(random)
		was, change := a.FieldSet(), b.FieldSet()
		text := textOf(t, was)
		got, err := fieldset.Without(nil, []byte(text), b)
		if want := textOf(t, was.Difference(change)); err != nil || string(got) != want {
			t.Fatalf("%s\nwithout %s\nis   %s, %v\nwant %s", text, textOf(t, change), got, err, want)
		}
		got, err = fieldset.With(nil, []byte(text), b)
		if want := textOf(t, was.Union(change)); err != nil || string(got) != want {
			t.Fatalf("%s\nwith %s\nis   %s, %v\nwant %s", text, textOf(t, change), got, err, want)
		}
		n, err := fieldset.Count([]byte(text), b)
		if want := was.Intersection(change).Size(); err != nil || n != want {
			t.Fatalf("%s\nhas %d, %v of %s\nwant %d", text, n, err, textOf(t, change), want)
		}
	}
}

func TestFieldsInAnotherForm(t *testing.T) {
	set := compared().Changed()
	for _, tc := range []struct{ fields, without string }{
		{" { } ", "{}"},
		{`{"f:other":{}, "f:labels": {"f:a":{ },".":{},"f:z":{}}}`, `{"f:other":{},"f:labels":{"f:z":{}}}`},
		{`{"f:labels":{".":{}}}`, "{}"},
		{`{"f:labels":{"f:\u0061":{"f:below":{}}},"f:set":{".":{},"v:\"a b\"":{}}}`, `{"f:labels":{"f:\u0061":{"f:below":{}}}}`},
	} {
		got, err := fieldset.Without(nil, []byte(tc.fields), set)
		if err != nil || string(bytes.Join(bytes.Fields(got), nil)) != tc.without {
			t.Errorf("%s without the set is %s, %v; want %s", tc.fields, got, err, tc.without)
		}
	}
	for _, fields := range []string{`{"f:z":{},"f:b":{}}`, `{"f:a":{},".":{}}`, `{"f:labels":{"f:z":{},"f:y":{}}}`, `{"k:{\"name\":\"a\"}":{},"f:z":{}}`} {
		if got, err := fieldset.With([]byte("x"), []byte(fields), set); !errors.Is(err, fieldset.ErrOrder) || string(got) != "x" {
			t.Errorf("%s with the set is %s, %v", fields, got, err)
		}
	}
	for _, fields := range []string{`{"f:labels"`, `{"f:labels":`, `{"f:labels":{"f:a":{}`, `{"f:other":{"`, `{"f:labels":7}`, `7`} {
		if _, err := fieldset.Without(nil, []byte(fields), set); !errors.Is(err, fieldset.ErrFieldsV1) {
			t.Errorf("%q without the set: %v", fields, err)
		}
		if _, err := fieldset.With(nil, []byte(fields), set); !errors.Is(err, fieldset.ErrFieldsV1) {
			t.Errorf("%q with the set: %v", fields, err)
		}
	}
}
