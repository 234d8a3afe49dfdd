package tsc

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// Values is a file of constants, each of which is a random value of one of the types of a module.
type Values struct {
	text strings.Builder
	rnd  *rand.Rand
	fill []any
	n    int
}

// NewValues starts a file that imports all types of a module, like "./types". fill are functions
// for randfill, for types whose values are not any.
func NewValues(module string, seed int64, fill ...any) *Values {
	v := &Values{rnd: rand.New(rand.NewSource(seed)), fill: fill}
	fmt.Fprintf(&v.text, "import type * as t from '%s'\n\n", module)
	return v
}

// String is the file.
func (v *Values) String() string { return v.text.String() }

// Add adds a value of a type for which obj is a pointer to one of Go, as encoding/json writes it.
func (v *Values) Add(t testing.TB, name string, obj any) {
	t.Helper()
	v.random(obj)
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&v.text, "export const v%d: t.%s = %s\n", v.n, name, text)
	v.n++
}

// random fills an object with what a server could send: times are set, and so are sets of fields.
func (v *Values) random(obj any) {
	randfill.New().RandSource(v.rnd).NilChance(.3).NumElements(0, 3).MaxDepth(12).Funcs(
		func(s *string, c randfill.Continue) { *s = c.String(5) },
		func(t *metav1.Time, c randfill.Continue) { *t = metav1.NewTime(time.Unix(c.Int63n(1<<33), 0)) },
		func(t *metav1.MicroTime, c randfill.Continue) {
			*t = metav1.NewMicroTime(time.Unix(c.Int63n(1<<33), c.Int63n(1e9)))
		},
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63n(1<<33), resource.DecimalSI)
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			*v = intstr.FromInt32(c.Int31())
			if c.Bool() {
				*v = intstr.FromString(c.String(5))
			}
		},
		func(f *metav1.FieldsV1, c randfill.Continue) {
			f.SetRawString(`{"f:spec":{".":{},"k:{\"a\":\"b\"}":{}}}`)
		},
		func(r *runtime.RawExtension, c randfill.Continue) { r.Raw = []byte(`{"metadata":{"name":"a"}}`) },
		func(v *any, c randfill.Continue) { *v = []any{c.String(5), 1.5, nil, map[string]any{"a": true}} },
		func(condition *metav1.Condition, c randfill.Continue) {
			c.FillNoCustom(condition)
			condition.Status = []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown}[c.Intn(3)]
		},
	).Funcs(v.fill...).Fill(obj)
}
