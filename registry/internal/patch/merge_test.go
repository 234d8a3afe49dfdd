package patch

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// The library's function is what Kubernetes merges with. It is the judge of ours.
func TestMergePatchIsThatOfKubernetes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 386))
	for range 5000 {
		current, patch := randomObject(rnd, 4), randomObject(rnd, 4)
		want, err := jsonpatch.MergePatch([]byte(current), []byte(patch))
		if err != nil {
			t.Fatal(err)
		}
		if got := merged(t, current, patch); !sameJSON(t, got, string(want)) {
			t.Fatalf("%s\nmerged with %s\nis   %s\nwant %s", current, patch, got, want)
		}
	}
}

func TestMergePatch(t *testing.T) {
	for name, test := range map[string]struct{ current, patch, want string }{
		"nothing":              {`{"a":1}`, `{}`, `{"a":1}`},
		"of nothing":           {`{}`, `{"a":{"b":null,"c":1}}`, `{"a":{"c":1}}`},
		"numbers stay exact":   {`{"a":12345678901234567890.10,"b":1}`, `{"b":98765432109876543210.10,"c":[1.50,null,{"x":null}]}`, `{"a":12345678901234567890.10,"b":98765432109876543210.10,"c":[1.50,null,{}]}`},
		"names with escapes":   {`{"a\"b":1,"ü":2}`, `{"a\u0022b":3,"\u00fc":null}`, `{"a\"b":3}`},
		"twice: the last":      {`{}`, `{"a":{"x":1},"a":{"y":1}}`, `{"a":{"y":1}}`},
		"an object for a null": {`{"a":null}`, `{"a":{"b":null}}`, `{"a":{}}`},
		"white space":          {"{ \"a\" : { } }\n", " { \"a\" : { \"b\" : [ 1 ] } }", `{"a":{"b":[ 1 ]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := merged(t, test.current, test.patch); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// Both are as deep as the reader of requests allows; neither is read again at each level.
func TestMergePatchOfDeepObjects(t *testing.T) {
	const depth = 5000
	deep := func(inner string) string {
		return strings.Repeat(`{"a":`, depth) + inner + strings.Repeat("}", depth)
	}
	if got, want := merged(t, deep(`{"x":1}`), deep(`{"y":2}`)), deep(`{"x":1,"y":2}`); got != want {
		t.Errorf("a merge of deep objects is %.100s", got)
	}
}

// A patch may be applied again, to a newer object.
func TestMergePatchAgain(t *testing.T) {
	patch, _, err := NewMerge([]byte(`{"a":{"b":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	for current, want := range map[string]string{`{"a":{"c":2}}`: `{"a":{"c":2,"b":1}}`, `{"b":3}`: `{"b":3,"a":{"b":1}}`} {
		if got, err := patch.Apply([]byte(current)); err != nil || string(got) != want {
			t.Errorf("%s becomes %s (%v), want %s", current, got, err, want)
		}
	}
}

func BenchmarkMergePatchAlone(b *testing.B) {
	large := `{"metadata":{"name":"x","annotations":{"a":"b","c":"d"},"managedFields":[` + strings.Repeat(`{"f:x":{"f:y":{}}},`, 150) + `{}]},"spec":{"containers":[` + strings.Repeat(`{"name":"n","image":"i"},`, 50) + `{}]}}`
	b.ReportAllocs()
	for b.Loop() {
		patch, _, err := NewMerge([]byte(`{"metadata":{"annotations":{"a":"z"}}}`))
		if err == nil {
			_, err = patch.Apply([]byte(large))
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func merged(t *testing.T, current, patch string) string {
	t.Helper()
	p, _, err := NewMerge([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	next, err := p.Apply([]byte(current))
	if err != nil {
		t.Fatal(err)
	}
	return string(next)
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	for _, err := range []error{json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return reflect.DeepEqual(x, y)
}

// randomObject has few names, so that two of them meet often.
func randomObject(rnd *rand.Rand, depth int) string {
	var members []string
	for _, name := range []string{"a", "b", "c"} {
		if rnd.IntN(4) > 0 {
			members = append(members, fmt.Sprintf("%q:%s", name, randomValue(rnd, depth-1)))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func randomValue(rnd *rand.Rand, depth int) string {
	switch n := rnd.IntN(8); {
	case n < 2:
		return "null"
	case n < 3 || depth == 0:
		return fmt.Sprint(rnd.IntN(100))
	case n < 5:
		var elements []string
		for range rnd.IntN(3) {
			elements = append(elements, randomValue(rnd, depth-1))
		}
		return "[" + strings.Join(elements, ",") + "]"
	}
	return randomObject(rnd, depth)
}
