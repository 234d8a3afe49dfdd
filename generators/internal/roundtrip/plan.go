package roundtrip

import (
	"bytes"
	"go/token"
	gotypes "go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/conversion"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"

	"k8s.io/gengo/v2/types"
)

// tested is a kind, or a list of kinds, and the code that there is for it.
type tested struct {
	typ *types.Type
	// name is what the package calls it.
	name string
	// deepCopy, marshal, unmarshal and shared are the functions as they are written, "" without
	// one.
	deepCopy, marshal, unmarshal, shared string
	sent, json, defaulted                bool
	// through leads to the hub and back; nil without a hub.
	through *conversion.Pair
}

// plan decides what is tested, by name.
func plan(pass *generators.Pass, pkg *model.Package) []tested {
	there := declared(pass, pkg)
	pairs := conversion.Pairs(pass.Model, pkg, nil)
	var out []tested
	add := func(t *types.Type, name string) {
		method := func(method, function string) string {
			switch {
			case there[function]:
				return function
			case there[name+"."+method] || outside(pass, t, method):
				return "(*" + name + ")." + method
			}
			return ""
		}
		k := tested{
			typ: t, name: name, sent: model.InJSON(t),
			deepCopy: method("DeepCopy", "DeepCopy_"+name), marshal: method("Marshal", ""), unmarshal: method("Unmarshal", ""),
			json: there["AppendJSON_"+name] && there["ReadJSON_"+name],
		}
		if there["AppendProtobuf_"+name] {
			k.marshal = "func(m *" + name + ") ([]byte, error) { return AppendProtobuf_" + name + "(nil, m) }"
		}
		if there["UnmarshalShared_"+name] {
			k.shared = "UnmarshalShared_" + name
		}
		k.defaulted = k.deepCopy != "" && there["SetObjectDefaults_"+name]
		i := slices.IndexFunc(pairs, func(p conversion.Pair) bool { return p.Version == t })
		if i >= 0 && k.deepCopy != "" && there[pairs[i].ToHub] && there[pairs[i].FromHub] {
			k.through = &pairs[i]
		}
		if k.deepCopy != "" || k.marshal != "" || k.sent {
			out = append(out, k)
		}
	}
	for name, t := range pkg.Types.Types {
		if token.IsExported(name) && t.Kind == types.Struct && len(t.TypeParams) == 0 && model.Embeds(t, "TypeMeta") {
			add(t, name)
		}
	}
	for _, a := range pass.Model.Aliases(pkg) {
		add(a.Target, a.Name)
	}
	slices.SortFunc(out, func(a, b tested) int { return strings.Compare(a.name, b.name) })
	return out
}

// outside tells whether a type of another module has a method. What that module has generated is
// compiled, and so there.
func outside(pass *generators.Pass, t *types.Type, method string) bool {
	pkg := pass.Model.Package(t.Name.Package)
	named, ok := t.GoType.(*gotypes.Named)
	if !ok || pkg == nil || pkg.Main {
		return false
	}
	found, _, _ := gotypes.LookupFieldOrMethod(gotypes.NewPointer(named), true, pkg.Go, method)
	_, isMethod := found.(*gotypes.Func)
	return isMethod
}

// funcLine is the head of a function or a method.
var funcLine = regexp.MustCompile(`^func (?:\((?:\w+ )?\*?(\w+)\) )?(\w+)\(`)

// declared are the functions ("Name") and methods ("Type.Name") of a package, those that this run
// prints among them.
func declared(pass *generators.Pass, pkg *model.Package) map[string]bool {
	out := map[string]bool{}
	for name := range pkg.Types.Functions {
		out[name] = true
	}
	for name, t := range pkg.Types.Types {
		for method := range t.Methods {
			out[name+"."+method] = true
		}
	}
	for _, f := range pass.Printed {
		if f.PkgPath != pkg.Path {
			continue
		}
		for line := range bytes.Lines(f.Body()) {
			m := funcLine.FindSubmatch(line)
			switch {
			case m == nil:
			case len(m[1]) > 0:
				out[string(m[1])+"."+string(m[2])] = true
			default:
				out[string(m[2])] = true
			}
		}
	}
	return out
}
