package openapi

import (
	"encoding/json"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tagvalue"
)

// Structural is the schema of a kind as a CustomResourceDefinition has it: without references, and
// without what only OpenAPI documents say.
type Structural struct {
	Schema json.RawMessage
	// Fields are the Go fields that parts of the schema come from, by their paths in it:
	// "properties.spec.properties.names.items" is one. Below each lies what is said of it.
	Fields map[string]Field
	// Hollow are the fields with metadata of which the schema says no more than that it is an
	// object, so that whoever goes by it drops what is in there.
	Hollow []Field
	// Problems are what no such schema can say.
	Problems []diag.Problem
}

// Field is a field of a Go type, or the type.
type Field struct {
	Pos  token.Position
	Path string // like BookSpec.Pages
}

// Structurals are the schemas of a package's kinds, by their types. metadata tells that metadata
// within an object is described by the fields that people set, and not as any object. What is wrong
// with tags is not reported: Plugin does that.
func Structurals(pass *generators.Pass, pkg *model.Package, metadata bool) map[*types.Type]Structural {
	quiet := &generators.Pass{Model: pass.Model, Packages: []*model.Package{pkg}, Report: &diag.Report{}}
	out := map[*types.Type]Structural{}
	for _, m := range collect(quiet) {
		for t := range m.kinds {
			if model.Embeds(t, "ObjectMeta") {
				out[t] = m.structural(t, metadata)
			}
		}
	}
	return out
}

// HiddenIn is what is hidden in the kinds of some packages.
func HiddenIn(pass *generators.Pass, packages []*model.Package) Hidden {
	quiet := &generators.Pass{Model: pass.Model, Packages: packages, Report: &diag.Report{}}
	out := newHidden()
	for _, m := range collect(quiet) {
		maps.Copy(out.Defaults, m.hidden.Defaults)
		maps.Copy(out.Nullable, m.hidden.Nullable)
		maps.Copy(out.Open, m.hidden.Open)
	}
	maps.DeleteFunc(out.Defaults, func(member, _ string) bool { return strings.HasPrefix(member, autoscalingV1+".") }) // what is sent to a subresource
	return out
}

func (m *models) structural(kind *types.Type, metadata bool) Structural {
	w := &whole{models: m, metadata: metadata, out: Structural{Fields: map[string]Field{}}}
	s := w.schema(refTo(m.modelName(kind)), "")
	w.at("", &place{owner: kind, path: kind.Name.Name})
	if s.Properties["metadata"] != nil {
		s.Properties["metadata"] = &schema{Type: "object"}
		w.out.Hollow = slices.DeleteFunc(w.out.Hollow, func(f Field) bool { return f.Path == kind.Name.Name+".ObjectMeta" })
	}
	text, err := tagvalue.Encode(s)
	if err != nil {
		panic(err) // impossible: every value of a tag was checked to be JSON when it was read
	}
	w.out.Schema = text
	return w.out
}

// whole puts the models into a schema that refers to them.
type whole struct {
	*models
	metadata bool
	within   []string // the models around the one at work
	out      Structural
}

// at notes which field a part of the schema comes from.
func (w *whole) at(path string, from *place) {
	w.out.Fields[path] = Field{Pos: w.posOf(*from), Path: from.path}
}

// schema is a copy of s, at a path of the kind's schema, without references.
func (w *whole) schema(s *schema, path string) *schema {
	out := *s
	out.Description = s.doc
	out.GroupVersionKinds, out.PatchMergeKey, out.PatchStrategy, out.Unions, out.Extensions = nil, "", "", nil, nil
	if s.from != nil {
		w.at(path, s.from)
	}
	below := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	out.AllOf, out.Properties = nil, nil
	for _, branch := range s.AllOf {
		if branch.Ref == "" {
			out.AllOf = append(out.AllOf, w.schema(branch, path))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if out.Properties == nil {
			out.Properties = map[string]*schema{}
		}
		out.Properties[name] = w.schema(s.Properties[name], below("properties."+name))
	}
	if s.Items != nil {
		out.Items = w.schema(s.Items, below("items"))
	}
	if s.AdditionalProperties != nil {
		out.AdditionalProperties = w.schema(s.AdditionalProperties, below("additionalProperties"))
	}
	name := s.refersTo()
	if name == "" {
		return &out
	}
	out.Ref = ""
	base := w.referred(name, path, s.from)
	base.join(&out)
	base.Description = base.doc
	return base
}

// refersTo is the name of the model that a schema refers to, perhaps in an allOf; "" for others.
func (s *schema) refersTo() string {
	ref := s.Ref
	if ref == "" && len(s.AllOf) > 0 {
		ref = s.AllOf[0].Ref
	}
	return strings.TrimPrefix(ref, refPrefix)
}

const metadataModel = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// referred is the schema of a model at a path.
func (w *whole) referred(name, path string, from *place) *schema {
	switch {
	case slices.Contains(w.within, name):
		field := w.out.Fields[path]
		if from == nil { // the items of a list, or the values of a map
			field = w.out.Fields[path[:strings.LastIndexByte(path, '.')]]
		}
		w.out.Problems = append(w.out.Problems, diag.Problem{
			Pos: field.Pos, Path: field.Path,
			Message: fmt.Sprintf("%s is part of itself, which a CustomResourceDefinition has no word for", name[strings.LastIndexByte(name, '.')+1:]),
			Cure:    "say +" + tagSchemaless + " and +" + tagPreserveUnknown + " above the field",
		})
		return &schema{Type: "object"}
	case name == metadataModel && w.metadata:
		return metadataFields()
	case name == metadataModel:
		if from != nil {
			w.out.Hollow = append(w.out.Hollow, w.out.Fields[path])
		}
		return &schema{Type: "object"}
	}
	w.within = append(w.within, name)
	defer func() { w.within = w.within[:len(w.within)-1] }()
	return w.schema(w.done[name], path)
}

// metadataFields are the fields of metadata that people set.
func metadataFields() *schema {
	text := func() *schema { return &schema{Type: "string"} }
	return &schema{Type: "object", Properties: map[string]*schema{
		"name": text(), "namespace": text(),
		"labels":      {Type: "object", AdditionalProperties: text()},
		"annotations": {Type: "object", AdditionalProperties: text()},
		"finalizers":  {Type: "array", Items: text()},
	}}
}
