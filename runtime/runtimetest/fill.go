package runtimetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"sigs.k8s.io/randfill"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// newFiller returns a filler whose values survive every wire format: what a format can't tell apart
// (nil and empty, a time and its nanoseconds) is not made. More functions replace these, type by
// type.
func newFiller(seed int64, more []any) *randfill.Filler {
	funcs := []any{fillTypeMeta, fillTime, fillMicroTime, fillQuantity, fillIntOrString, fillRawExtension, fillFieldsV1, fillString}
	return randfill.NewWithSeed(seed).NilChance(0.2).NumElements(1, 3).Funcs(funcs...).Funcs(more...)
}

// TypeMeta is set by whoever encodes.
func fillTypeMeta(*metav1.TypeMeta, randfill.Continue) {}

func fillTime(t *metav1.Time, c randfill.Continue) {
	*t = metav1.Unix(1+c.Int63n(1<<33), 0)
}

func fillMicroTime(t *metav1.MicroTime, c randfill.Continue) {
	*t = metav1.NewMicroTime(time.Unix(1+c.Int63n(1<<33), 1000*c.Int63n(1e6)))
}

func fillQuantity(q *resource.Quantity, c randfill.Continue) {
	*q = *resource.NewQuantity(1+c.Int63n(1e9), resource.DecimalSI)
	_ = q.String() // caches its text, as decoding does
}

func fillIntOrString(v *intstr.IntOrString, c randfill.Continue) {
	if c.Bool() {
		*v = intstr.FromInt32(1 + c.Int31())
		return
	}
	*v = intstr.FromString(text(c))
}

func fillRawExtension(r *apiruntime.RawExtension, c randfill.Continue) {
	r.Raw = fmt.Appendf(nil, `{"kind":"K","n":%d}`, c.Int31())
}

func fillFieldsV1(f *metav1.FieldsV1, c randfill.Continue) {
	data, err := json.Marshal(map[string]any{"f:" + text(c): map[string]any{}})
	if err != nil {
		panic(err) // a map of strings always marshals
	}
	f.SetRawBytes(data)
}

func fillString(s *string, c randfill.Continue) { *s = text(c) }

// text is a string of valid UTF-8 with the characters that an encoder may get wrong.
func text(c randfill.Continue) string {
	const alphabet = "abcxyz059-_./:<>&\"\\ é世\u2028😀\n\t"
	letters := []rune(alphabet)
	var b strings.Builder
	for range 1 + c.Intn(12) {
		b.WriteRune(letters[c.Intn(len(letters))])
	}
	if b.String() == "<<" {
		return "<" // as a key it means something else in YAML, and the writers of YAML that are there do not quote it
	}
	return b.String()
}
