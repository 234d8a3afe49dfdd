package defaulter

import (
	"slices"
	"sort"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
	"k8s.io/gengo/v2/types"
)

const (
	prefix       = "SetDefaults_"
	objectPrefix = "SetObjectDefaults_"
)

// manual are the hand-written functions that fill one type.
type manual struct {
	object     *types.Name  // SetObjectDefaults_T: fills everything below too
	base       *types.Name  // SetDefaults_T
	covers     bool         // base is tagged to fill everything below too
	additional []types.Name // SetDefaults_T_x, sorted
}

// finder looks hand-written functions up. It looks in the package that is printed, in the type's
// own, and in the packages of this module which the printed one imports. Last come those of the run
// that ask for defaults, as defaulter-gen has it.
type finder struct {
	model  *model.Model
	out    *model.Package
	others []*model.Package // see defaulting
	found  map[*types.Type]manual
}

func (f *finder) of(t *types.Type) manual {
	if t.Name.Package == "" {
		return manual{}
	}
	m, ok := f.found[t]
	if !ok {
		for _, pkg := range f.packages(t) {
			f.add(&m, pkg, t)
		}
		f.found[t] = m
	}
	return m
}

func (f *finder) packages(t *types.Type) []*types.Package {
	out := []*types.Package{f.out.Types}
	if !hasNoDefaults(t.Name.Package, f.out) {
		if own := f.model.Package(t.Name.Package); own != nil && own != f.out {
			out = append(out, own.Types)
		}
	}
	var imported []string
	for path := range f.out.Types.Imports {
		if hasNoDefaults(path, f.out) {
			continue
		}
		if p := f.model.Package(path); p != nil && p.Main && path != t.Name.Package {
			imported = append(imported, path)
		}
	}
	sort.Strings(imported)
	for _, path := range imported {
		out = append(out, f.model.Package(path).Types)
	}
	for _, other := range f.others {
		if !slices.Contains(out, other.Types) {
			out = append(out, other.Types)
		}
	}
	return out
}

// defaulting are the packages of the run that ask for defaults, except those that import pkg, which
// therefore can't import them.
func defaulting(m *model.Model, pkg *model.Package) []*model.Package {
	return slices.DeleteFunc(m.All(), func(other *model.Package) bool {
		return !m.OfPackage(other).Has(tagName) || m.Reaches(other, pkg)
	})
}

// add takes the functions of one package; what an earlier package has stays.
func (f *finder) add(m *manual, pkg *types.Package, t *types.Type) {
	if fn := pkg.Functions[objectPrefix+t.Name.Name]; m.object == nil && fills(fn, t) {
		m.object = &types.Name{Package: pkg.Path, Name: fn.Name.Name}
	}
	if fn := pkg.Functions[prefix+t.Name.Name]; m.base == nil && fills(fn, t) {
		m.base = &types.Name{Package: pkg.Path, Name: fn.Name.Name}
		covers := f.model.OfFunction(fn).Values(tagName)
		m.covers = len(covers) > 0 && covers[0] == "covers"
	}
	var names []string
	for name, fn := range pkg.Functions {
		if strings.HasPrefix(name, prefix+t.Name.Name+"_") && fills(fn, t) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		m.additional = append(m.additional, types.Name{Package: pkg.Path, Name: name})
	}
}

// fills tells whether fn is a func(*t).
func fills(fn, t *types.Type) bool {
	if fn == nil || fn.Underlying == nil || fn.Underlying.Signature == nil {
		return false
	}
	sig := fn.Underlying.Signature
	return sig.Receiver == nil && len(sig.Parameters) == 1 && len(sig.Results) == 0 && !sig.Variadic &&
		sig.Parameters[0].Type.Kind == types.Pointer && sig.Parameters[0].Type.Elem.Name == t.Name
}

// checkSignatures reports functions that are named and meant for a type but that nothing would ever
// call.
func (f *finder) checkSignatures(types map[string]*types.Type, report *diag.Report) {
	for name, fn := range f.out.Types.Functions {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok {
			rest, ok = strings.CutPrefix(name, objectPrefix)
		}
		t := types[rest]
		if !ok || t == nil || fills(fn, t) || fn.Underlying == nil || fn.Underlying.Signature == nil {
			continue
		}
		params := fn.Underlying.Signature.Parameters
		if len(params) == 0 || params[0].Type.Name != t.Name && (params[0].Type.Elem == nil || params[0].Type.Elem.Name != t.Name) {
			continue // takes something else: not one of ours
		}
		report.Add(diag.Problem{
			Pos:     f.model.FuncPos(fn),
			Path:    name,
			Message: "nothing calls this function, because its signature is not that of a defaulting function",
			Cure:    "write func " + name + "(in *" + rest + ")",
		})
	}
}
