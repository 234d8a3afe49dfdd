package registry

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	// ValidateStatusUpdate says what is wrong with a write of the status subresource. obj is old with another status; what
	// ValidateUpdate and Validate say is not asked. It modifies nothing.
	ValidateStatusUpdate func(ctx context.Context, obj, old T) field.ErrorList
	// ValidationOptions says which options the rules in the markers of the kind's types are judged with, true for those
	// that are on (see +k8s:ifEnabled); a rule that names one which is not there fails. old is nil for a new object. nil:
	// there are none.
	ValidationOptions func(ctx context.Context, obj, old T) map[string]bool
	// ValidateName says what is wrong with a name; prefix means that it is a generateName, to which something will be
	// added. nil: names are DNS subdomains.
	ValidateName func(name string, prefix bool) []string

	// Canonicalize brings a valid object into the one form in which it is stored, like sorting a set.
	Canonicalize func(obj T)

	// Held says that an object which is being deleted stays, although it has no metadata.finalizers any more: something in
	// the object itself keeps it, as the spec.finalizers of a namespace do. It modifies nothing. nil: nothing does.
	Held func(obj T) bool
	// PrepareForDelete changes an object that is marked as being deleted, because it can't be removed yet. Its metadata
	// says so already.
	PrepareForDelete func(obj T)
	// Finalize copies what Held looks at from an object into another one, which may then share its memory. Where it is
	// set, the kind has the subresource finalize, which writes that and nothing else.
	Finalize func(from, to T)

	// HasGeneration says whether metadata.generation counts the changes of the spec. nil: it does. Some kinds of Kubernetes
	// have none.
	HasGeneration func() bool
	// AllowUnconditionalUpdate says whether an update may leave the resourceVersion out. nil: it may.
	AllowUnconditionalUpdate func() bool
	// AllowCreateOnUpdate says whether an update of an object that does not exist creates it. nil: it does not.
	AllowCreateOnUpdate func() bool

	// Columns and Cells say what kubectl get shows of an object in every version, besides its name; they are for what
	// the marker +kubebuilder:printcolumn can't express, like "2/3". Columns are in the order of the table, and one with
	// a priority above 0 is for -o wide. One called Name, with the format name, is the name in another place. Cells returns one cell for each, also of an empty object: a string, a bool, an
	// int64, a float64, nil for what is not known, or a metav1.Time, which is shown as the time since then. It modifies
	// nothing. Both are set or none.
	Columns func() []metav1.TableColumnDefinition
	Cells   func(obj T) []any
}
