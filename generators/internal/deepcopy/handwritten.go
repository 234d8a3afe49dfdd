package deepcopy

import (
	gotypes "go/types"

	"k8s.io/gengo/v2/types"
)

// handWritten returns the methods that a user wrote, nil for those that are missing. Ones with a
// signature that cannot be called are reported and count as missing.
func (pl *planner) handWritten(t *types.Type) (deep, into *types.Type) {
	deep, into = t.Methods["DeepCopy"], t.Methods["DeepCopyInto"]
	if deep != nil && !deepSignature(t, deep.Signature) {
		pl.problem(place{t.Name.Name + ".DeepCopy", pl.pass.Model.FuncPos(deep)}, "",
			"want func (t %s) DeepCopy() %s or func (t *%s) DeepCopy() *%s", baseName(t), baseName(t), baseName(t), baseName(t))
		deep = nil
	}
	if into != nil && !intoSignature(t, into.Signature) {
		pl.problem(place{t.Name.Name + ".DeepCopyInto", pl.pass.Model.FuncPos(into)}, "",
			"want func (t *%s) DeepCopyInto(out *%s)", baseName(t), baseName(t))
		into = nil
	}
	return deep, into
}

func deepSignature(t *types.Type, s *types.Signature) bool {
	if len(s.Parameters) != 0 || len(s.Results) != 1 || s.Receiver == nil {
		return false
	}
	result := s.Results[0].Type
	return result == t && s.Receiver == t || isPointerTo(result, t) && isPointerTo(s.Receiver, t)
}

func intoSignature(t *types.Type, s *types.Signature) bool {
	return len(s.Parameters) == 1 && len(s.Results) == 0 && isPointerTo(s.Parameters[0].Type, t)
}

func isPointerTo(p, t *types.Type) bool { return p.Kind == types.Pointer && p.Elem == t }

// declares tells whether a type of a package outside the main module has a method, generated or
// not.
func declares(t *types.Type, method string) bool {
	n, ok := t.GoType.(*gotypes.Named)
	if !ok {
		return false
	}
	for i := range n.NumMethods() {
		if n.Method(i).Name() == method {
			return true
		}
	}
	return false
}
