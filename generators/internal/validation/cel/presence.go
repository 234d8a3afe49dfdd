package cel

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// A field that is not there makes the rule fail that reads it, and has() asks for it. Go can't tell
// whether somebody wrote a value that is zero. So the context is asked then, which may know what
// was sent (runtime/rules, Sent). Where nobody knows, a field that clients leave out when it is
// zero is not there for has(), and can be read anyway.

// isThere tells whether a field of a value is there.
func isThere(on, v value) condition {
	if v.member == nil { // an entry of a map
		return v.guards
	}
	access := spell(on.code, "."+v.member.Name)
	n := shape.Native(v.member.Type)
	switch {
	case shape.Nilable(v.member.Type):
		return leaf(access, " != nil")
	case !v.absent:
		return condition{}
	case n.Kind == types.Struct && shape.Omitted(*v.member) && v.path != nil:
		return leaf("!(", plan.Runtime("StructLeftOut"), "(ctx, ", v.path, ", &", access, ")", ")")
	}
	return either(written(access, n), sent(v, !shape.Omitted(*v.member) || n.Kind == types.Struct))
}

// readable tells whether a field of a value is there to be read, beyond what the value itself says
// in its guards.
func readable(on, v value) condition {
	n := shape.Native(v.member.Type)
	if !v.absent || v.path == nil || n.Kind == types.Pointer {
		return condition{}
	}
	access := spell(on.code, "."+v.member.Name)
	if shape.Nilable(v.member.Type) {
		return either(leaf(access, " != nil"), sent(v, true))
	}
	return either(written(access, n), sent(v, true))
}

// written tells whether a value is not zero, of which there is no doubt; false if that is not
// known.
func written(access []any, n *types.Type) condition {
	switch {
	case shape.IsString(n):
		return leaf(access, ` != ""`)
	case shape.IsBool(n):
		return leaf(access)
	case shape.IsInt(n) || shape.IsFloat(n):
		return leaf(access, " != 0")
	}
	return leaf("false")
}

// sent tells whether a value was sent; otherwise is the answer where nobody knows.
func sent(v value, otherwise bool) condition {
	if v.path == nil {
		return leaf(fmt.Sprint(otherwise))
	}
	return leaf(plan.Runtime("Sent"), "(ctx, ", v.path, ", ", fmt.Sprint(otherwise), ")")
}

// isValue tells whether a value is one of which Go can't tell whether it was there: no pointer,
// list or map.
func isValue(t *types.Type) bool { return !shape.Nilable(t) }
