package manifests

import (
	"fmt"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/typeplane/typeplane/generators/internal/apiserver"
	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

const tagName = "typeplane:manifests"

// defaultFolder is below the folder of the program.
const defaultFolder = "deploy"

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "manifests",
		Doc:  "what a cluster is told to serve a program's API through its aggregator (deploy/*.yaml)",
		Tags: []tag.Definition{{
			Name: tagName, Scope: tag.Package, Value: tag.String,
			Doc: "In the comment of a main package with +typeplane:apiserver: writes an APIService for each version, a Service, a Deployment and the rights that they need. true writes them into the folder " +
				defaultFolder + " beside it; another value is the folder for them, as in +" + tagName + "=config/cluster. false is as no tag, and writes none.",
		}},
		Stale: stale,
		Generate: func(pass *generators.Pass) {
			for _, p := range plan(pass) {
				for _, f := range p.files() {
					pass.RawIn(p.path, p.dir, f.name, []byte(f.text))
				}
			}
		},
	}
}

// program is a server in a cluster.
type program struct {
	path string // of its package
	dir  string // for the manifests
	// name is that of all its objects, and of their namespace.
	name     string
	versions []schema.GroupVersion // by group, the best first
}

// plan decides for which programs there are manifests, and in which folders.
func plan(pass *generators.Pass) []program {
	asking := map[string]string{} // folders by import path
	for _, pkg := range pass.Packages {
		if dir, ok := folder(pass, pkg); ok {
			asking[pkg.Path] = dir
		}
	}
	if len(asking) == 0 {
		return nil
	}
	var out []program
	for _, s := range apiserver.Programs(pass) {
		dir, ok := asking[s.Package.Path]
		if !ok {
			continue
		}
		delete(asking, s.Package.Path)
		p := program{path: s.Package.Path, dir: dir, name: s.Name}
		for _, gv := range s.Versions {
			if gv.Group != "" { // the core group is the cluster's own
				p.versions = append(p.versions, gv)
			}
		}
		switch wrong := validation.IsDNS1123Label(s.Name); {
		case len(wrong) > 0:
			problem(pass, s.Package, fmt.Sprintf(": %q can't be the name of a Service", s.Name), "call the folder of the program by lower-case letters, digits and dashes")
		case len(p.versions) == 0:
			problem(pass, s.Package, ": the program serves no version of a group that an aggregator could leave to it", "write kinds into packages with +groupName= below it")
		default:
			out = append(out, p)
		}
	}
	for _, pkg := range pass.Packages {
		if _, left := asking[pkg.Path]; left {
			problem(pass, pkg, " is for the main package of a server", "write it beside +typeplane:apiserver")
		}
	}
	return out
}

// folder reads the package's tag; ok is false for a package without manifests.
func folder(pass *generators.Pass, pkg *model.Package) (dir string, ok bool) {
	value, found := pass.Model.OfPackage(pkg).Last(tagName)
	switch {
	case !found || value == "false":
		return "", false
	case value == "true":
		value = defaultFolder
	case value == "":
		problem(pass, pkg, " says nothing", "want true, or the folder for the manifests")
		return "", false
	case !filepath.IsLocal(filepath.FromSlash(value)) || strings.Trim(value, "./") == "":
		problem(pass, pkg, fmt.Sprintf("=%s is no folder below that of the program", value), "name one like "+defaultFolder)
		return "", false
	}
	return filepath.Join(pkg.Dir, filepath.FromSlash(value)), true
}

func problem(pass *generators.Pass, pkg *model.Package, message, cure string) {
	pass.Report.Add(diag.Problem{Pos: pass.Model.PackagePos(pkg), Message: "+" + tagName + message, Cure: cure})
}
