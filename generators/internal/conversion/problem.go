package conversion

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// reportGap says that a field would be lost, where its counterpart is or should be, and what to
// write. keepable says that a kind could keep it in an annotation.
func (p *planner) reportGap(in, out *types.Type, g gap, keepable bool) {
	problem := diag.Problem{
		Pos:  p.model.MemberPos(in, g.field),
		Path: model.GoName(in) + "." + g.field,
	}
	cure := fmt.Sprintf("write %s, which may call auto%s, or tag the field +%s=false", p.signature(in, out), Name(in, out), tagName)
	if g.needs != nil {
		cure = fmt.Sprintf("write %s, or tag the field +%s=false", p.signature(g.needs.in, g.needs.out), tagName)
	}
	switch {
	case g.why == "":
		problem.Message = fmt.Sprintf("%s (%s) has no such field, so that converting would lose it", model.GoName(out), p.model.TypePos(out))
	case g.peer == "":
		problem.Message = fmt.Sprintf("%s (%s: %s)", g.why, model.GoName(out), p.model.TypePos(out))
	default:
		problem.Message = fmt.Sprintf("%s (%s.%s: %s)", g.why, model.GoName(out), g.peer, p.model.MemberPos(out, g.peer))
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
	if value, ok := p.model.OfField(t, m.Name).Last(tagName); ok && value != "false" {
		p.report.Add(diag.Problem{
			Pos: p.model.MemberPos(t, m.Name), Path: model.GoName(t) + "." + m.Name,
			Message: fmt.Sprintf("+%s=%s: on a field, want false", tagName, value),
		})
	}
}

// signature is the function that converts a to b, as it would be written in the package that is
// printed.
func (p *planner) signature(a, b *types.Type) string {
	return fmt.Sprintf("func %s(in *%s, out *%s, s conversion.Scope) error", Name(a, b), p.local(a), p.local(b))
}

// local is the name of a type as written in the package that is printed.
func (p *planner) local(t *types.Type) string {
	if t.Name.Package == p.out.Path {
		return t.Name.Name
	}
	return model.GoName(t)
}
