package jsonpatch_test

import (
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/runtime/jsonpatch"
)

// Each operation by index costs the length of its list, so that many of a long one are refused.
func TestManyMovesOfLongLists(t *testing.T) {
	list := func(items int) string { return `[` + strings.TrimSuffix(strings.Repeat(`"",`, items), ",") + `]` }
	for _, tc := range []struct {
		before, op string
		count      int
		doc        string
		refused    bool
	}{
		{"", `{"op":"add","path":"/a/0","value":""}`, 9_000, list(80_000), true},
		{"", `{"op":"remove","path":"/a/0"}`, 9_000, list(80_000), true},
		{"", `{"op":"copy","from":"/a/0","path":"/a/1"}`, 9_000, list(80_000), true},
		{"", `{"op":"move","from":"/a/0","path":"/a/1"}`, 1_000, list(80_000), true},
		{`{"op":"replace","path":"/a","value":` + list(80_000) + `},`, `{"op":"add","path":"/a/0","value":""}`, 9_000, `[]`, true},
		{"", `{"op":"add","path":"/a/0","value":""}`, 1_000, list(80_000), false},
		{"", `{"op":"add","path":"/a/-","value":""}`, 9_000, list(80_000), false},
		{"", `{"op":"replace","path":"/a/0","value":""}`, 9_000, list(80_000), false},
		{"", `{"op":"test","path":"/a/0","value":""}`, 9_000, list(80_000), false},
		{"", `{"op":"add","path":"/a/0","value":""}`, 9_000, list(1_000), false},
	} {
		name := fmt.Sprintf("%.80s, %d times, %d bytes", tc.before+tc.op, tc.count, len(tc.doc))
		patch, _, err := jsonpatch.Parse([]byte("[" + tc.before + strings.TrimSuffix(strings.Repeat(tc.op+",", tc.count), ",") + "]"))
		if err != nil {
			t.Fatal(err)
		}
		next, err := patch.Apply([]byte(`{"a":` + tc.doc + `}`))
		if tc.refused != apierrors.IsRequestEntityTooLargeError(err) || !tc.refused && (err != nil || len(next) < len(tc.doc)) {
			t.Errorf("%s: %d bytes, %v", name, len(next), err)
		}
	}
}
