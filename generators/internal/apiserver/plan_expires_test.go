package apiserver

import (
	"testing"

	"k8s.io/gengo/v2/types"
)

// TestTimeOfAHub: the path is of a version, and what is read is the field of the same Go names in
// the hub, behind whatever pointers are there.
func TestTimeOfAHub(t *testing.T) {
	stamp := &types.Type{Name: types.Name{Package: metaV1, Name: "Time"}, Kind: types.Struct}
	kind := func(spec *types.Type, name string, end *types.Type) *types.Type {
		inner := &types.Type{Name: types.Name{Name: "Spec"}, Kind: types.Struct, Members: []types.Member{{Name: name, Type: end, Tags: `json:"until"`}}}
		if spec != nil {
			spec.Elem = inner
			inner = spec
		}
		return &types.Type{Name: types.Name{Name: "Session"}, Kind: types.Struct, Members: []types.Member{{Name: "Spec", Type: inner, Tags: `json:"spec"`}}}
	}
	pointer := func(to *types.Type) *types.Type { return &types.Type{Kind: types.Pointer, Elem: to} }
	version := kind(nil, "Until", pointer(stamp))
	for name, tc := range map[string]struct {
		hub            *types.Type
		value, message string
		guards         int
	}{
		"itself":          {hub: version, value: "*in.Spec.Until", guards: 1},
		"the same":        {hub: kind(nil, "Until", stamp), value: "in.Spec.Until"},
		"behind pointers": {hub: kind(pointer(nil), "Until", pointer(stamp)), value: "*in.Spec.Until", guards: 2},
		"another name":    {hub: kind(nil, "End", stamp), message: "Session, which the server works with, has no such field"},
		"another type":    {hub: kind(nil, "Until", types.String), message: "Session.Spec.Until is a string"},
	} {
		f, message, _ := followTime(version, tc.hub, ".spec.until")
		if message != tc.message || message == "" && (f.value != tc.value || len(f.guards) != tc.guards) {
			t.Errorf("%s: %q, %+v", name, message, f)
		}
	}
}
