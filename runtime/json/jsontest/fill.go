package jsontest

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// fill makes obj random, also with what is hard to write; more functions replace these.
func fill(rnd *rand.Rand, obj any, more []any) {
	randfill.New().RandSource(rnd).NilChance(.3).NumElements(0, 3).MaxDepth(12).Funcs(
		func(t *metav1.Time, c randfill.Continue) {
			if c.Intn(4) > 0 {
				*t = metav1.NewTime(time.Unix(c.Int63n(1<<34)-1<<33, c.Int63n(1e9)))
			}
		},
		func(t *metav1.MicroTime, c randfill.Continue) {
			*t = metav1.NewMicroTime(time.Unix(c.Int63n(1<<33), c.Int63n(1e9)))
		},
		func(q *resource.Quantity, c randfill.Continue) {
			texts := []string{"1", "0", "100m", "1.5", "2Gi", "1e3", "0.000000001", "12345678901234567890", "-3k"}
			*q = resource.MustParse(texts[c.Intn(len(texts))])
			if c.Bool() {
				q.Add(resource.MustParse("1m")) // forgets the text
			}
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			*v = intstr.FromInt32(c.Int31() - 1<<30)
			if c.Bool() {
				*v = intstr.FromString(word(c))
			}
		},
		func(r *apiruntime.RawExtension, c randfill.Continue) {
			if c.Bool() {
				r.Raw = fmt.Appendf(nil, ` { "a<b" : [ %d , "&" ] , "b" : %q } `, c.Int31(), "\u2028é")
			}
		},
		func(f *metav1.FieldsV1, c randfill.Continue) {
			if c.Bool() {
				f.SetRawString(`{"f:spec":{".":{},"k:{\"a\":\"` + strings.Repeat("<x>", c.Intn(3)) + `\"}":{}} }`)
			}
		},
		func(m *json.RawMessage, c randfill.Continue) { *m = json.RawMessage(`{"raw": ["<",1]}`) },
		func(s *string, c randfill.Continue) { *s = word(c) },
		func(v *any, c randfill.Continue) {
			*v = map[string]any{word(c): []any{word(c), 1.5, int64(7), nil, true, map[string]any{}}}
		},
	).Funcs(more...).Fill(obj)
}

// word is a string with what has to be escaped, and what is not UTF-8.
func word(c randfill.Continue) string {
	letters := []string{"a", "b", "c", "x", "0", "-", "/", "<", ">", "&", "'", `"`, `\`, " ", "é", "世", "\u2028", "\u2029", "😀", "\n", "\x00", "\x1f", "\x7f", "\xff", "\xe2\x80", "\ufffd"}
	easy := c.Intn(3) > 0
	var b strings.Builder
	for range c.Intn(20) {
		if easy {
			b.WriteString(letters[c.Intn(7)])
		} else {
			b.WriteString(letters[c.Intn(len(letters))])
		}
	}
	return b.String()
}
