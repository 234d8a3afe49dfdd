package gentest

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// recorder stands in for a test that is expected to fail.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper()      {}
func (r *recorder) Failed() bool { return len(r.said) > 0 }
func (r *recorder) Errorf(format string, args ...any) {
	for _, a := range args {
		if s, ok := a.(string); ok {
			format += "|" + s
		}
	}
	r.said = append(r.said, format)
}

func TestBatchNamesTheCase(t *testing.T) {
	b := newBatch(t, t.Name())
	for name, text := range map[string]string{
		"good":   "-- a/a.go --\npackage a\n\nimport \"example.com/b\"\n\nvar A = b.B\n-- b/b.go --\npackage b\n\nvar B = 1\n",
		"broken": "-- a/a.go --\npackage a\n\nvar A int = \"text\"\n",
		"wrong":  "-- a/a_test.go --\npackage a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Error(\"a is wrong\") }\n",
		"lost":   "-- a/a.go --\npackage a\n\nimport _ \"example.com/nowhere\"\n",
	} {
		b.add(t, name, Module(t, txtar.Parse([]byte(text))))
	}
	r := &recorder{TB: t}
	b.test(r)
	if len(r.said) != 3 {
		t.Fatalf("got %d failures: %q", len(r.said), r.said)
	}
	for i, want := range [][2]string{{"broken", "cannot use \"text\""}, {"lost", "lost/a/a.go:3:8"}, {"wrong", "a is wrong"}} {
		if !strings.Contains(r.said[i], "|"+want[0]+"|") || !strings.Contains(r.said[i], want[1]) {
			t.Errorf("got %q, want the case %s and %q", r.said[i], want[0], want[1])
		}
	}
}
