package crd

import (
	"encoding/json"

	"sigs.k8s.io/yaml"
)

// definition is a CustomResourceDefinition, as far as types decide it.
type definition struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       spec     `json:"spec"`
}

type metadata struct {
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type spec struct {
	Group    string    `json:"group"`
	Names    names     `json:"names"`
	Scope    string    `json:"scope"`
	Versions []version `json:"versions"`
}

type names struct {
	Kind       string   `json:"kind"`
	ListKind   string   `json:"listKind"`
	Plural     string   `json:"plural"`
	Singular   string   `json:"singular"`
	ShortNames []string `json:"shortNames,omitempty"`
	Categories []string `json:"categories,omitempty"`
}

type version struct {
	Name               string            `json:"name"`
	Served             bool              `json:"served"`
	Storage            bool              `json:"storage"`
	Deprecated         bool              `json:"deprecated,omitempty"`
	DeprecationWarning *string           `json:"deprecationWarning,omitempty"`
	Columns            []column          `json:"additionalPrinterColumns,omitempty"`
	SelectableFields   []selectableField `json:"selectableFields,omitempty"`
	Subresources       *subresources     `json:"subresources,omitempty"`
	Schema             struct {
		OpenAPIV3Schema json.RawMessage `json:"openAPIV3Schema"`
	} `json:"schema"`
}

type column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	JSONPath    string `json:"jsonPath"`
	Description string `json:"description,omitempty"`
	Format      string `json:"format,omitempty"`
	Priority    int32  `json:"priority,omitempty"`
}

type selectableField struct {
	JSONPath string `json:"jsonPath"`
}

type subresources struct {
	Status *struct{} `json:"status,omitempty"`
	Scale  *scale    `json:"scale,omitempty"`
}

type scale struct {
	Spec     string  `json:"specReplicasPath"`
	Status   string  `json:"statusReplicasPath"`
	Selector *string `json:"labelSelectorPath,omitempty"`
}

// text is the definition as a document of YAML, with its fields in the order of the alphabet.
func (d *definition) text() []byte {
	text, err := yaml.Marshal(d)
	if err != nil {
		panic(err) // impossible: it is made of strings, numbers and JSON
	}
	return append([]byte("---\n"), text...)
}
