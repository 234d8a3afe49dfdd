package generators

import (
	"fmt"
	"path"
	"path/filepath"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// Asked is a package that asks by a tag for a file about it and the packages below.
type Asked struct {
	Package *model.Package
	File    string
}

// AskedFiles are the packages that ask for a file by a tag. The value true stands for standard,
// which is below the root of the module. Another value is the name of the file there. What is wrong
// with a name is reported.
func (p *Pass) AskedFiles(tagName, standard string) []Asked {
	var out []Asked
	by := map[string]*model.Package{}
	for _, pkg := range p.Packages {
		value, found := p.Model.OfPackage(pkg).Last(tagName)
		if !found || value == "false" {
			continue
		}
		if value == "true" {
			value = standard
		}
		problem := diag.Problem{Pos: p.Model.PackagePos(pkg)}
		name := filepath.FromSlash(value)
		file := filepath.Join(model.ModuleRoot(pkg.Dir), name)
		switch other := by[file]; {
		case filepath.Ext(name) != path.Ext(standard) || !filepath.IsLocal(name):
			problem.Message = fmt.Sprintf("+%s=%s is neither true nor a file of the module", tagName, value)
			problem.Cure = "want true, or a name like " + standard
			p.Report.Add(problem)
		case other != nil:
			problem.Message = fmt.Sprintf("+%s: package %s asks for the same file, %s", tagName, other.Path, value)
			problem.Cure = "give one of them another name, or ask once, in a package above both"
			p.Report.Add(problem)
		default:
			by[file] = pkg
			out = append(out, Asked{pkg, file})
		}
	}
	return out
}
