package crd

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/apiserver"
	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/openapi"
	"github.com/typeplane/typeplane/generators/internal/tag"

	"k8s.io/gengo/v2/types"
)

// The tags that this plug-in reads. Package apiserver checks what those of kubebuilder say of a
// kind, except for the last two.
const (
	tagName            = "typeplane:crd"
	tagPrintColumn     = "kubebuilder:printcolumn"
	tagSelectableField = "kubebuilder:selectablefield"
	tagNamedField      = "typeplane:selectablefield"
	tagStatus          = "kubebuilder:subresource:status"
	tagScale           = "kubebuilder:subresource:scale"
	tagDeprecated      = "kubebuilder:deprecatedversion"
	tagMetadata        = "kubebuilder:metadata"
)

// defaultFolder is below the folder of the package, where kubebuilder has its definitions.
const defaultFolder = "config/crd/bases"

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	printed := map[string]bool{}
	return generators.Plugin{
		Name: "crd",
		Doc:  "CustomResourceDefinitions of a server's kinds (config/crd/bases/*.yaml)",
		Tags: []tag.Definition{
			{Name: tagName, Scope: tag.Package, Value: tag.Fields, Keys: []string{"dir", "embeddedObjectMeta"}, Example: "+typeplane:crd:dir=config/crd/bases",
				Doc: "Beside +typeplane:apiserver: writes a CustomResourceDefinition for each kind of the server that is not Kubernetes' own, as controller-gen would. It goes into " + defaultFolder +
					" beside it, or into the folder that dir= names. embeddedObjectMeta=true describes the fields of metadata within an object, too."},
			{Name: tagMetadata, Scope: tag.Type, Value: tag.Fields, Keys: []string{"labels", "annotations"}, Doc: "Labels and annotations of the CustomResourceDefinition, like labels=\"team=library\"."},
		},
		Stale: func(pass *generators.Pass) []string { return stale(pass, printed) },
		Generate: func(pass *generators.Pass) {
			claim(pass)
			for _, p := range plan(pass) {
				for _, k := range p.kinds {
					printed[filepath.Join(p.dir, k.fileName())] = true
					pass.RawIn(p.path, p.dir, k.fileName(), append([]byte(firstLine(p.path)), k.definition.text()...))
				}
			}
		},
	}
}

// claim takes the marker of kinds that is about definitions alone, also where none is printed: it
// was written for controller-gen.
func claim(pass *generators.Pass) {
	for _, pkg := range pass.Packages {
		for _, t := range pkg.Types.Types {
			if !model.Embeds(t, "ObjectMeta") {
				continue
			}
			pass.Model.OfType(t).Named(tagMetadata)
		}
	}
}

// program is a server whose kinds are printed.
type program struct {
	path  string // of its package
	dir   string // for the definitions
	kinds []kind
}

// kind is a definition, and where it comes from.
type kind struct {
	apiserver.Kind
	definition definition
	schemas    map[string]openapi.Structural // by version
}

// fileName is the name that controller-gen would give.
func (k kind) fileName() string { return k.Group + "_" + k.Plural + ".yaml" }

// wish is what the tag of a package asks for.
type wish struct {
	dir      string // "" for none
	metadata bool
}

// plan decides for which servers there are definitions, and what is in them.
func plan(pass *generators.Pass) []program {
	asking := map[string]wish{} // by import path
	for _, pkg := range pass.Packages {
		if w := read(pass, pkg); w.dir != "" {
			asking[pkg.Path] = w
		}
	}
	if len(asking) == 0 {
		return nil
	}
	var out []program
	for _, s := range apiserver.Programs(pass) {
		w, ok := asking[s.Package.Path]
		if !ok {
			continue
		}
		delete(asking, s.Package.Path)
		p := program{path: s.Package.Path, dir: w.dir, kinds: kinds(pass, s, w.metadata)}
		if len(p.kinds) == 0 {
			problem(pass, s.Package, ": there is no kind below this package that a CustomResourceDefinition could be for", "remove the tag, or write kinds")
		}
		for _, k := range p.kinds {
			k.report(pass)
		}
		out = append(out, p)
	}
	for _, pkg := range pass.Packages {
		if _, left := asking[pkg.Path]; left {
			problem(pass, pkg, " is for the package of a server", "write it beside +"+model.TagServer)
		}
	}
	return out
}

// read reads the tag of a package.
func read(pass *generators.Pass, pkg *model.Package) wish {
	said, err := pass.Model.OfPackage(pkg).Arguments(tagName)
	if err != nil {
		pass.Report.Add(diag.Problem{Pos: pass.Model.PackagePos(pkg), Message: err.Error(), Cure: "write it like +" + tagName + ":dir=" + defaultFolder})
	}
	if len(said) == 0 {
		return wish{}
	}
	w := wish{dir: defaultFolder}
	for _, a := range slices.Concat(said...) {
		switch {
		case a.Key == "" && (a.Value == "" || a.Value == "true"):
		case a.Key == "" && a.Value == "false":
			return wish{}
		case a.Key == "dir" && filepath.IsLocal(filepath.FromSlash(a.Value)):
			w.dir = a.Value
		case a.Key == "dir":
			problem(pass, pkg, ":dir="+a.Value+" is no folder below that of the package", "name one like "+defaultFolder)
		case a.Key == "embeddedObjectMeta" && (a.Value == "true" || a.Value == "false"):
			w.metadata = a.Value == "true"
		default:
			problem(pass, pkg, fmt.Sprintf(": it can't have %s=%s", cmp.Or(a.Key, tagName), a.Value), "want dir= and a folder, or embeddedObjectMeta=true")
		}
	}
	w.dir = filepath.Join(pkg.Dir, filepath.FromSlash(w.dir))
	return w
}

