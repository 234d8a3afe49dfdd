package conversion

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

const scopePackage = "k8s.io/apimachinery/pkg/conversion"

// basePackages have conversions between types of apimachinery and between pointers and values of
// basic types.
var basePackages = []string{
	"k8s.io/apimachinery/pkg/apis/meta/v1", scopePackage, "k8s.io/apimachinery/pkg/runtime",
}

var typeMeta = types.Name{Package: basePackages[0], Name: "TypeMeta"}

// manual is a hand-written conversion function.
type manual struct {
	name     types.Name
	function *types.Type
	drop     bool // it does nothing: it is not called
	copyOnly bool // it only assigns: where that suffices, it is not called
}

// manual returns the hand-written function that converts a to b. It may be in the package that is
// printed, of the version, of a hub or of one of the types. Else it is in another package of the
// run that converts.
func (p *planner) manual(a, b *types.Type) (manual, bool) {
	wanted := Name(a, b)
	for _, pkg := range p.searched(a, b) {
		fn := pkg.Types.Functions[wanted]
		if !converts(fn, a, b) {
			continue
		}
		value, _ := p.model.OfFunction(fn).Last(functionName)
		return manual{
			name: types.Name{Package: pkg.Path, Name: fn.Name.Name}, function: fn,
			drop: value == "drop", copyOnly: value == "copy-only",
		}, true
	}
	return manual{}, false
}

func (p *planner) searched(a, b *types.Type) []*model.Package {
	out := append([]*model.Package{p.out, p.version}, p.hubs...)
	for _, t := range []*types.Type{a, b} {
		if pkg := p.mainPackage(t.Name.Package); pkg != nil {
			out = append(out, pkg)
		}
	}
	return append(out, p.others...)
}

// converting are the packages of the run that ask for conversions, as conversion-gen has them,
// except those that import pkg, which therefore can't import them.
func converting(m *model.Model, pkg *model.Package) []*model.Package {
	return slices.DeleteFunc(m.All(), func(other *model.Package) bool {
		return !m.OfPackage(other).Has(tagName) || m.Reaches(other, pkg)
	})
}

// mainPackage returns a package of the main module, nil for others.
func (p *planner) mainPackage(path string) *model.Package {
	pkg, known := p.ours[path]
	if !known && path != "" {
		if pkg = p.model.Package(path); pkg != nil && !pkg.Main {
			pkg = nil
		}
		p.ours[path] = pkg
	}
	return pkg
}

// base returns apimachinery's function that converts a to b, if there is one for the way back too:
// those that have none lose something.
func (p *planner) base(a, b *types.Type) (types.Name, bool) {
	var out types.Name
	there, back := false, false
	for _, path := range basePackages {
		pkg := p.model.Package(path)
		if pkg == nil {
			continue
		}
		if name := Name(a, b); !there && converts(pkg.Types.Functions[name], a, b) {
			out, there = types.Name{Package: path, Name: name}, true
		}
		back = back || converts(pkg.Types.Functions[Name(b, a)], b, a)
	}
	return out, there && back
}

// converts tells whether fn is a func(*a, *b, conversion.Scope) error.
func converts(fn, a, b *types.Type) bool {
	in, out, ok := conversionOf(fn)
	return ok && in.Name == a.Name && out.Name == b.Name
}

// conversionOf returns what fn converts, if its signature is that of a conversion function.
func conversionOf(fn *types.Type) (in, out *types.Type, ok bool) {
	if fn == nil || fn.Underlying == nil || fn.Underlying.Signature == nil {
		return nil, nil, false
	}
	sig := fn.Underlying.Signature
	if sig.Receiver != nil || sig.Variadic || len(sig.Parameters) != 3 || len(sig.Results) != 1 {
		return nil, nil, false
	}
	a, b, scope := sig.Parameters[0].Type, sig.Parameters[1].Type, sig.Parameters[2].Type
	if a.Kind != types.Pointer || b.Kind != types.Pointer || scope.Name != (types.Name{Package: scopePackage, Name: "Scope"}) ||
		sig.Results[0].Type.Name.Name != "error" {
		return nil, nil, false
	}
	return a.Elem, b.Elem, true
}

// checkManual reports hand-written functions that are meant for conversions and that nothing would
// call.
func (p *planner) checkManual(pairs []Pair) {
	for name, fn := range p.out.Types.Functions {
		if !strings.HasPrefix(name, "Convert_") {
			continue
		}
		if value, ok := p.model.OfFunction(fn).Last(functionName); ok && value != "drop" && value != "copy-only" {
			p.report.Add(diag.Problem{
				Pos: p.model.FuncPos(fn), Path: name, Message: "+" + functionName + "=" + value + ": want drop or copy-only",
			})
		}
		if in, out, ok := conversionOf(fn); ok && Name(in, out) != name {
			p.report.Add(diag.Problem{
				Pos: p.model.FuncPos(fn), Path: name,
				Message: "nothing calls this function, because its name does not say what it converts",
				Cure:    "name it " + Name(in, out),
			})
		}
	}
	for _, pair := range pairs {
		p.checkSignature(pair.Version, pair.Hub)
		p.checkSignature(pair.Hub, pair.Version)
	}
}

func (p *planner) checkSignature(a, b *types.Type) {
	fn := p.out.Types.Functions[Name(a, b)]
	if fn == nil || converts(fn, a, b) {
		return
	}
	p.report.Add(diag.Problem{
		Pos: p.model.FuncPos(fn), Path: fn.Name.Name,
		Message: "this has the name of a conversion, but not the signature",
		Cure:    "want " + p.signature(a, b),
	})
}
