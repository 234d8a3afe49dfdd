package openapi

import (
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

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
	tagEnumExclude         = "k8s:enumExclude"
	tagEnumValues          = "kubebuilder:validation:Enum"
	tagType                = "kubebuilder:validation:Type"
	tagIntOrString         = "kubebuilder:validation:XIntOrString"
	tagSchemaless          = "kubebuilder:validation:Schemaless"
	tagPreserveUnknown     = "kubebuilder:pruning:PreserveUnknownFields"
	tagXPreserveUnknown    = "kubebuilder:validation:XPreserveUnknownFields"
	tagEmbeddedResource    = "kubebuilder:validation:EmbeddedResource"
	tagXEmbeddedResource   = "kubebuilder:validation:XEmbeddedResource"
	tagItemsType           = "kubebuilder:validation:items:Type"
	tagItemsPreserve       = "kubebuilder:validation:items:XPreserveUnknownFields"
	tagItemsEmbedded       = "kubebuilder:validation:items:XEmbeddedResource"
	tagRule                = "kubebuilder:validation:XValidation"
	tagItemsRule           = "kubebuilder:validation:items:XValidation"
	tagExactlyOneOf        = "kubebuilder:validation:ExactlyOneOf"
	tagAtMostOneOf         = "kubebuilder:validation:AtMostOneOf"
	tagAtLeastOneOf        = "kubebuilder:validation:AtLeastOneOf"
	tagTitle               = "kubebuilder:title"
	tagExample             = "kubebuilder:example"
	tagExternalDocs        = "kubebuilder:externalDocs"
	tagUnion               = "union"
	tagUnionDiscriminator  = "unionDiscriminator"
	tagUnionDeprecated     = "unionDeprecated"
	tagK8sUnique           = "k8s:unique"
	tagImmutable           = "k8s:immutable"
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

var tags = slices.Concat(ownTags, limitTags())

// limitTags are the tags of the limits, in the families that have a name for each.
func limitTags() []tag.Definition {
	var out []tag.Definition
	for name, l := range limits {
		if name == "nullable" {
			continue
		}
		d := tag.Definition{Scope: tag.Type | tag.Field, Value: tag.JSON}
		switch {
		case l.value == "boolean":
			d.Value = tag.Bool
		case l.value == "integer":
			d.Value = tag.Int
		case l.value == "string":
			d.Value = tag.String
		case name == "enum":
			d.Value = tag.Any
		}
		upper := strings.ToUpper(name[:1]) + name[1:]
		d.Name = kubebuilderFamily + upper
		d.Doc = l.doc + ", like +" + d.Name + "=" + l.example + "; with items: before the name, of every item of a list. Also +" + openapiFamily + name + ", whose value is JSON."
		out = append(out, d)
		d.Name = kubebuilderFamily + "items:" + upper
		d.Doc = l.doc + ", of every item of a list."
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b tag.Definition) int { return strings.Compare(a.Name, b.Name) })
	return out
}

