package tree_test

import (
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/jsontree"
)

// What is owned as a whole is found wherever it is, and what is in it is not looked at.
func TestAtomic(t *testing.T) {
	granular := typeOf(t, "associative", "[name, port]", "separable")
	for text, want := range map[string]string{
		`{}`: "",
		`{"text": "x", "labels": {"a": "b"}, "set": [1, 2], "keyed": [{"name": "a", "more": ["x"]}]}`: "",
		`{"atomicList": [], "atomicMap": {}}`:                   ".atomicList .atomicMap",
		`{"atomicMap": {"a": {"more": ["x"]}}}`:                 ".atomicMap",
		`{"inner": {"inner": {"atomicList": [{"name": "a"}]}}}`: ".inner.inner.atomicList",
		`{"open": {"a": {"b": [1]}}}`:                           ".open.a.b",
		`{"atomicList": null, "text": ["x"], "labels": ["x"]}`:  "",
	} {
		v, err := jsontree.Read([]byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(granular.tree.Atomic(v), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
