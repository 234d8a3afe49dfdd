package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/runtime/json"
)

// TestStrings writes strings of all lengths that are treated differently, with each byte at each
// place, behind names of all lengths. The room is sometimes missing, sometimes just enough; nothing
// behind it changes.
func TestStrings(t *testing.T) {
	for n := range 50 {
		for at := range n {
			for c := range 256 {
				s := []byte(strings.Repeat("a", n))
				s[at] = byte(c)
				compareString(t, strings.Repeat("n", (n+at+c)%40), string(s), (at+c)%3)
			}
		}
		compareString(t, "", strings.Repeat("a", n), n%3)
	}
	for _, s := range []string{"\u2028", "a\u2029b", "héllo wörld", "日本語のメッセージ", "\xed\xa0\x80", "\xf0\x9f\x98", "😀<😀>&😀", "ends with \xff"} {
		for n := range 40 {
			compareString(t, "", strings.Repeat("x", n)+s, n%3)
			compareString(t, "", s+strings.Repeat(" ", n), n%3)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		s := make([]byte, random.IntN(200))
		const letters = "aaaaaaaaaaaaaaaaaaaaaa ^|~!#$%'\"\\<>&\n\xe2\x80\xa8"
		for i := range s {
			s[i] = letters[random.IntN(len(letters))]
		}
		compareString(t, "name", string(s), random.IntN(3))
	}
}

// compareString writes a name and a string into no room (0), room enough (1) or more (2).
func compareString(t *testing.T, name, s string, room int) {
	t.Helper()
	const before, behind = "before", "behind it"
	literal, err := stdjson.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	want := before + name + string(literal)
	data := []byte(before)
	if room > 0 {
		data = append(make([]byte, 0, len(want)+len(behind)), want+behind...)[: len(before) : len(want)+len(behind)*(room-1)]
	}
	got := json.AppendStringField(data, name, s)
	if string(got) != want {
		t.Fatalf("%q %q:\n got %s\nwant %s", name, s, got, want)
	}
	if rest := data[len(data):cap(data)]; room == 2 && !bytes.HasSuffix(rest, []byte(behind)) {
		t.Fatalf("%q %q: what stands behind is %q", name, s, rest)
	}
}

// TestNumbers writes numbers and booleans behind names of all lengths.
func TestNumbers(t *testing.T) {
	for n := range 40 {
		name := strings.Repeat("n", n)
		for _, number := range []int64{0, 1, 9, 10, 99, 100, -1, -9, -10, 1<<63 - 1, -1 << 63} {
			if got, want := json.AppendIntField([]byte("x"), name, number), fmt.Sprint("x", name, number); string(got) != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		for _, b := range []bool{true, false} {
			if got, want := json.AppendBoolField([]byte("x"), name, b), fmt.Sprint("x", name, b); string(got) != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		if got := json.AppendName(make([]byte, 1, 1+n), name); string(got[1:]) != name {
			t.Errorf("got %q, want %q", got[1:], name)
		}
	}
}

// TestMaps writes maps of all sizes for which keys are sorted differently.
func TestMaps(t *testing.T) {
	m := map[string]string{}
	for n := range 40 {
		want, _ := stdjson.Marshal(m)
		if got := json.AppendStringMap(nil, m); string(got) != string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
		var sorted []byte
		for key, value := range json.Sorted(m) {
			sorted = json.AppendString(json.AppendKey(sorted, key), value)
		}
		if got := json.Close(append([]byte{}, sorted...), 0); string(got) != string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
		for range json.Sorted(m) {
			break
		}
		m[fmt.Sprint("key", n*7919%101)] = fmt.Sprint(n)
	}
}

// BenchmarkStrings writes strings of several kinds: what is short and plain, what is long, and what
// needs a second look.
func BenchmarkStrings(b *testing.B) {
	dst := make([]byte, 0, 4096)
	for _, s := range []string{"v1", "Always", "nameValue", "containers-ready", "registry.example/app:v1.2",
		"Started container app", "Back-off restarting failed container app in pod web-0", "with \"quotes\" in it", "größer"} {
		b.Run(fmt.Sprint(len(s), "/", strings.ReplaceAll(s, " ", "_")), func(b *testing.B) {
			for b.Loop() {
				dst = json.AppendString(dst[:0], s)
			}
		})
	}
}
