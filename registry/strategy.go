package registry

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/runtime"
)

// Strategy is what is special about a kind. Every field may be nil. T is the hub type, a pointer.
//
// What is constant is a value. The functions may be called from any goroutine. For one request they
// may be called several times, when another writer comes first, each time with fresh objects; so
// they must have no effect outside of their arguments. AfterCreate, AfterUpdate and AfterDelete
// alone are called once. docs/strategies.md lists all of them in the order of a request.
type Strategy[T runtime.Object] struct {
	// PrepareForCreate changes an object before it is validated, like clearing a status that
	// clients may not set. The metadata is filled in already.
	PrepareForCreate func(ctx context.Context, obj T)
	// PrepareForUpdate does so for an update; old is the object as it is stored and must not be
	// modified.
	PrepareForUpdate func(ctx context.Context, obj, old T)

	// Validate says what is wrong with a new object, besides its metadata. It modifies nothing.
	Validate func(ctx context.Context, obj T) field.ErrorList
	// ValidateUpdate says what is wrong with an update, besides the metadata: with the new object,
	// and with the change. When it is nil, Validate judges the new object. It modifies nothing.
	ValidateUpdate func(ctx context.Context, obj, old T) field.ErrorList
	// ValidationOptions says which options the rules in the markers of the kind's types are judged
	// with. It is true for those that are on (see +k8s:ifEnabled). A rule that names an option
	// which is not there fails. old is nil for a new object. nil: there are none.
	ValidationOptions func(ctx context.Context, obj, old T) map[string]bool
	// ValidateName says what is wrong with a name; prefix means that it is a generateName, to which
	// something will be added. nil: names are DNS subdomains.
	ValidateName func(name string, prefix bool) []string

	// WarningsOnCreate and WarningsOnUpdate say what is odd about a valid object and no error: a
	// field that is deprecated, a value that is probably not meant. Clients show each text to
	// people, so it is one line. They modify nothing. StatusUpdate has one for the status.
	WarningsOnCreate func(ctx context.Context, obj T) []string
	WarningsOnUpdate func(ctx context.Context, obj, old T) []string

	// Canonicalize brings a valid object into the one form in which it is stored, like sorting a
	// set.
	Canonicalize func(obj T)

	// AfterCreate, AfterUpdate and AfterDelete are told what was written, before the client is
	// answered. They are called once for each write that is known to have happened. They are not
	// called in a dry run, nor where nothing was changed. The object obj is as it is stored, with
	// its resourceVersion; one that is gone is as it was last. The object old is as it was before.
	// Both belong to the function. They can't undo anything. The server may die before they are
	// done, and another server may make the next write meanwhile, so what they do must bear that.
	// For what has to happen in the end, watch. An object that a Lifetime ends is gone without
	// AfterDelete. The marking of an object as being deleted is an update.
	AfterCreate func(ctx context.Context, obj T)
	AfterUpdate func(ctx context.Context, obj, old T)
	AfterDelete func(ctx context.Context, obj T)

	// Decorate changes what clients see of an object, wherever they see it: in the answer of any
	// verb, in lists, watches and tables. What is stored, selected by and patched is the object
	// without it. obj has its resourceVersion, which can't be changed, and belongs to the function.
	// Every answer has to be decoded and encoded for it.
	Decorate func(obj T)
	// ResetFields are JSON names with dots between them, like "spec.nodeName". A write to a
	// subresource ("" is the object itself) leaves these fields as they are, whatever the client
	// sends, because PrepareForCreate and PrepareForUpdate put them back. Nobody owns them by such
	// a write. The status of a kind with a status subresource is one without saying so.
	ResetFields map[string][]string

	// NoGeneration says that metadata.generation does not count the changes of the spec. Some kinds
	// of Kubernetes have none.
	NoGeneration bool
	// StatusOnCreate says that the status of a new object is what was sent, although it is a
	// subresource: for what its own agent makes, which knows its state. PrepareForCreate may change
	// it.
	StatusOnCreate bool
	// StatusMetadata says that a write of the status writes the labels, annotations, finalizers and
	// owners of the object, too, except for those that ResetFields names for it. Clients of the
	// older kinds of Kubernetes count on it: a kubelet annotates its node so, and the deployment
	// controller counts revisions.
	StatusMetadata bool
	// AllowUnconditionalUpdate lets an update leave out the resourceVersion, and overwrite whatever
	// is stored. nil: it may, except for kinds stored as documents. They are like custom resources.
	AllowUnconditionalUpdate *bool
	// AllowCreateOnUpdate says that an update of an object that does not exist creates it.
	AllowCreateOnUpdate bool
	// OrphansDependents says that what an object owns stays when it is deleted, if the client says
	// nothing. Jobs and replication controllers of Kubernetes are so, for clients of long ago.
	OrphansDependents bool

	// StatusUpdate is what is special about writes of the status subresource.
	StatusUpdate StatusUpdate[T]
	// Deletion is what is special about the end of an object.
	Deletion Deletion[T]

	// Columns and Cells say what kubectl get shows of an object in every version, besides its name;
	// they are for what the marker +kubebuilder:printcolumn can't express, like "2/3". Columns are
	// in the order of the table, and one with a priority above 0 is for -o wide. One called Name,
	// with the format name, is the name in another place. Cells returns one cell for each, also of
	// an empty object. A cell is a string, a bool, an int, int32 or int64, a float64, or nil for an
	// unknown value. A metav1.Time is shown as the time since then. It modifies nothing. Both are
	// set or none.
	Columns []metav1.TableColumnDefinition
	Cells   func(obj T) []any
}

