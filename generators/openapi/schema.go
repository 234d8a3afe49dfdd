package openapi

import (
	"bytes"
	"encoding/json"
)

// schema is an OpenAPI v3 schema as Kubernetes clients read it. Its fields are in the order in which they are printed.
type schema struct {
	Description          string             `json:"description,omitempty"`
	Type                 string             `json:"type,omitempty"`
	Format               string             `json:"format,omitempty"`
	Nullable             bool               `json:"nullable,omitempty"`
	Default              json.RawMessage    `json:"default,omitempty"`
	Enum                 []json.RawMessage  `json:"enum,omitempty"`
	Required             []string           `json:"required,omitempty"`
	Properties           map[string]*schema `json:"properties,omitempty"`
	AdditionalProperties *schema            `json:"additionalProperties,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	Ref                  string             `json:"$ref,omitempty"`
	AllOf                []*schema          `json:"allOf,omitempty"`
	OneOf                []*schema          `json:"oneOf,omitempty"`

	GroupVersionKinds []groupVersionKind `json:"x-kubernetes-group-version-kind,omitempty"`
	ListMapKeys       []string           `json:"x-kubernetes-list-map-keys,omitempty"`
	ListType          string             `json:"x-kubernetes-list-type,omitempty"`
	MapType           string             `json:"x-kubernetes-map-type,omitempty"`
	PatchMergeKey     string             `json:"x-kubernetes-patch-merge-key,omitempty"`
	PatchStrategy     string             `json:"x-kubernetes-patch-strategy,omitempty"`
	PreserveUnknown   bool               `json:"x-kubernetes-preserve-unknown-fields,omitempty"`
}

type groupVersionKind struct {
	Group   string `json:"group"`
	Kind    string `json:"kind"`
	Version string `json:"version"`
}

const refPrefix = "#/components/schemas/"

// refTo points at the model called name.
func refTo(name string) *schema { return &schema{Ref: refPrefix + name} }

// wrapped is s in a form that may have siblings: OpenAPI 3.0 ignores everything beside a $ref, so the reference of a
// property with a description or a default moves into an allOf of one.
func (s *schema) wrapped() *schema {
	if s.Ref == "" {
		return s
	}
	ref := s.Ref
	bare := *s
	bare.Ref = ""
	if same(&bare, &schema{}) {
		return s
	}
	bare.AllOf = []*schema{{Ref: ref}}
	return &bare
}

func same(a, b *schema) bool { return bytes.Equal(printed(a), printed(b)) }

// printed is v as indented JSON, with < and > as they are.
func printed(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // impossible: every default was checked to be JSON when it was read
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
