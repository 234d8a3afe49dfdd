package conversion

import (
	"fmt"
	"slices"
	"strings"

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

// checkHubs warns of hubs that have nothing to do with the version.
func (p *planner) checkHubs() {
	for _, mk := range p.model.OfPackage(p.out).Exactly(tagName) {
		i := slices.IndexFunc(p.hubs, func(hub *model.Package) bool { return mk.Text == "+"+tagName+"="+hub.Path })
		if i < 0 || p.related(p.hubs[i]) {
			continue
		}
		p.report.Warn(diag.Problem{
			Pos: mk.Pos, Path: "package " + p.out.Name,
			Message: fmt.Sprintf("%s has no effect: %s has no type of the same name as one of %s, and no conversion written by hand", mk.Text, p.hubs[i].Path, p.version.Path),
			Cure:    "name the package of the types that these convert to, or take the tag away",
		})
	}
}

// related tells whether a hub has a type that a type of the version converts to, or functions by
// hand.
func (p *planner) related(hub *model.Package) bool {
	theirs := declared(p.model, hub)
	for name, t := range declared(p.model, p.version) {
		if h := theirs[name]; h != nil && convertible(t) && convertible(h) {
			return true
		}
	}
	for name := range hub.Types.Functions {
		if strings.HasPrefix(name, "Convert_") {
			return true
		}
	}
	return false
}

// checkHidden reports a field of a version that is served and that JSON leaves out, where the hub's
// does not: converting keeps it, and clients lose it.
func (p *planner) checkHidden(version, hub *types.Type, m, n types.Member) {
	if version.Name.Package != p.version.Path || hub.Name.Package == p.version.Path || !model.JSONOf(m).Left || model.JSONOf(n).Left || !p.model.Serves(p.version) {
		return
	}
	p.report.Add(diag.Problem{
		Pos: p.model.MemberPos(version, m.Name), Path: model.GoName(version) + "." + m.Name,
		Message: fmt.Sprintf("JSON leaves it out, and %s.%s (%s) is kept: whoever updates an object in this version removes it", model.GoName(hub), n.Name, p.model.MemberPos(hub, n.Name)),
		Cure:    "give it a name in JSON, or tag the field +" + tagName + "=false, which with +" + losslessName + " on the package keeps it in an annotation",
	})
}

// warnOfLoss says of a field of a kind that is served that the function by hand loses it, where its
// body shows that. It is no problem, for to write such a function is how one says that it is meant.
func (p *planner) warnOfLoss(in, out *types.Type, g gap, by manual) {
	read, all := p.model.Reads(by.function, "auto"+by.name.Name)
	if !all || read[g.field] || !p.model.Serves(p.version) {
		return
	}
	p.report.Warn(diag.Problem{
		Pos: p.model.MemberPos(in, g.field), Path: model.GoName(in) + "." + g.field,
		Message: fmt.Sprintf("converting to %s loses it: %s does not read it", model.GoName(out), by.name.Name),
		Cure:    "convert it there, or tag the field +" + tagName + "=false if that is meant",
	})
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
