package openapifile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/openapi"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

const (
	tagName = "typeplane:openapi"
	// defaultFile is below the root of the module.
	defaultFile = "docs/api/openapi.json"
)

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "openapi-file",
		Doc:  "the schemas of an API as a file of OpenAPI v3 (" + defaultFile + ")",
		Tags: []tag.Definition{{
			Name: tagName, Scope: tag.Package, Value: tag.String, Example: "+" + tagName + "=true",
			Doc: "Writes the schemas of the kinds of the package and of those below it into a file, as their server publishes them: true, into " +
				defaultFile + " of the module, or the name of the file; false, or no tag, for no file.",
		}},
		Generate: func(pass *generators.Pass) {
			for _, pkg := range pass.Packages {
				if file, ok := fileOf(pass, pkg); ok {
					write(pass, pkg, file)
				}
			}
		},
	}
}

// fileOf reads the package's tag; ok is false for a package without a file.
func fileOf(pass *generators.Pass, pkg *model.Package) (file string, ok bool) {
	value, found := pass.Model.OfPackage(pkg).Last(tagName)
	if !found || value == "false" {
		return "", false
	}
	if value == "true" {
		value = defaultFile
	}
	if name := filepath.FromSlash(value); filepath.Ext(name) != ".json" || !filepath.IsLocal(name) {
		problem(pass, pkg, fmt.Sprintf("=%s is neither true nor a file of the module", value), "want true, or a name like "+defaultFile)
		return "", false
	}
	return filepath.Join(model.ModuleRoot(pkg.Dir), filepath.FromSlash(value)), true
}

// document is a file of OpenAPI v3 that has schemas only.
type document struct {
	OpenAPI string `json:"openapi"`
	Info    struct {
		Title   string `json:"title"`
		Version string `json:"version"`
	} `json:"info"`
	Paths      struct{} `json:"paths"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

// write prints the schemas of a package and of those below it.
func write(pass *generators.Pass, root *model.Package, file string) {
	doc := document{OpenAPI: "3.0.0"}
	doc.Info.Title, doc.Info.Version = root.Path, "unversioned"
	doc.Components.Schemas = map[string]json.RawMessage{}
	for _, pkg := range pass.Below(root, func(string) bool { return false }) {
		for name, schema := range openapi.Schemas(pass, pkg) {
			if other, found := doc.Components.Schemas[name]; found && !bytes.Equal(other, schema) {
				problem(pass, root, fmt.Sprintf(": packages publish different schemas as %s, one of them package %s", name, pkg.Path),
					"give one of them a name of its own with +k8s:openapi-model-package=")
			}
			doc.Components.Schemas[name] = schema
		}
	}
	if len(doc.Components.Schemas) == 0 {
		problem(pass, root, ": no package here or below publishes schemas", "say +groupName= and +k8s:openapi-gen=true above the package clause of one, or serve it")
		return
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		problem(pass, root, ": "+err.Error(), "mend what the types say of their schemas")
		return
	}
	pass.RawIn(filepath.Dir(file), filepath.Base(file), append(text, '\n'))
}

func problem(pass *generators.Pass, pkg *model.Package, message, cure string) {
	pass.Report.Add(diag.Problem{Pos: pass.Model.PackagePos(pkg), Message: "+" + tagName + message, Cure: cure})
}
