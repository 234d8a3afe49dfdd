// Package openapi writes zz_generated.openapi.go: the OpenAPI v3 schemas of a package's kinds, as one constant.
//
// A package asks for it with +k8s:openapi-gen=true. The constant OpenAPISchemas is a JSON object from model name to
// schema; it holds the kinds and lists of the package and everything that they are made of, also of other modules,
// with the doc comments as descriptions, so that a server can publish it as it is. Nothing is worked out when a
// server starts, and the file imports nothing. What kubectl explain prints is what the comments say.
//
// A package without kinds gets no file: its types are published with the kinds that use them.
//
// Start reading at plan, which decides what is published; use and structSchema turn types into schemas; names.go says
// how models are called. The package never looks at protobuf, and constraints other than enums are not published
// before a generator makes the server enforce them.
package openapi

import (
	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/emit"
	"github.com/typeplane/typeplane/generators/tag"
)

// The file that is printed, and the name in its header.
const (
	fileName  = "zz_generated.openapi.go"
	generator = "openapi-gen"
)

// Plugin is the generator of OpenAPI schemas.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name:    "openapi",
		Doc:     "OpenAPI v3 schemas of the kinds (zz_generated.openapi.go), for kubectl explain and validation",
		Tags:    tags,
		Outputs: []emit.Output{{Name: fileName, Generator: generator}},
		Generate: func(pass *generators.Pass) {
			for _, f := range plan(pass) {
				printFile(pass, f)
			}
		},
	}
}

// The tags that this plug-in reads.
const (
	tagGen                 = "k8s:openapi-gen"
	tagModelPackage        = "k8s:openapi-model-package"
	tagGroupName           = "groupName"
	tagVersionName         = "versionName"
	tagOptional            = "optional"
	tagK8sOptional         = "k8s:optional"
	tagKubebuilderOptional = "kubebuilder:validation:Optional"
	tagRequired            = "required"
	tagK8sRequired         = "k8s:required"
	tagKubebuilderRequired = "kubebuilder:validation:Required"
	tagNullable            = "nullable"
	tagDefault             = "default"
	tagKubebuilderDefault  = "kubebuilder:default"
	tagDefaulter           = "k8s:defaulter-gen"
	tagEnum                = "enum"
	tagK8sEnum             = "k8s:enum"
	tagEnumValues          = "kubebuilder:validation:Enum"
	tagItemsEnumValues     = "kubebuilder:validation:items:Enum"
	tagType                = "kubebuilder:validation:Type"
	tagFormat              = "kubebuilder:validation:Format"
	tagListType            = "listType"
	tagK8sListType         = "k8s:listType"
	tagListMapKey          = "listMapKey"
	tagK8sListMapKey       = "k8s:listMapKey"
	tagMapType             = "mapType"
	tagStructType          = "structType"
	tagPatchStrategy       = "patchStrategy"
	tagPatchMergeKey       = "patchMergeKey"
	tagScale               = "kubebuilder:subresource:scale"
)

var tags = []tag.Definition{
	{Name: tagGen, Scope: tag.Package | tag.Type | tag.Field, Value: tag.Bool, Doc: "Publishes the kinds of a package, or one type, as OpenAPI schemas; false leaves a type or a field out."},
	{Name: tagModelPackage, Scope: tag.Package, Value: tag.String, Doc: "What the names of the package's OpenAPI models begin with; by default the group backwards and the version, like com.example.library.v1."},
	{Name: tagOptional, Scope: tag.Field, Doc: "The field may be left out; so it may if its JSON tag says omitempty or omitzero, or if it has a default."},
	{Name: tagRequired, Scope: tag.Field, Doc: "The field must be given."},
	{Name: tagNullable, Scope: tag.Field, Doc: "The field may be null."},
	{Name: tagEnum, Scope: tag.Type, Doc: "The constants of this string type are all its values."},
	{Name: tagEnumValues, Scope: tag.Type | tag.Field, Value: tag.Any, Doc: "The values of a field or a named type, as A;B;C."},
	{Name: tagItemsEnumValues, Scope: tag.Field, Value: tag.Any, Doc: "The values of a list's items, as A;B;C."},
	{Name: tagType, Scope: tag.Type | tag.Field, Value: tag.Name, Doc: "The JSON type of a type with a MarshalJSON of its own: string, integer, number, boolean, object or array."},
	{Name: tagFormat, Scope: tag.Type | tag.Field, Value: tag.Name, Doc: "The OpenAPI format that goes with +kubebuilder:validation:Type."},
	{Name: tagListType, Scope: tag.Field, Value: tag.Name, Doc: "How a list merges when several clients apply it: atomic, set or map."},
	{Name: tagListMapKey, Scope: tag.Field, Value: tag.String, Doc: "JSON name of a field that tells the items of a list of type map apart."},
	{Name: tagMapType, Scope: tag.Field, Value: tag.Name, Doc: "How a map merges when several clients apply it: atomic or granular."},
	{Name: tagStructType, Scope: tag.Type | tag.Field, Value: tag.Name, Doc: "How a struct merges when several clients apply it: atomic or granular."},
	{Name: tagPatchStrategy, Scope: tag.Field, Value: tag.Name, Doc: "How a strategic merge patch treats a field: merge, replace or retainKeys."},
	{Name: tagScale, Scope: tag.Type, Value: tag.Fields, Doc: "The kind can be scaled: the schema of autoscaling/v1 Scale is published with it."},
	{Name: tagPatchMergeKey, Scope: tag.Field, Value: tag.String, Doc: "JSON name of the field by which a strategic merge patch finds the item of a list."},
}

// value is what the last tag of the first of these names says that is there; "" if none is.
func value(lines []string, names ...string) string {
	for _, name := range names {
		if v, ok := tag.Last(lines, name); ok {
			return v
		}
	}
	return ""
}

// has says whether any of the tags is there.
func has(lines []string, names ...string) bool {
	for _, name := range names {
		if tag.Has(lines, name) {
			return true
		}
	}
	return false
}
