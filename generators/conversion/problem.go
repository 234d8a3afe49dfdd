package conversion

import (
	"fmt"
	"path"

	"github.com/typeplane/typeplane/generators/diag"
	"github.com/typeplane/typeplane/generators/tag"
	"k8s.io/gengo/v2/types"
)

// reportGap says that a field would be lost, where its counterpart is or should be, and what to write. keepable says that a
// kind could keep it in an annotation.
func (p *planner) reportGap(in, out *types.Type, g gap, keepable bool) {
	problem := diag.Problem{
		Pos:  p.set.MemberPos(in, g.field),
		Path: goName(in) + "." + g.field,
	}
	cure := fmt.Sprintf("write %s, which may call auto%s, or tag the field +%s=false", p.signature(in, out), Name(in, out), tagName)
	if g.needs != nil {
		cure = fmt.Sprintf("write %s, or tag the field +%s=false", p.signature(g.needs.in, g.needs.out), tagName)
	}
	switch {
	case g.why == "":
		problem.Message = fmt.Sprintf("%s (%s) has no such field, so that converting would lose it", goName(out), p.set.TypePos(out))
	case g.peer == "":
		problem.Message = fmt.Sprintf("%s (%s: %s)", g.why, goName(out), p.set.TypePos(out))
	default:
		problem.Message = fmt.Sprintf("%s (%s.%s: %s)", g.why, goName(out), g.peer, p.set.MemberPos(out, g.peer))
	}
	if keepable {
		cure += ", or tag the package of the version +" + losslessName + ", so that its kinds keep it in an annotation"
	}
	problem.Cure = cure
	if g.invalid {
		problem.Cure = ""
	}
	p.report.Add(problem)
}

// checkTag reports a field whose tag has another value than the one with a meaning.
func (p *planner) checkTag(t *types.Type, m types.Member) {
	if value, ok := tag.Last(m.CommentLines, tagName); ok && value != "false" {
		p.report.Add(diag.Problem{
			Pos: p.set.MemberPos(t, m.Name), Path: goName(t) + "." + m.Name,
			Message: fmt.Sprintf("+%s=%s: on a field, want false", tagName, value),
		})
	}
}

// signature is the function that converts a to b, as it would be written in the package that is printed.
func (p *planner) signature(a, b *types.Type) string {
	return fmt.Sprintf("func %s(in *%s, out *%s, s conversion.Scope) error", Name(a, b), p.local(a), p.local(b))
}

// local is the name of a type as written in the package that is printed.
func (p *planner) local(t *types.Type) string {
	if t.Name.Package == p.out.Path {
		return t.Name.Name
	}
	return goName(t)
}

// goName is a type with the last element of its import path.
func goName(t *types.Type) string {
	switch {
	case t.Name.Package != "":
		return path.Base(t.Name.Package) + "." + t.Name.Name
	case t.Kind == types.Pointer:
		return "*" + goName(t.Elem)
	case t.Kind == types.Slice:
		return "[]" + goName(t.Elem)
	case t.Kind == types.Array:
		return fmt.Sprintf("[%d]%s", t.Len, goName(t.Elem))
	case t.Kind == types.Map:
		return "map[" + goName(t.Key) + "]" + goName(t.Elem)
	case t.Kind == types.Struct:
		return "struct without a name"
	}
	return t.Name.Name
}
