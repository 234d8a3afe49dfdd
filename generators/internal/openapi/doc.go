// Package openapi writes zz_generated.openapi.go: the OpenAPI v3 schemas of a package's kinds, as
// one constant.
//
// A package asks for it with +k8s:openapi-gen=true. The constant OpenAPISchemas is a JSON object
// from model name to schema. It holds the kinds and lists of the package and everything that they
// are made of, also of other modules. The doc comments are the descriptions, so a server can
// publish the object as it is. Nothing is worked out when a server starts, and the file imports
// nothing. What kubectl explain prints is what the comments say.
//
// A package without kinds gets no file: its types are published with the kinds that use them.
//
// It also writes zz_generated.model_name.go, the methods OpenAPIModelName of a package (or a type)
// that says +k8s:openapi-model-package, as kube-openapi's generator does.
//
// A declarative tag is published if a schema can state it. It can't state rules about the keys of a
// map (+k8s:eachKey), one item of a list (+k8s:item), or a condition. About an update (+k8s:update)
// it can only state that nothing changes. +k8s:maxBytes becomes maxLength, which is weaker.
//
// kube-openapi's openapi-gen writes one file for all packages, GetOpenAPIDefinitions, into a
// package that is named by its flags (pkg/generated/openapi); it is Go that builds the schemas when
// the server starts. We neither write nor remove that file: a server on k8s.io/apiserver keeps
// making it with openapi-gen, and one on this repository needs it not.
//
// Start reading at plan, which decides what is published. use and structSchema turn types into
// schemas. limit takes the constraints of all three families of tags into them. names.go says how
// models are called. The package never looks at protobuf, and never runs code of the user: methods
// that tell a schema (OpenAPISchemaType and so on) are read.
package openapi

import (
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
)

// Plugin is the generator of OpenAPI schemas.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name:      "openapi",
		Describes: true,
		Doc:       "OpenAPI v3 schemas of the kinds (zz_generated.openapi.go), for kubectl explain and validation",
		Tags:      tags,
		Outputs:   []emit.Output{{Name: fileName, Mark: "// " + schemasLine}, {Name: modelFileName, Generator: generator}},
		Generate: func(pass *generators.Pass) {
			for _, f := range plan(pass) {
				printFile(pass, f)
			}
			for _, pkg := range pass.Packages {
				if names := modelNames(pass, pkg); len(names) > 0 {
					printModelNames(pass, pkg, names)
				}
			}
		},
	}
}
