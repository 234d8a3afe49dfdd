package deepcopy

import (
	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

const (
	fileName  = "zz_generated.deepcopy.go"
	generator = "deepcopy-gen"

	enableTag     = "k8s:deepcopy-gen"
	interfacesTag = "k8s:deepcopy-gen:interfaces"
	valueTag      = "k8s:deepcopy-gen:nonpointer-interfaces"
	objectTag     = "kubebuilder:object:generate"
	rootTag       = "kubebuilder:object:root"

	runtimePath = "k8s.io/apimachinery/pkg/runtime"
	objectName  = runtimePath + ".Object"
	metaPath    = "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "deepcopy",
		Doc:  "DeepCopy, DeepCopyInto and DeepCopyObject methods",
		Tags: []tag.Definition{
			{Name: enableTag, Scope: tag.Package | tag.Type, Value: tag.Name,
				Doc: "On a package: package (all exported types, and functions for kinds that are aliases) or false. On a type: true or false."},
			{Name: interfacesTag, Scope: tag.Type, Value: tag.TypeName,
				Doc: "Adds a method DeepCopy<Interface> for each interface of a comma list."},
			{Name: valueTag, Scope: tag.Type, Value: tag.Bool,
				Doc: "Gives the methods of the interfaces a value receiver."},
			{Name: objectTag, Scope: tag.Package | tag.Type, Value: tag.Bool,
				Doc: "Generates deep copies for all exported types of the package, or for the type."},
			{Name: rootTag, Scope: tag.Type, Value: tag.Bool,
				Doc: "The type is a kind: generates its deep copy with DeepCopyObject."},
		},
		Outputs:  []emit.Output{{Name: fileName, Generator: generator}},
		Generate: generate,
	}
}

func generate(pass *generators.Pass) {
	pl := newPlanner(pass)
	for _, pkg := range pass.Packages {
		if f := pl.plan(pkg); !f.empty() {
			p := printer{File: pass.File(pkg, fileName, generator)}
			if err := p.file(&f); err != nil {
				pass.Report.Add(diag.Problem{Pos: pass.Model.PackagePos(pkg), Path: "package " + pkg.Name, Message: err.Error()})
			}
		}
	}
}
