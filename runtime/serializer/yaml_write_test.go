package serializer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// compareYAML fails unless the YAML of a JSON document is read as the document again, by both
// libraries.
func compareYAML(t *testing.T, text string) {
	t.Helper()
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	got, err := AppendYAML(nil, []byte(text), 0)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var read, readV3 any
	if err := yaml.Unmarshal(got, &read); err != nil || !reflect.DeepEqual(read, want) {
		t.Fatalf("%q: %v, read as\n%#v, want\n%#v\n%s", text, err, read, want, got)
	}
	if err := yamlv3.Unmarshal(got, &readV3); err != nil {
		t.Fatalf("%q: %v\n%s", text, err, got)
	}
	if again, err := json.Marshal(readV3); err == nil {
		if err := json.Unmarshal(again, &readV3); err != nil || !reflect.DeepEqual(readV3, want) {
			t.Fatalf("%q: %v, read by v3 as\n%#v, want\n%#v\n%s", text, err, readV3, want, got)
		}
	}
	if library, err := yaml.JSONToYAML([]byte(text)); err == nil {
		var read any
		if err := yaml.Unmarshal(library, &read); err == nil && !reflect.DeepEqual(read, want) {
			t.Logf("%q: the library differs", text)
		}
	}
	within, err := AppendYAML([]byte("- "), []byte(text), 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(within, &read); err != nil || !reflect.DeepEqual(read, []any{want}) {
		t.Fatalf("%q: %v, in a list read as\n%#v\n%s", text, err, read, within)
	}
}

// oddStrings are those that YAML writes in many ways.
var oddStrings = []string{
	"", "a", "A b", "true", "True", "y", "NO", "off", "null", "Null", "~", "0x1f", "0b1", "0o7", "017", "1e3", "1_000", ".5", "-1", "+1", ".inf", "-.INF", ".nan", "1:30", "190:20:30.15", "2001-01-01",
	"2001-12-14t21:59:43.10-05:00", "=", "<<", "---", "...", "- a", "-", "?", "? a", ":", "a: b", "a:b", "a:", "a:: b", "a #b", "a# b", "#", "# comment", " leading", "trailing ", "a  b", "/", "/var/run: x", "//",
	"two\nlines", "two\nlines and a break\n", "several breaks\n\n\n", "\n", "\n\nempty lines\n\n\nwithin\n\n", "  indented\nfirst", "\ttab\nfirst", "tab\there", "last line\n  ", "a\n \n  b\n", "line one\n  line two\n\tline three",
	"\"quoted\"", "it's", "'", "ümlaut", "ü\nä\n", "日本\n語", "\u2028", "a\u2028\nb", "\u0085", "a\u0085\nb", "\ufeff", "\ufffe", "\U0001f600", "\x7f", "\x00", "\x1b[0m", "a\rb", "a\r\nb\r\n", "a\\b", "a/b", "|", ">", "%", "@", "`", "&a", "*a", "!a", "!!str",
	"{", "}", "[", "]", ",", "{}", "[]", "a{b", "a,b", strings.Repeat("long words and spaces ", 60), strings.Repeat("x", 2000), "key\nwith lines", "a\n---\nb\n", "a\n...\nb", "a\n# b\n", "100m", "5Gi", "1.2.3", "10.0.0.1", "3f2b6d1e-0a7c-4a41-8d4e-1b2c3d4e5f60", "12345678-1234-1234-1234-123456789012", "1e5-1-1-1", "2001-12-14 21:59:43.10 -5-5", "0x1g", "1z", "0b2", "0o9", "1_0.0_0.0", "1:2-3-4-5",
	"k:{\"name\":\"a\"}", "<w>", "<", "$a", "(a)", ";", "^", "_1", "__", "a\"b", "a'b", "a,b]c", "ä: b", "ä #b", "a\u00a0b", "a\u2003b", "\u00a0", "é", "日本", "a\ufeffb", "=1", "y: n", "yes ", "nUll",
}

// TestAppendYAML writes each odd string as a value, a key, in lists and in objects.
func TestAppendYAML(t *testing.T) {
	for _, s := range oddStrings {
		quoted, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{`%s`, `[%s]`, `[[%s,1],{}]`, `{"a":%s}`, `{%s:1}`, `{%s:{%[1]s:[%[1]s,{%[1]s:%[1]s}]},"z":[]}`} {
			compareYAML(t, fmt.Sprintf(format, quoted))
		}
	}
	for _, text := range []string{
		` { "b" : [ 1 , 2.5 , -0.25 , 1e3 , 1E+2, 123456789012 ] , "a" : null,"c":true , "d":{ } , "e":[ ] } `, `{"a":"\ud83d\ude00\/\u0041"}`, `[[[]],[[[1]]],[{}],[{"a":[{"b":[[]]}]}]]`, `0`, `null`, `[]`, `{}`, `{"":{"":""}}`,
		strings.Repeat(`{"a":[`, 200) + `"x\ny"` + strings.Repeat(`]}`, 200), strings.Repeat(`{"`+strings.Repeat("k", 1100)+`":`, 100) + `"x"` + strings.Repeat(`}`, 100),
	} {
		compareYAML(t, text)
	}
	want := "a:\n- b: 1\n  c: |\n    x\n    y\n- - d\n  - {}\nb: \"1\"\nc:\n  d: e f\n"
	if got, err := AppendYAML(nil, []byte(`{"c":{"d":"e f"},"b":"1","a":[{"c":"x\ny\n","b":1},["d",{}]]}`), 0); err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestAppendYAMLRandom writes random documents.
func TestAppendYAMLRandom(t *testing.T) {
	for seed := range uint64(3000) {
		text, err := json.Marshal(randomJSON(rand.New(rand.NewPCG(seed, 1)), 5))
		if err != nil {
			t.Fatal(err)
		}
		compareYAML(t, string(text))
	}
}

func randomJSON(r *rand.Rand, depth int) any {
	if depth == 0 || r.IntN(3) == 0 {
		return []any{nil, true, false, r.IntN(1000), r.Float64(), oddStrings[r.IntN(len(oddStrings))], oddStrings[r.IntN(len(oddStrings))]}[r.IntN(7)]
	}
	if r.IntN(2) == 0 {
		list := []any{}
		for range r.IntN(4) {
			list = append(list, randomJSON(r, depth-1))
		}
		return list
	}
	m := map[string]any{}
	for range r.IntN(4) {
		m[oddStrings[r.IntN(len(oddStrings))]] = randomJSON(r, depth-1)
	}
	return m
}

// TestDeepYAML: the YAML of deeply nested objects grows with their JSON, and not by the square of
// their depth.
func TestDeepYAML(t *testing.T) {
	const depth = 9000
	for _, format := range [][2]string{{`{"a":`, `}`}, {`[`, `]`}, {`[{"a":`, `}]`}} {
		text := strings.Repeat(format[0], depth) + "1" + strings.Repeat(format[1], depth)
		got, err := AppendYAML(nil, []byte(text), 0)
		if err != nil || len(got) > 2*len(text)+20_000 {
			t.Errorf("%s: %d bytes of %d, %v", format, len(got), len(text), err)
		}
	}
}

// FuzzAppendYAML: JSON is written so that it is read again, and anything else is an error.
func FuzzAppendYAML(f *testing.F) {
	for _, s := range oddStrings {
		quoted, _ := json.Marshal(s)
		f.Add(string(quoted))
		f.Add(`{"a":[` + string(quoted) + `,{}]}`)
	}
	for _, text := range []string{"", "{", `{"a"`, `{"a":`, `{"a":1`, `[1,`, `[,]`, `{"a":1,}`, `"\`, `"\x"`, "nul", "1 2", "[1]]", "-", "1.", `{1:2}`, `{"a":1,"a":2}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var value any
		err := json.Unmarshal([]byte(text), &value)
		if err != nil {
			_, _ = AppendYAML(nil, []byte(text), 0) // must not panic
			return
		}
		again, err := json.Marshal(value) // without keys that come twice, and of valid UTF-8
		if err != nil || len(again) > 1000 {
			return
		}
		compareYAML(t, string(again))
	})
}

// TestDeepIndent: JSON that is deeply nested is not indented, and any other is as by encoding/json.
func TestDeepIndent(t *testing.T) {
	for depth, indented := range map[int]bool{1: true, 100: true, 101: false, 9000: false} {
		text := strings.Repeat(`{"}\"]":[`, depth/2) + strings.Repeat("[", depth%2) + strings.Repeat("]", depth%2) + strings.Repeat(`]}`, depth/2)
		var got, want bytes.Buffer
		if err := Indent(&got, []byte(text), " "); err != nil {
			t.Fatal(err)
		}
		want.WriteString(text)
		if indented {
			want.Reset()
			if err := json.Indent(&want, []byte(text), " ", "  "); err != nil {
				t.Fatal(err)
			}
		}
		if got.String() != want.String() {
			t.Errorf("depth %d: %.100s", depth, got.String())
		}
	}
}
