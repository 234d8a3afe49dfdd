package openapi

import (
	"encoding/json"
	"testing"
)

func TestLiteral(t *testing.T) {
	for _, tc := range []struct{ text, kind, want string }{
		{"abc", "", `"abc"`},
		{"abc", "string", `"abc"`},
		{"5", "string", `"5"`},
		{`"5"`, "string", `"5"`},
		{"5", "", "5"},
		{"'a b'", "string", `"a b"`},
		{"`a\"b`", "string", `"a\"b"`},
		{"a;b", "array", `["a","b"]`},
		{"{a, 2, \"c,d\"}", "array", `["a",2,"c,d"]`},
		{"{}", "array", "[]"},
		{"{}", "object", "{}"},
		{"{a: 1, b: {c, d}, e: {f: g}}", "object", `{"a":1,"b":["c","d"],"e":{"f":"g"}}`},
		{"{a: b:c}", "object", `{"a":"b:c"}`},
		{`{"a": [1, 2]}`, "object", `{"a": [1, 2]}`},
		{"null", "integer", "null"},
		{"3", "number", "3"},
	} {
		if got, err := literal(tc.text, tc.kind); err != nil || string(got) != tc.want {
			t.Errorf("literal(%q, %q): got %s, %v, want %s", tc.text, tc.kind, got, err, tc.want)
		}
	}
}

// FuzzLiteral looks for input that stops the reader, or that it reads as what is not JSON.
func FuzzLiteral(f *testing.F) {
	for _, text := range []string{"a", "{a,b}", "{a: {b, c}}", `"x`, "{{}", "a;b;", "'", "{:}", "{,}", "}"} {
		f.Add(text, "array")
	}
	f.Fuzz(func(t *testing.T, text, kind string) {
		switch kind {
		case "", "string", "integer", "number", "boolean", "array", "object":
		default:
			kind = ""
		}
		if got, err := literal(text, kind); err == nil && !json.Valid(got) {
			t.Errorf("literal(%q, %q) is %s", text, kind, got)
		}
		items, err := values(text, kind)
		for _, got := range items {
			if err == nil && !json.Valid(got) {
				t.Errorf("values(%q, %q) has %s", text, kind, got)
			}
		}
	})
}
