package patch

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
)

// Objects inside of an object that no Go type describes. What apimachinery can merge, it does as
// for a kube-apiserver. Where that fails with 500, the client is told what it can do.
func TestStrategicPatchOfExtensions(t *testing.T) {
	type object struct {
		Extension apiruntime.RawExtension            `json:"extension"`
		List      []apiruntime.RawExtension          `json:"list" patchStrategy:"merge" patchMergeKey:"name"`
		Map       map[string]apiruntime.RawExtension `json:"map"`
	}
	const inside = `unable to find api field in struct RawExtension for the json field "a"`
	for _, tc := range []struct{ object, patch, want, fault string }{
		{`{}`, `{"extension":{"a":{"b":1}}}`, `{"extension":{"a":{"b":1}}}`, ""},
		{`{"extension":{"a":1}}`, `{"extension":{"b":{"c":2}}}`, `{"extension":{"a":1,"b":{"c":2}}}`, ""},
		{`{"extension":{"a":{"b":1}}}`, `{"extension":{"a":null}}`, `{"extension":{}}`, ""},
		{`{"extension":{"a":{"b":1}}}`, `{"extension":{"$patch":"replace","a":{"c":1}}}`, `{"extension":{"a":{"c":1}}}`, ""},
		{`{"extension":{"a":{"b":1}}}`, `{"extension":{"a":{"c":1}}}`, "", inside},
		{`{"extension":{"a":[1]}}`, `{"extension":{"a":[2]}}`, "", inside},
		{`{"list":[{"name":"x","a":1}]}`, `{"list":[{"name":"x","b":1}]}`, `{"list":[{"name":"x","a":1,"b":1}]}`, ""},
		{`{"list":[{"name":"x","a":{"b":1}}]}`, `{"list":[{"name":"x","a":{"c":1}}]}`, "", inside},
		{`{"map":{"x":{"a":{"b":1}}}}`, `{"map":{"x":{"a":{"c":1}}}}`, "", "merging an object in json but data type is not struct"},
	} {
		c, _, err := NewStrategic([]byte(tc.patch), new(object))
		if err != nil {
			t.Fatal(err)
		}
		after, err := c.Apply([]byte(tc.object))
		switch {
		case tc.fault != "":
			if err == nil || !strings.HasPrefix(err.Error(), tc.fault) || !strings.HasSuffix(err.Error(), "; a merge patch (application/merge-patch+json) can change it") {
				t.Errorf("%s to %s: %s, %v", tc.patch, tc.object, after, err)
			}
			merge, _, err := NewMerge([]byte(tc.patch))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := merge.Apply([]byte(tc.object)); err != nil {
				t.Errorf("the merge patch that was advised: %v", err)
			}
		case err != nil || !sameFields(t, after, tc.want):
			t.Errorf("%s to %s: %s, %v, want %s", tc.patch, tc.object, after, err, tc.want)
		}
	}
}

// sameFields compares two objects except for what kind they are.
func sameFields(t *testing.T, a []byte, b string) bool {
	t.Helper()
	var is, want map[string]any
	if err := json.Unmarshal(a, &is); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &want); err != nil {
		t.Fatal(err)
	}
	delete(is, "kind")
	delete(is, "apiVersion")
	return reflect.DeepEqual(is, want)
}
