package registry

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/runtime"
)

// Strategy is what is special about a kind. Every field may be nil. T is the hub type, a pointer.
//
// The functions may be called from any goroutine. For one request they may be called several times, when another
// writer comes first, each time with fresh objects; so they must have no effect outside of their arguments.
type Strategy[T runtime.Object] struct {
	// PrepareForCreate changes an object before it is validated, like clearing a status that clients may not set. The
	// metadata is filled in already.
	PrepareForCreate func(ctx context.Context, obj T)
	// PrepareForUpdate does so for an update; old is the object as it is stored and must not be modified.
	PrepareForUpdate func(ctx context.Context, obj, old T)

	// Validate says what is wrong with a new object, besides its metadata. It modifies nothing.
	Validate func(ctx context.Context, obj T) field.ErrorList
	// ValidateUpdate says what is wrong with an update, besides the metadata: with the new object, and with the change.
	// When it is nil, Validate judges the new object. It modifies nothing.
	ValidateUpdate func(ctx context.Context, obj, old T) field.ErrorList
	// ValidateName says what is wrong with a name; prefix means that it is a generateName, to which something will be
	// added. nil: names are DNS subdomains.
	ValidateName func(name string, prefix bool) []string

	// Canonicalize brings a valid object into the one form in which it is stored, like sorting a set.
	Canonicalize func(obj T)

	// AllowUnconditionalUpdate says whether an update may leave the resourceVersion out. nil: it may.
	AllowUnconditionalUpdate func() bool
	// AllowCreateOnUpdate says whether an update of an object that does not exist creates it. nil: it does not.
	AllowCreateOnUpdate func() bool
}
