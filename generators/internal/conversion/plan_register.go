package conversion

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/register"
)

// schemeBuilder is the variable by which a package with registrations of its own for apimachinery's
// Scheme says so.
const schemeBuilder = "localSchemeBuilder"

// registration makes a conversion known to apimachinery's Scheme.
type registration struct {
	in, out  *types.Type
	function string
	byHand   bool // it goes before what is generated
}

// registrations lists what a package that has a localSchemeBuilder, hand-written or generated,
// registers: what is printed, then what its user wrote. Nothing if its user does it all.
func (p *planner) registrations(pairs []Pair, values []valuesFunction) []registration {
	byHand := p.out.Types.Functions["RegisterConversions"] != nil
	if byHand || p.out.Types.Variables[schemeBuilder] == nil && !register.Covers(p.model, p.out) {
		return nil
	}
	var out []registration
	add := func(in, to *types.Type, name string) {
		if _, byHand := p.manual(in, to); !byHand || strings.HasPrefix(name, "Lossless") {
			out = append(out, registration{in: in, out: to, function: name})
		}
	}
	for _, pair := range p.keep(pairs) {
		add(pair.Version, pair.Hub, pair.ToHub)
		add(pair.Hub, pair.Version, pair.FromHub)
	}
	for _, v := range values {
		add(v.in, v.out, v.name)
	}
	return append(out, p.writtenHere(out)...)
}

// writtenHere lists the functions that the user wrote in the printed package, sorted by name. One
// whose work a function that keeps everything does around it is not registered itself.
func (p *planner) writtenHere(printed []registration) []registration {
	var out []registration
	for name, fn := range p.out.Types.Functions {
		in, to, ok := conversionOf(fn)
		if !ok || Name(in, to) != name || slices.ContainsFunc(printed, func(r registration) bool { return r.in == in && r.out == to }) {
			continue
		}
		out = append(out, registration{in: in, out: to, function: name, byHand: true})
	}
	slices.SortFunc(out, func(a, b registration) int { return strings.Compare(a.function, b.function) })
	return out
}
