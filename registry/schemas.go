package registry

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/ownership"
)

// Schemas are the fields of all kinds of a server, as apply patches need them (Options.Schemas).
// They may be used by any goroutine, and for any number of resources.
type Schemas = ownership.Schemas

// NewSchemas takes the OpenAPI v3 schemas of each version: a JSON object from model name to schema.
// A model that several versions have must be the same in all of them. The map must not be modified.
func NewSchemas(openAPI map[schema.GroupVersion]string) *Schemas { return ownership.New(openAPI) }
