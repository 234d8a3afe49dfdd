package runtimetest

import (
	"fmt"
	"time"

	"sigs.k8s.io/randfill"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// wildFuncs fill values with what is seldom, or not right; zeros is how often a value is zero.
func wildFuncs(zeros float64) []any {
	return []any{
		fillTypeMeta,
		wild(zeros, func(s *string, c randfill.Continue) { *s = wildText(c) }),
		wild(zeros, func(n *int32, c randfill.Continue) { *n = int32(wildNumber(c)) }),
		wild(zeros, func(n *int64, c randfill.Continue) { *n = wildNumber(c) }),
		wild(zeros, func(n *uint32, c randfill.Continue) { *n = uint32(wildNumber(c)) }),
		wild(zeros, func(n *float64, c randfill.Continue) { *n = c.NormFloat64() * float64(wildNumber(c)) }),
		wild(zeros, func(b *bool, _ randfill.Continue) { *b = true }),
		wild(zeros, func(t *metav1.Time, c randfill.Continue) { t.Time = wildTime(c) }),
		wild(zeros, func(t *metav1.MicroTime, c randfill.Continue) { t.Time = wildTime(c) }),
		wild(zeros, func(d *metav1.Duration, c randfill.Continue) { d.Duration = time.Duration(wildNumber(c)) }),
		wild(zeros, func(q *resource.Quantity, c randfill.Continue) { *q = wildQuantity(c) }),
		wild(zeros, func(r *apiruntime.RawExtension, c randfill.Continue) {
			r.Raw = []byte([]string{`{"kind":"K","n":1}`, "{ \"a\" : \"<é>\" }\n", "null", `[1,2.50]`}[c.Intn(4)])
		}),
		func(f *metav1.FieldsV1, c randfill.Continue) {
			f.SetRawBytes([]byte([]string{
				`{"f:spec":{"f:<a>":{}}}`, "{ \"f:a\" : {} }", "null", "", `{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"k:{\"name\":\"a\"}":{}}`,
			}[c.Intn(5)]))
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			*v = intstr.FromInt32(int32(wildNumber(c)))
			if c.Bool() {
				*v = intstr.FromString(wildText(c))
			}
		},
	}
}

// wild leaves as many values zero as zeros says.
func wild[T any](zeros float64, fill func(*T, randfill.Continue)) func(*T, randfill.Continue) {
	return func(value *T, c randfill.Continue) {
		var zero T
		if *value = zero; c.Float64() >= zeros {
			fill(value, c)
		}
	}
}

func wildNumber(c randfill.Continue) int64 {
	numbers := []int64{0, 1, -1, 9, 10, 127, 128, 1000, 1 << 20, 1<<31 - 1, -1 << 31, 1<<63 - 1, -1 << 63}
	return numbers[c.Intn(len(numbers))]
}

func wildTime(c randfill.Continue) time.Time {
	return time.Unix(c.Int63n(1<<uint(8+c.Intn(32)))-1000, c.Int63n(1e9))
}

func wildText(c randfill.Continue) string {
	if c.Bool() {
		return text(c)
	}
	seldom := []string{"", "a", "plain-name", "<&> \"quoted\"\n", "\xff\xfe", "ends with half a character \xe2\x80", "\x00", "name-of-something-in-kubernetes",
		"längere Wörter über 32 Bytes hinaus, und noch einige mehr, bis es mehr als 127 sind: das ist die Länge, die in ein Byte passt, und das ist nun genug"}
	return seldom[c.Intn(len(seldom))]
}

func wildQuantity(c randfill.Continue) resource.Quantity {
	number := fmt.Sprint(c.Intn([]int{2, 10, 2000, 1 << 20, 1 << 30}[c.Intn(5)]))
	switch c.Intn(6) {
	case 0:
		number += fmt.Sprintf(".%d", c.Intn(1000))
	case 1:
		number += "000"
	case 2:
		number = "-" + number
	}
	suffixes := []string{"", "m", "u", "n", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "e-2"}
	return resource.MustParse(number + suffixes[c.Intn(len(suffixes))])
}
