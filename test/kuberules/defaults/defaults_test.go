package defaults

import (
	"encoding/json"
	"flag"
	"math/rand"
	"reflect"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/typeplane/typeplane/examples/kubernetes"
	"github.com/typeplane/typeplane/policy"
	"github.com/typeplane/typeplane/test/kuberules/documents"
)

var (
	objects = flag.Int("objects", 60, "random objects of each kind")
	seed    = flag.Int64("seed", 1, "that of the first kind's objects")
)

// TestDefaults sends objects of each kind through both servers. What comes out of a kube-apiserver
// is sent through both once more, as a client does who changes what it has read.
func TestDefaults(t *testing.T) {
	values, reasons, asked := declaredValues(t), documents.Known(differences), 0
	kinds := append(kindsOf(schemeOf(t, kubernetes.Program(policy.Extras()))), cluster...)
	for i, k := range kinds {
		if !legacyscheme.Scheme.Recognizes(k.GroupVersionKind) {
			t.Logf("%v is none of Kubernetes", k.GroupVersionKind)
			continue
		}
		asked++
		t.Run(k.of+" "+k.GroupVersion().String()+" "+k.Kind, func(t *testing.T) {
			c := comparison{kind: k, source: source{Rand: rand.New(rand.NewSource(*seed + int64(i))), enums: values}, Comparison: documents.Comparison{Kind: k.Kind}}
			c.run(t)
			c.Report(t, reasons)
		})
	}
	t.Logf("%d kinds", asked)
	reasons.Needed(t)
}

// comparison is of what both make of the objects of one kind.
type comparison struct {
	kind
	source
	documents.Comparison
	unread int
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
		if answer := c.ask(t, text); answer != nil {
			c.ask(t, answer)
		}
	}
	if c.Compared < *objects {
		t.Errorf("a kube-apiserver reads %d objects, and %d it doesn't", c.Compared, c.unread)
	}
}

// ask sends one object through both, and returns the answer of a kube-apiserver. It is nil if that
// can't read the object.
func (c *comparison) ask(t *testing.T, text []byte) []byte {
	t.Helper()
	want, err := theirs(c.GroupVersionKind, text)
	if err != nil {
		c.unread++
		return nil
	}
	got, err := c.answer(text)
	if err != nil {
		t.Errorf("%v\n%s", err, text)
		return want
	}
	if err := c.Compare(want, got, string(text)); err != nil {
		t.Fatal(err)
	}
	return want
}
