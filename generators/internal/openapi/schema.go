package openapi

import (
	"bytes"
	"encoding/json"
	"reflect"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/tagvalue"
)

// schema is an OpenAPI v3 schema as Kubernetes clients read it. Its fields are in the order in
// which they are printed.
type schema struct {
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	Type         string          `json:"type,omitempty"`
	Format       string          `json:"format,omitempty"`
	Nullable     bool            `json:"nullable,omitempty"`
	Default      json.RawMessage `json:"default,omitempty"`
	Example      json.RawMessage `json:"example,omitempty"`
	ExternalDocs *externalDocs   `json:"externalDocs,omitempty"`

	Enum             []json.RawMessage `json:"enum,omitempty"`
	Minimum          json.Number       `json:"minimum,omitempty"`
	ExclusiveMinimum bool              `json:"exclusiveMinimum,omitempty"`
	Maximum          json.Number       `json:"maximum,omitempty"`
	ExclusiveMaximum bool              `json:"exclusiveMaximum,omitempty"`
	MultipleOf       json.Number       `json:"multipleOf,omitempty"`
	MinLength        *int64            `json:"minLength,omitempty"`
	MaxLength        *int64            `json:"maxLength,omitempty"`
	Pattern          string            `json:"pattern,omitempty"`
	MinItems         *int64            `json:"minItems,omitempty"`
	MaxItems         *int64            `json:"maxItems,omitempty"`
	UniqueItems      bool              `json:"uniqueItems,omitempty"`
	MinProperties    *int64            `json:"minProperties,omitempty"`
	MaxProperties    *int64            `json:"maxProperties,omitempty"`

	Required             []string           `json:"required,omitempty"`
	Properties           map[string]*schema `json:"properties,omitempty"`
	AdditionalProperties *schema            `json:"additionalProperties,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	Ref                  string             `json:"$ref,omitempty"`
	AllOf                []*schema          `json:"allOf,omitempty"`
	AnyOf                []*schema          `json:"anyOf,omitempty"`
	OneOf                []*schema          `json:"oneOf,omitempty"`

	EmbeddedResource  bool               `json:"x-kubernetes-embedded-resource,omitempty"`
	GroupVersionKinds []groupVersionKind `json:"x-kubernetes-group-version-kind,omitempty"`
	IntOrString       bool               `json:"x-kubernetes-int-or-string,omitempty"`
	ListMapKeys       []string           `json:"x-kubernetes-list-map-keys,omitempty"`
	ListType          string             `json:"x-kubernetes-list-type,omitempty"`
	MapType           string             `json:"x-kubernetes-map-type,omitempty"`
	PatchMergeKey     string             `json:"x-kubernetes-patch-merge-key,omitempty"`
	PatchStrategy     string             `json:"x-kubernetes-patch-strategy,omitempty"`
	PreserveUnknown   bool               `json:"x-kubernetes-preserve-unknown-fields,omitempty"`
	Unions            []union            `json:"x-kubernetes-unions,omitempty"`
	Rules             []rule             `json:"x-kubernetes-validations,omitempty"`

	// Extensions are those that tags name themselves; they are printed behind the fields.
	Extensions map[string]string `json:"-"`

	from *place // the field that it is the schema of; nil if it is that of none
	doc  string // the description in a CustomResourceDefinition, line by line
}

type groupVersionKind struct {
	Group   string `json:"group"`
	Kind    string `json:"kind"`
	Version string `json:"version"`
}

type externalDocs struct {
	Description string `json:"description,omitempty"`
	URL         string `json:"url"`
}

// rule is a rule in CEL.
type rule struct {
	Rule              string `json:"rule"`
	Message           string `json:"message,omitempty"`
	MessageExpression string `json:"messageExpression,omitempty"`
	Reason            string `json:"reason,omitempty"`
	FieldPath         string `json:"fieldPath,omitempty"`
	OptionalOldSelf   *bool  `json:"optionalOldSelf,omitempty"`
}

// union says that the fields of an object exclude each other, by their JSON names and the values
// that stand for them.
type union struct {
	Discriminator string            `json:"discriminator,omitempty"`
	Fields        map[string]string `json:"fields-to-discriminateBy"`
}

const refPrefix = "#/components/schemas/"

// refTo points at the model called name.
func refTo(name string) *schema { return &schema{Ref: refPrefix + name} }

// wrapped is s in a form that may have siblings. OpenAPI 3.0 ignores everything beside a $ref. So
// the reference of a property with a description or a default moves into an allOf of one.
func (s *schema) wrapped() *schema {
	if s.Ref == "" {
		return s
	}
	ref := s.Ref
	bare := *s
	bare.Ref, bare.from, bare.doc = "", nil, ""
	if reflect.DeepEqual(bare, schema{}) {
		return s
	}
	bare.AllOf, bare.from = append([]*schema{{Ref: ref}}, bare.AllOf...), s.from
	bare.doc = s.doc
	return &bare
}

// MarshalJSON puts the extensions behind the fields, sorted by name.
func (s *schema) MarshalJSON() ([]byte, error) {
	type fields schema
	text, err := tagvalue.Encode((*fields)(s))
	if err != nil || len(s.Extensions) == 0 {
		return text, err
	}
	more, err := tagvalue.Encode(s.Extensions)
	if err != nil || bytes.Equal(text, []byte("{}")) {
		return more, err
	}
	return append(append(text[:len(text)-1], ','), more[1:]...), nil
}

// place is where a type is used: what problems and enum tags are about.
type place struct {
	owner *types.Type // the struct
	field *types.Member
	path  string // like "BookSpec.Pages"
}
