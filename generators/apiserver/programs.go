package apiserver

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/diag"
	"github.com/typeplane/typeplane/generators/model"
)

// Program is a server as other plug-ins see it.
type Program struct {
	Package *model.Package
	// Name is what the server is called: its folder.
	Name string
	// Versions are those that it serves, by group, the best first.
	Versions []schema.GroupVersion
}

// Programs are the servers of a run. What is wrong with them is reported by this plug-in when it
// prints them, not here.
func Programs(pass *generators.Pass) []Program {
	var out []Program
	for _, s := range plan(&generators.Pass{Model: pass.Model, Packages: pass.Packages, Report: &diag.Report{}}) {
		p := Program{Package: s.pkg, Name: s.name}
		for _, h := range s.hubs {
			for _, v := range h.versions {
				if v.served && !slices.Contains(p.Versions, v.gv) {
					p.Versions = append(p.Versions, v.gv)
				}
			}
		}
		slices.SortFunc(p.Versions, compareGroupVersions)
		out = append(out, p)
	}
	return out
}
