package fieldset

import (
	"fmt"
	"go/token"
	gotypes "go/types"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/json"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// Kind is a kind in one version.
type Kind struct {
	// Package declares the kind and publishes its schema; GoType belongs to another one if it is an
	// alias.
	Package *model.Package
	GoType  gotypes.Type
	Name    schema.GroupVersionKind
	// Function is what the function that compares two objects is to be called.
	Function string
	// Pos is where the kind is declared.
	Pos token.Position
}

// function compares two values of one type.
type function struct {
	typ gotypes.Type
	// name is that of the function of a kind, whose metadata and names are nobody's; "" for any
	// other type.
	name   string
	kind   string
	atom   smd.Atom
	fields []*member
}

// member is a field as JSON has it.
type member struct {
	json.Field
	node *node
	// embedded is for the fields of an embedded pointer: the function that compares them all.
	embedded *function
}

// planner decides for one package.
type planner struct {
	pass      *generators.Pass
	server    *model.Package
	schemas   *schemas // of the package whose kinds are planned
	pos       token.Position
	functions []*function
}

// plan decides which functions the package of a server gets.
func plan(pass *generators.Pass, server *model.Package, kinds []Kind) []*function {
	pl := &planner{pass: pass, server: server}
	read := map[*model.Package]*schemas{}
	for _, k := range kinds {
		if read[k.Package] == nil {
			var err error
			if read[k.Package], err = schemasOf(pass, k.Package); err != nil {
				pl.pos = pass.Model.PackagePos(k.Package)
				pl.problem(k.Package.Path, "mend the tags that it names", "its OpenAPI schemas say nothing about who owns what: %v", err)
				continue
			}
		}
		pl.schemas, pl.pos = read[k.Package], k.Pos
		model, ok := pl.schemas.kinds[k.Name]
		if !ok {
			pl.problem(k.Name.Kind, "remove +k8s:openapi-gen=false from it", "it is served, and its package publishes schemas, but none of it")
			continue
		}
		f := &function{typ: k.GoType, name: k.Function, kind: k.Name.Kind + " in " + k.Name.GroupVersion().String()}
		pl.functions = append(pl.functions, f)
		pl.fill(f, pl.schemas.atom(smd.TypeRef{NamedType: &model}), k.Name.Kind)
	}
	return pl.functions
}

// function returns the function for a type with a schema. It may not have been needed before.
func (pl *planner) function(t gotypes.Type, atom smd.Atom, at string) *function {
	i := slices.IndexFunc(pl.functions, func(f *function) bool { return f.name == "" && gotypes.Identical(f.typ, t) && f.atom.Equals(&atom) })
	if i >= 0 {
		return pl.functions[i]
	}
	f := &function{typ: t, atom: atom}
	pl.functions = append(pl.functions, f)
	pl.fill(f, atom, at)
	return f
}

// fill plans the fields of a struct.
func (pl *planner) fill(f *function, atom smd.Atom, at string) {
	pointers := map[*gotypes.Var]bool{}
	for _, jsonField := range json.Fields(f.typ) {
		if f.name != "" && len(jsonField.Path) == 2 && jsonField.Path[0].Name() == "TypeMeta" {
			continue
		}
		if e := embeddedPointer(jsonField); e != nil {
			if !pointers[e] {
				pointers[e] = true
				inner := e.Type().Underlying().(*gotypes.Pointer).Elem()
				f.fields = append(f.fields, &member{Field: json.Field{Path: []*gotypes.Var{e}}, embedded: pl.function(inner, atom, at)})
			}
			continue
		}
		if f.name != "" && isMetadata(jsonField) {
			f.fields = append(f.fields, &member{Field: jsonField, node: &node{how: asMetadata}})
			continue
		}
		ref, ok := field(atom.Map, jsonField.Name)
		if !ok {
			continue // it is not published, so that nobody owns it
		}
		f.fields = append(f.fields, &member{Field: jsonField, node: pl.node(jsonField.Var().Type(), ref, at+"."+jsonField.Name)})
	}
}

// isMetadata says whether a field of a kind is its metadata.
func isMetadata(f json.Field) bool {
	return f.Name == "metadata" && gotypes.Unalias(f.Var().Type()).String() == "k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta"
}

// embeddedPointer is the embedded pointer that a field is behind, nil for none.
func embeddedPointer(f json.Field) *gotypes.Var {
	for _, v := range f.Path[:len(f.Path)-1] {
		if _, ok := v.Type().Underlying().(*gotypes.Pointer); ok {
			return v
		}
	}
	return nil
}

func (pl *planner) problem(path, cure, format string, args ...any) {
	pl.pass.Report.Add(diag.Problem{Pos: pl.pos, Path: path, Message: fmt.Sprintf(format, args...), Cure: cure})
}
