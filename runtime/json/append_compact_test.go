package json_test

import (
	stdjson "encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/runtime/json"
)

// TestCompact writes JSON that is there already, whole and damaged in one or two places, and
// compares with encoding/json.
func TestCompact(t *testing.T) {
	whole := []string{
		`{"f:metadata":{"f:labels":{".":{},"f:app":{}},"f:ownerReferences":{"k:{\"uid\":\"a3d5c8f1\"}":{}}},"f:spec":[]}`,
		`{"a":[1,-2.5e+3,true,false,null,"x\u0041\\\/y",[[],{}],{"b":[{"c":0}]}]}`,
		`{ "a" : [ 1 , "a b" ] }`, `{"a":"<&>"}`, "{\"a\":\"\u2028é\"}", `"only a string"`, `"plain"`, `1234567890`, `[]`, `{}`, `""`, ` null `,
		strings.Repeat("[", 62) + strings.Repeat("]", 62), strings.Repeat("[", 63) + strings.Repeat("]", 63),
		strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat(`{"a":[`, 40) + `0` + strings.Repeat("]}", 40),
		`{"a":1}}`, `{"a":1}]`, `[1}`, `{"a":1,}`, `[1,]`, `{"a"}`, `{"a":}`, `{1:2}`, `{"a":1 "b":2}`, `"a`, `"a\`, `"a\x"`, `"tab	in it"`,
	}
	random := rand.New(rand.NewPCG(3, 4))
	for _, data := range whole {
		compareCompact(t, data)
		for n := range len(data) {
			compareCompact(t, data[:n])
		}
		for range 3000 {
			damaged := []byte(data)
			for range 1 + random.IntN(2) {
				const letters = "{}[]:,\"\\ \n0a<\x01\x80"
				i := random.IntN(len(damaged) + 1)
				if c := letters[random.IntN(len(letters))]; i == len(damaged) {
					damaged = append(damaged, c)
				} else {
					damaged[i] = c
				}
			}
			compareCompact(t, string(damaged))
		}
	}
}

func compareCompact(t *testing.T, data string) {
	t.Helper()
	want, wantErr := stdjson.Marshal(stdjson.RawMessage(data))
	raw := stdjson.RawMessage(data)
	got, err := json.AppendRawMessage([]byte("x"), &raw)
	switch {
	case (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error():
		t.Fatalf("%q: error %v, want %v", data, err, wantErr)
	case err == nil && string(got) != "x"+string(want):
		t.Fatalf("%q:\n got %s\nwant x%s", data, got, want)
	}
}