// StatusUpdate is what is special about writes of the status of a kind. Every field may be nil.
type StatusUpdate[T runtime.Object] struct {
	// Prepare changes an object before it is validated: obj is old with another status. It sets
	// what follows from the change, like since when a phase lasts, and what clients leave out that
	// do not know it. old must not be modified.
	Prepare func(ctx context.Context, obj, old T)
	// Validate says what is wrong with the status. What ValidateUpdate and Validate of the Strategy
	// say is not asked. It modifies nothing.
	Validate func(ctx context.Context, obj, old T) field.ErrorList
	// Warnings say what is odd about a valid status, as WarningsOnUpdate do about the rest.
	Warnings func(ctx context.Context, obj, old T) []string
}

// Deletion is what is special about the end of an object of a kind. Every field may be nil.
type Deletion[T runtime.Object] struct {
	// CheckGracefulDelete says that an object is not removed at once when it is deleted. In
	// opts.GracePeriodSeconds it says for how long the object stays: what the client wants, or a
	// default where that is nil. The object gets its deletionTimestamp, for when the time is over,
	// and deletionGracePeriodSeconds. It stays until whoever looks after it deletes it with 0
	// seconds; another deletion can make the time shorter, never longer. With 0 seconds here it is
	// removed at once. obj is not modified. nil: nothing has a time of grace.
	CheckGracefulDelete func(ctx context.Context, obj T, opts *metav1.DeleteOptions) bool

	// Expires says when an object ends by itself; nil: it does not. Soon after that time it is
	// deleted, by a server whose program has a garbage collector (team.APIs or features.All).
	// It modifies nothing. nil: nothing ends by itself.
	Expires func(obj T) *metav1.Time

	// Held says that an object which is being deleted stays, although it has no metadata.finalizers
	// any more. Something in the object itself keeps it, as the spec.finalizers of a namespace do.
	// It modifies nothing. nil: nothing does.
	Held func(obj T) bool
	// PrepareForDelete changes an object that is marked as being deleted, because it can't be
	// removed yet. Its metadata says so already.
	PrepareForDelete func(obj T)
	// Finalize copies what Held looks at from an object into another one, which may then share its
	// memory. Where it is set, the kind has the subresource finalize, which writes that and nothing
	// else.
	Finalize func(from, to T)
}
