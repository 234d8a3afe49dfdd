package defaults

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/typeplane/typeplane/examples/kubernetes"
	"github.com/typeplane/typeplane/policy"
)

var (
	objects = flag.Int("objects", 60, "random objects of each kind")
	seed    = flag.Int64("seed", 1, "that of the first kind's objects")
)

// TestDefaults sends objects of each kind through both servers. What comes out of a kube-apiserver
// is sent through both once more, as a client does who changes what it has read.
func TestDefaults(t *testing.T) {
	values, used, asked := declaredValues(t), map[string]int{}, 0
	kinds := append(kindsOf(schemeOf(t, kubernetes.Program(policy.Extras()))), cluster...)
	for i, k := range kinds {
		if !legacyscheme.Scheme.Recognizes(k.GroupVersionKind) {
			t.Logf("%v is none of Kubernetes", k.GroupVersionKind)
			continue
		}
		asked++
		t.Run(k.of+" "+k.GroupVersion().String()+" "+k.Kind, func(t *testing.T) {
			c := comparison{kind: k, source: source{Rand: rand.New(rand.NewSource(*seed + int64(i))), enums: values}, found: map[string]difference{}}
			c.run(t)
			c.report(t, used)
		})
	}
	t.Logf("%d kinds", asked)
	needed(t, used)
}

// comparison is of what both make of the objects of one kind.
type comparison struct {
	kind
	source
	found            map[string]difference // by the path of the field
	compared, unread int
}

// difference is a field in which the two differ.
type difference struct {
	times        int
	theirs, ours any    // in the first object
	object       string // that object, as it was sent
}

func (c *comparison) run(t *testing.T) {
	for n := range *objects {
		obj, err := scheme.Scheme.New(c.GroupVersionKind)
		if err != nil {
			t.Fatal(err)
		}
		c.fullness = []float64{0.1, 0.5, 0.9}[n%3]
		c.fill(reflect.ValueOf(obj).Elem())
		obj.GetObjectKind().SetGroupVersionKind(c.GroupVersionKind)
		text, err := json.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
		if answer := c.compare(t, text); answer != nil {
			c.compare(t, answer)
		}
	}
	if c.compared < *objects {
		t.Errorf("a kube-apiserver reads %d objects, and %d it doesn't", c.compared, c.unread)
	}
}

// compare sends one object through both, and returns the answer of a kube-apiserver. It is nil if
// that can't read the object.
func (c *comparison) compare(t *testing.T, text []byte) []byte {
	t.Helper()
	want, err := theirs(c.GroupVersionKind, text)
	if err != nil {
		c.unread++
		return nil
	}
	c.compared++
	got, err := c.answer(text)
	if err != nil {
		t.Errorf("%v\n%s", err, text)
		return want
	}
	var theirs, ours any
	if err := json.Unmarshal(want, &theirs); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &ours); err != nil {
		t.Fatal(err)
	}
	differ("", theirs, ours, func(path string, theirs, ours any) {
		d, ok := c.found[path]
		if !ok {
			d = difference{theirs: theirs, ours: ours, object: string(text)}
		}
		d.times++
		c.found[path] = d
	})
	return want
}

// differ calls found for each field in which two documents differ, without the indexes of items.
func differ(path string, theirs, ours any, found func(path string, theirs, ours any)) {
	switch theirs := theirs.(type) {
	case map[string]any:
		ours, ok := ours.(map[string]any)
		if !ok {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(joined(theirs, ours))) {
			below := name
			if path != "" {
				below = path + "." + name
			}
			differ(below, theirs[name], ours[name], found)
		}
		return
	case []any:
		ours, ok := ours.([]any)
		if !ok || len(theirs) != len(ours) {
			break
		}
		for i := range theirs {
			differ(path, theirs[i], ours[i], found)
		}
		return
	}
	if !reflect.DeepEqual(theirs, ours) {
		found(path, theirs, ours)
	}
}

func joined(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// report fails for each difference without a reason, and counts those with one.
func (c *comparison) report(t *testing.T, used map[string]int) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(c.found)) {
		d := c.found[path]
		reason := reasonFor(c.Kind, path)
		if used[reason] += d.times; reason == "" {
			t.Errorf("%s: %s differs in %d of %d answers\n\tkube-apiserver: %s\n\tours:           %s\n\tof %.2000s",
				c.Kind, path, d.times, c.compared, text(d.theirs), text(d.ours), d.object)
		}
	}
}

func text(v any) string { return fmt.Sprintf("%.300s", must(json.Marshal(v))) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
