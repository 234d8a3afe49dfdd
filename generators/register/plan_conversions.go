package register

import (
	gotypes "go/types"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/conversion"
	"github.com/typeplane/typeplane/generators/load"
)

// conversionsName is the function that upstream's conversion-gen prints, and that hand-written code may call.
const conversionsName = "RegisterConversions"

// convert is a conversion function of the package.
type convert struct {
	name    string
	in, out *types.Type
	byHand  bool // a scheme prefers it to a generated one for the same types
}

// conversionsOf are the conversions that are made known to a scheme: those that are generated, by type, and then the
// hand-written ones, by name. Nil if the package has no builder to hand them to, converts nothing, or does it itself.
func conversionsOf(pass *generators.Pass, pkg *load.Package, builderPrinted bool) []convert {
	if !builderPrinted && !hasBuilder(pkg) || pkg.Go.Scope().Lookup(conversionsName) != nil {
		return nil
	}
	pairs := conversion.Pairs(pass.Set, pkg, nil)
	if len(pairs) == 0 {
		return nil
	}
	var out []convert
	for _, pair := range pairs {
		for _, c := range []convert{{pair.ToHub, pair.Version, pair.Hub, false}, {pair.FromHub, pair.Hub, pair.Version, false}} {
			if pkg.Types.Functions[c.name] == nil {
				out = append(out, c)
			}
		}
	}
	return append(out, handWritten(pkg)...)
}

// hasBuilder says whether the package declares the variable that generated code registers itself with.
func hasBuilder(pkg *load.Package) bool {
	_, ok := pkg.Go.Scope().Lookup("localSchemeBuilder").(*gotypes.Var)
	return ok
}

// handWritten are the functions of the package that convert, by their name and signature.
func handWritten(pkg *load.Package) []convert {
	var out []convert
	for name, fn := range pkg.Types.Functions {
		if !strings.HasPrefix(name, "Convert_") || fn.Underlying == nil || fn.Underlying.Signature == nil {
			continue
		}
		s := fn.Underlying.Signature
		if len(s.Parameters) != 3 || len(s.Results) != 1 || s.Results[0].Type.Name.Name != "error" {
			continue
		}
		in, to, scope := s.Parameters[0].Type, s.Parameters[1].Type, s.Parameters[2].Type
		if in.Kind == types.Pointer && to.Kind == types.Pointer && scope.Name == (types.Name{Package: "k8s.io/apimachinery/pkg/conversion", Name: "Scope"}) {
			out = append(out, convert{name, in.Elem, to.Elem, true})
		}
	}
	slices.SortFunc(out, func(a, b convert) int { return strings.Compare(a.name, b.name) })
	return out
}
