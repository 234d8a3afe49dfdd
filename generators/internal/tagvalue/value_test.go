package tagvalue

import (
	"encoding/json"
	"testing"
)

func TestRead(t *testing.T) {
	for _, tc := range []struct{ text, kind, want string }{
		{"abc", "", `"abc"`},
		{"abc", "string", `"abc"`},
		{"5", "string", `"5"`},
		{`"5"`, "string", `"5"`},
		{"5", "", "5"},
		{"'a b'", "string", `"a b"`},
		{"`a\"b`", "string", `"a\"b"`},
		{"a;b", "array", `["a","b"]`},
		{"{a, 2, \"c,d\"}", "array", `["a","2","c,d"]`},
		{"{2, 3}", "array", "[2,3]"},
		{`a;true`, "array", `["a","true"]`},
		{"{a b, c}", "array", `["a b","c"]`},
		{"{a: b c, d: http://e:1/f}", "object", `{"a":"b c","d":"http://e:1/f"}`},
		{"null", "string", `"null"`},
		{"{}", "array", "[]"},
		{"{}", "object", "{}"},
		{"{a: 1, b: {c, d}, e: {f: g}}", "object", `{"a":1,"b":["c","d"],"e":{"f":"g"}}`},
		{"{a: b:c}", "object", `{"a":"b:c"}`},
		{"{a: '}', b: {c: '{'}}", "object", `{"a":"}","b":{"c":"{"}}`},
		{"{it's, fine}", "array", `["it's","fine"]`},
		{`{"a": [1, 2]}`, "object", `{"a": [1, 2]}`},
		{"null", "integer", "null"},
		{"3", "number", "3"},
	} {
		if got, err := Read(tc.text, tc.kind); err != nil || string(got) != tc.want {
			t.Errorf("Read(%q, %q): got %s, %v, want %s", tc.text, tc.kind, got, err, tc.want)
		}
	}
}

// FuzzRead looks for input that stops the reader, or that it reads as what is not JSON.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"a", "{a,b}", "{a: {b, c}}", `"x`, "{{}", "a;b;", "'", "{:}", "{,}", "}"} {
		f.Add(text, "array")
	}
	f.Fuzz(func(t *testing.T, text, kind string) {
		switch kind {
		case "", "string", "integer", "number", "boolean", "array", "object":
		default:
			kind = ""
		}
		if got, err := Read(text, kind); err == nil && !json.Valid(got) {
			t.Errorf("Read(%q, %q) is %s", text, kind, got)
		}
		items, err := Items(text, kind)
		for _, got := range items {
			if err == nil && !json.Valid(got) {
				t.Errorf("Items(%q, %q) has %s", text, kind, got)
			}
		}
	})
}