// kinds are those of a server that a cluster could be told to serve.
func kinds(pass *generators.Pass, s apiserver.Program, metadata bool) []kind {
	schemas := map[*model.Package]map[*types.Type]openapi.Structural{}
	var out []kind
	for _, k := range s.Kinds {
		stored := k.Versions[slices.IndexFunc(k.Versions, func(v apiserver.KindVersion) bool { return v.Stored })]
		if k.Group == "" || pass.Model.OfKubernetes(stored.Package, stored.Type) {
			continue
		}
		for _, v := range k.Versions {
			if len(v.Markers.Named(tagNamedField)) > 0 {
				pass.Report.Warn(diag.Problem{
					Pos: v.Pos, Path: k.GroupKind.Kind, Message: "+" + tagNamedField + " is not in its CustomResourceDefinition: there a field that selectors name is called as its path is",
					Cure: "say +" + tagSelectableField + " if a cluster serves it",
				})
			}
			if schemas[v.Package] == nil {
				schemas[v.Package] = openapi.Structurals(pass, v.Package, metadata)
			}
		}
		out = append(out, newKind(k, schemas))
	}
	return out
}

func newKind(k apiserver.Kind, schemas map[*model.Package]map[*types.Type]openapi.Structural) kind {
	out := kind{Kind: k, schemas: map[string]openapi.Structural{}}
	scope := "Cluster"
	if k.Namespaced {
		scope = "Namespaced"
	}
	out.definition = definition{
		APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition",
		Metadata: metadata{Name: k.Plural + "." + k.Group},
		Spec: spec{
			Group: k.Group, Scope: scope,
			Names: names{
				Kind: k.GroupKind.Kind, ListKind: k.GroupKind.Kind + "List", Plural: k.Plural, Singular: k.Singular,
				ShortNames: k.ShortNames, Categories: k.Categories,
			},
		},
	}
	for _, v := range k.Versions {
		s := schemas[v.Package][v.Type]
		out.schemas[v.Version] = s
		out.definition.Metadata.read(v.Markers)
		out.definition.Spec.Versions = append(out.definition.Spec.Versions, newVersion(v, s))
	}
	slices.SortFunc(out.definition.Spec.Versions, func(a, b version) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// newVersion reads what the markers of a kind say of it in a version.
func newVersion(v apiserver.KindVersion, s openapi.Structural) version {
	out := version{Name: v.Version, Served: v.Served, Storage: v.Stored}
	out.Schema.OpenAPIV3Schema = s.Schema
	arguments := func(name string) [][]tag.Argument {
		said, _ := v.Markers.Arguments(name) // the generator of servers says what can't be read
		return said
	}
	for _, said := range arguments(tagPrintColumn) {
		priority, _ := strconv.ParseInt(of(said, "priority"), 10, 32) // likewise
		out.Columns = append(out.Columns, column{
			Name: of(said, "name"), Type: of(said, "type"), JSONPath: of(said, "JSONPath"),
			Description: of(said, "description"), Format: of(said, "format"), Priority: int32(priority),
		})
	}
	for _, said := range arguments(tagSelectableField) {
		out.SelectableFields = append(out.SelectableFields, selectableField{JSONPath: of(said, "JSONPath")})
	}
	for _, said := range arguments(tagDeprecated) {
		out.Deprecated = true
		if warning := of(said, "warning"); warning != "" {
			out.DeprecationWarning = &warning
		}
	}
	status, scaled := v.Markers.Has(tagStatus), arguments(tagScale)
	if status || len(scaled) > 0 || len(out.Columns) > 0 { // controller-gen has an empty one beside columns
		out.Subresources = new(subresources)
	}
	if status {
		out.Subresources.Status = new(struct{})
	}
	for _, said := range scaled {
		out.Subresources.Scale = &scale{Spec: of(said, "specpath"), Status: of(said, "statuspath")}
		if selector := of(said, "selectorpath"); selector != "" {
			out.Subresources.Scale.Selector = &selector
		}
	}
	return out
}

// of is the value of a key, "" if it is not there.
func of(said []tag.Argument, key string) string {
	for _, a := range said {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}

// read takes labels and annotations that markers give to the definition.
func (m *metadata) read(markers model.Markers) {
	said, _ := markers.Arguments(tagMetadata) // the tag's form is checked where all are
	for _, a := range slices.Concat(said...) {
		to := &m.Labels
		if a.Key == "annotations" {
			to = &m.Annotations
		}
		if *to == nil {
			*to = map[string]string{}
		}
		for _, pair := range tag.List(a.Value) {
			key, value, _ := strings.Cut(pair, "=")
			(*to)[key] = value
		}
	}
}

// report tells what the definition can't say, or says in a way that loses something.
func (k kind) report(pass *generators.Pass) {
	for _, s := range k.schemas {
		for _, p := range s.Problems {
			pass.Report.Add(p)
		}
		for _, f := range s.Hollow {
			pass.Report.Warn(diag.Problem{
				Pos: f.Pos, Path: f.Path,
				Message: "the CustomResourceDefinition does not say what is in this metadata, so a kube-apiserver drops labels and all else that is sent",
				Cure:    "say +" + tagName + ":embeddedObjectMeta=true",
			})
		}
	}
}

func problem(pass *generators.Pass, pkg *model.Package, message, cure string) {
	pass.Report.Add(diag.Problem{Pos: pass.Model.PackagePos(pkg), Message: "+" + tagName + message, Cure: cure})
}
