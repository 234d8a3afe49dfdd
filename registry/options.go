package registry

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/rest"
)

// Options are what an operator may choose for a resource.
type Options struct {
	// StorageVersion is the version in which objects are stored; zero is that of the Definition.
	StorageVersion schema.GroupVersion
	// Written is the version in which objects are put into the database, for the time in which that
	// is another one; nil: it is the storage version.
	Written *Written
	// StorageMediaType is rest.Protobuf or rest.JSON; "" is protobuf. Versions without protobuf are
	// stored as JSON in any case.
	StorageMediaType rest.MediaType
	// Schemas say which fields there are, to keep track of who owns them. With nil, or without the
	// schema of a version, nobody owns fields there, and there are no apply patches.
	Schemas *ownership.Schemas
	// Collected says that a garbage collector follows the owners of objects: the propagation policy
	// of a deletion is left to it, by finalizers that it takes off.
	Collected bool
	// Lifetime is how long an object is there after its last write; 0 is for ever.
	Lifetime time.Duration
	// Admission is asked about every write of objects; nil: nobody is.
	Admission *admission.Chain
}

// Written is the version in which objects of a resource are put into the database, while that is
// not the storage version.
type Written = canonical.Written

// Schemas are the fields of all kinds of a server, as apply patches need them (Options.Schemas).
// They may be used by any goroutine, and for any number of resources.
type Schemas = ownership.Schemas

// NewSchemas takes the OpenAPI v3 schemas of each version: a JSON object from model name to schema,
// which has all models that it refers to. Each kind of a version must be among them, with its
// x-kubernetes-group-version-kind. The map must not be modified.
func NewSchemas(openAPI map[schema.GroupVersion]string) *Schemas { return ownership.New(openAPI) }