var ownTags = []tag.Definition{
	{Name: tagGen, Scope: tag.Package | tag.Type | tag.Field, Value: tag.Any, Doc: "Publishes the kinds of a package, or one type, as OpenAPI schemas: true; false leaves a type or a field out; x-kubernetes-name:value adds an extension."},
	{Name: tagModelPackage, Scope: tag.Package | tag.Type, Value: tag.String, Doc: "Generates the methods OpenAPIModelName, like +k8s:openapi-model-package=com.example.shop.v1: what the names of the package's OpenAPI models begin with; by default the group backwards and the version, like com.example.library.v1."},
	{Name: tagOptional, Scope: tag.Field, Doc: "The field may be left out; so it may if its JSON tag says omitempty or omitzero, or if it has a default."},
	{Name: tagRequired, Scope: tag.Field, Doc: "The field must be given."},
	{Name: tagNullable, Scope: tag.Field, Doc: "The field may be null."},
	{Name: tagEnum, Scope: tag.Type, Doc: "The constants of this string type are all its values."},
	{Name: tagEnumExclude, Scope: tag.Value, Doc: "Leaves a constant out of the values of its +enum type."},
	{Name: tagType, Scope: tag.Type | tag.Field, Value: tag.Name, Doc: "The JSON type of a type with a MarshalJSON of its own: string, integer, number, boolean, object or array. Like +kubebuilder:validation:Type=string."},
	{Name: tagIntOrString, Scope: tag.Type | tag.Field, Doc: "The value is an integer or a string (x-kubernetes-int-or-string)."},
	{Name: tagSchemaless, Scope: tag.Field, Doc: "The value has no schema: it may be anything, and what the type says is not published."},
	{Name: tagPreserveUnknown, Scope: tag.Type | tag.Field, Doc: "Fields that the schema does not know are kept (x-kubernetes-preserve-unknown-fields)."},
	{Name: tagXPreserveUnknown, Scope: tag.Type | tag.Field, Doc: "As +kubebuilder:pruning:PreserveUnknownFields."},
	{Name: tagEmbeddedResource, Scope: tag.Type | tag.Field, Doc: "The value is an object of Kubernetes' form, with apiVersion, kind and metadata (x-kubernetes-embedded-resource)."},
	{Name: tagXEmbeddedResource, Scope: tag.Type | tag.Field, Doc: "As +kubebuilder:validation:EmbeddedResource."},
	{Name: tagItemsType, Scope: tag.Type | tag.Field, Value: tag.Name, Doc: "The JSON type of every item of a list, of which nothing else says it."},
	{Name: tagItemsPreserve, Scope: tag.Type | tag.Field, Doc: "Fields that the schema does not know are kept in every item of a list."},
	{Name: tagItemsEmbedded, Scope: tag.Type | tag.Field, Doc: "Every item of a list is an object of Kubernetes' form."},
	{Name: tagRule, Scope: tag.Type | tag.Field, Value: tag.Fields, Doc: "A rule in CEL (x-kubernetes-validations), like +kubebuilder:validation:XValidation:rule=\"self.min <= self.max\",message=\"min must not exceed max\"; also messageExpression, reason, fieldPath and optionalOldSelf."},
	{Name: tagItemsRule, Scope: tag.Type | tag.Field, Value: tag.Fields, Doc: "A rule in CEL for every item of a list."},
	{Name: tagExactlyOneOf, Scope: tag.Type | tag.Field, Value: tag.String, Doc: "Exactly one of these fields of a struct is set, like +kubebuilder:validation:ExactlyOneOf=a;b; published as a rule in CEL."},
	{Name: tagAtMostOneOf, Scope: tag.Type | tag.Field, Value: tag.String, Doc: "At most one of these fields of a struct is set, like +kubebuilder:validation:AtMostOneOf=a;b; published as a rule in CEL."},
	{Name: tagAtLeastOneOf, Scope: tag.Type | tag.Field, Value: tag.String, Doc: "At least one of these fields of a struct is set, like +kubebuilder:validation:AtLeastOneOf=a;b; published as a rule in CEL."},
	{Name: tagImmutable, Scope: tag.Type | tag.Field, Doc: "Published as controller-gen does: as the rule self == oldSelf. For a field that may be left out the struct around it has a rule, too, that it stays there once it is set."},
	{Name: tagTitle, Scope: tag.Type | tag.Field, Value: tag.String, Doc: "The title of the schema, like +kubebuilder:title=Pages."},
	{Name: tagExample, Scope: tag.Type | tag.Field, Value: tag.JSON, Doc: "A value as an example, like +kubebuilder:example=Emma."},
	{Name: tagExternalDocs, Scope: tag.Type | tag.Field, Value: tag.Fields, Doc: "Where more is written, like +kubebuilder:externalDocs:url=\"https://example.com\",description=\"The manual\"."},
	{Name: tagUnion, Scope: tag.Type, Doc: "The fields of a struct exclude each other (x-kubernetes-unions); each has to be optional."},
	{Name: tagUnionDiscriminator, Scope: tag.Field, Doc: "The field says which member of a union is set."},
	{Name: tagUnionDeprecated, Scope: tag.Field, Doc: "The field is a member of the union of its struct."},
	{Name: tagListType, Scope: tag.Type | tag.Field, Value: tag.Name, Doc: "How a list merges when several clients apply it: atomic, set or map."},
	{Name: tagListMapKey, Scope: tag.Type | tag.Field, Value: tag.String, Doc: "JSON name of a field that tells the items of a list of type map apart."},
	{Name: tagMapType, Scope: tag.Field, Value: tag.Name, Doc: "How a map merges when several clients apply it: atomic or granular."},
	{Name: tagStructType, Scope: tag.Type | tag.Field, Value: tag.Name, Doc: "How a struct merges when several clients apply it: atomic or granular."},
	{Name: tagPatchStrategy, Scope: tag.Field, Value: tag.Name, Doc: "How a strategic merge patch treats a field: merge, replace or retainKeys."},
	{Name: tagScale, Scope: tag.Type, Value: tag.Fields, Doc: "The kind can be scaled: the schema of autoscaling/v1 Scale is published with it."},
	{Name: tagPatchMergeKey, Scope: tag.Field, Value: tag.String, Doc: "JSON name of the field by which a strategic merge patch finds the item of a list."},
}

// asks says whether one of the values of +k8s:openapi-gen is this one.
func asks(markers model.Markers, value string) bool {
	return slices.Contains(markers.Values(tagGen), value)
}

// value is what the last tag of the first of these names says that is there; "" if none is.
func value(markers model.Markers, names ...string) string {
	for _, name := range names {
		if v, ok := markers.Last(name); ok {
			return v
		}
	}
	return ""
}

// has says whether any of the tags is there and does not say false.
func has(markers model.Markers, names ...string) bool {
	return slices.ContainsFunc(names, markers.On)
}
