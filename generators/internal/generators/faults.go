package generators

import (
	"fmt"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// faults reports what would not compile although no plug-in has a problem with it: a field that is
// there twice, and what is declared by hand and printed, too.
func faults(m *model.Model, files []*emit.File, report *diag.Report) {
	if report.Stops() {
		return
	}
	declared(m, files, report)
	clashes(m, files, report)
}

// declared reports what the type checker says about declarations beside which files are printed.
func declared(m *model.Model, files []*emit.File, report *diag.Report) {
	printed := map[string]bool{}
	for _, f := range files {
		printed[f.PkgPath] = true
	}
	for _, pkg := range m.Packages {
		if !printed[pkg.Path] {
			continue
		}
		for _, p := range m.Faults(pkg) {
			report.Add(p)
		}
	}
}

// clashes reports what is declared by hand and printed, too. Plug-ins leave functions out that are
// there in their own form; these are in another.
func clashes(m *model.Model, files []*emit.File, report *diag.Report) {
	for _, f := range files {
		if f.AskedBy != "" {
			continue // nobody writes there by hand but where a file says so
		}
		pkg := m.Package(f.PkgPath)
		if pkg == nil || f.Generator == "" || strings.HasSuffix(f.Name, "_test.go") {
			continue
		}
		for line := range strings.Lines(string(f.Body())) {
			receiver, name := declares(line)
			if name == "" {
				continue
			}
			obj, what := byHand(pkg.Go, receiver, name)
			if from := dotted(pkg.Go, receiver, name); obj == nil && from != nil && outside(f, name) {
				report.Add(diag.Problem{
					Pos: m.PackagePos(pkg), Path: name,
					Message: fmt.Sprintf("%s prints a declaration of this name, and a file imports everything of %s", f.Generator, from.Path()),
					Cure:    "import it under a name and not under a dot",
				})
			}
			if obj == nil || receiver == "" && !outside(f, name) {
				continue
			}
			report.Add(diag.Problem{
				Pos: m.ObjectPos(obj), Path: strings.TrimPrefix(receiver+"."+name, "."),
				Message: fmt.Sprintf("%s prints a %s of this name", f.Generator, what),
				Cure:    "give it another name, or take the tag away that asks for " + f.Name,
			})
		}
	}
}

// outside tells whether a printed file declares a name outside of all functions, in which lines
// look the same before they are formatted.
func outside(f *emit.File, name string) bool {
	file, err := parser.ParseFile(token.NewFileSet(), f.Name, append([]byte("package p\n"), f.Body()...), 0)
	return err != nil || file.Scope.Lookup(name) != nil
}

// declares reads a line of printed code: the function, method, variable, constant or type that it
// declares.
func declares(line string) (receiver, name string) {
	rest, ok := strings.CutPrefix(line, "func ")
	if !ok {
		for _, keyword := range []string{"var ", "const ", "type "} {
			if rest, ok := strings.CutPrefix(line, keyword); ok {
				return "", identifier(rest)
			}
		}
		return "", ""
	}
	if method, ok := strings.CutPrefix(rest, "("); ok {
		of, rest, ok := strings.Cut(method, ") ")
		if !ok {
			return "", ""
		}
		_, receiver, _ = strings.Cut(of, " ")
		return strings.TrimLeft(receiver, "*"), identifier(rest)
	}
	return "", identifier(rest)
}

// identifier is what a text begins with, "" if that is none or one that may be declared often.
func identifier(text string) string {
	end := strings.IndexAny(text, " ([=\n")
	if end <= 0 || text[:end] == "_" || text[:end] == "init" {
		return ""
	}
	return text[:end]
}

// byHand is the declaration of the source that stands in the way of one with this name.
func byHand(pkg *gotypes.Package, receiver, name string) (obj gotypes.Object, what string) {
	if receiver == "" {
		return pkg.Scope().Lookup(name), "declaration"
	}
	t, ok := pkg.Scope().Lookup(receiver).(*gotypes.TypeName)
	if !ok {
		return nil, ""
	}
	named, ok := t.Type().(*gotypes.Named)
	if !ok {
		return nil, ""
	}
	for m := range named.Methods() {
		if m.Name() == name {
			return m, "method"
		}
	}
	if st, ok := named.Underlying().(*gotypes.Struct); ok {
		for f := range st.Fields() {
			if f.Name() == name && !f.Embedded() {
				return f, "method"
			}
		}
	}
	return nil, ""
}

// dotted is the package of which a file imports everything (import . "…"), this name among it; nil
// if there is none.
func dotted(pkg *gotypes.Package, receiver, name string) *gotypes.Package {
	if receiver != "" {
		return nil
	}
	for file := range pkg.Scope().Children() {
		if obj := file.Lookup(name); obj != nil && obj.Pkg() != pkg {
			return obj.Pkg()
		}
	}
	return nil
}

// once leaves of problems that are one mistake the first: those of a field whose type is not known,
// and what several plug-ins say about one tag of one place.
func once(m *model.Model, problems []diag.Problem) []diag.Problem {
	if len(problems) < 2 {
		return problems
	}
	type mistake struct{ file, path, tag string }
	unknown, said := m.Unknown(), map[mistake]string{} // by which plug-in
	return slices.DeleteFunc(problems, func(p diag.Problem) bool {
		of := mistake{p.Pos.Filename, strings.ToLower(p.Path), subject(p.Message)}
		if _, ok := unknown[token.Position{Filename: p.Pos.Filename, Line: p.Pos.Line}]; ok {
			of.path, of.tag = fmt.Sprint("line ", p.Pos.Line), ""
		} else if of.tag == "" {
			return false
		}
		by, again := said[of]
		if !again {
			said[of] = p.By
		}
		return again && (by != p.By || of.tag == "")
	})
}

// subject is the tag that a message is about: the innermost of those that it begins with, as
// +k8s:maxLength in "+k8s:beta: +k8s:maxLength: it is for strings".
func subject(message string) string {
	name := tag.NameOf(message)
	if _, inner, ok := strings.Cut(message, "+"+name+": +"); ok && name != "" {
		return subject("+" + inner)
	}
	return name
}
