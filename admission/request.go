package admission

import (
	"context"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
)

// Operation is what a request does. The values are those of AdmissionReview.
type Operation string

const (
	Create  Operation = "CREATE"
	Update  Operation = "UPDATE"
	Delete  Operation = "DELETE"
	Connect Operation = "CONNECT"
)

// Request is a write as plug-ins see it. It is for one goroutine. A write is judged again when
// another writer comes first, each time with a Request of its own.
type Request struct {
	Operation Operation
	// Resource and Subresource are what the client asked for, Kind what it sent, in the version in
	// which it did.
	Resource    schema.GroupVersionResource
	Subresource string
	Kind        schema.GroupVersionKind
	// Namespace is "" for what is in no namespace. Name is "" before a name is made of
	// generateName, and for a write that is of no single object.
	Namespace, Name string

	// Object is what is to be stored, of the hub's type. It belongs to the request: Mutate may
	// change it, or put another of the same type in its place. It is nil when an object is deleted.
	// For a Connect it is the options.
	Object apiruntime.Object
	// Old is what is stored, of the hub's type; nil for a new object. It must not be modified.
	Old apiruntime.Object

	// Options are those of the request: a *metav1.CreateOptions, for example. They must not be
	// modified.
	Options apiruntime.Object
	// DryRun says that nothing will be stored: whoever has effects outside leaves them out.
	DryRun bool

	// Codec knows the versions of Object and Old.
	Codec Codec
	// Notes takes warnings for the client and annotations for the audit log; nil takes none.
	Notes *rest.Notes
	// Attempt is the attempt that Transact is asked for.
	Attempt *Attempt

	// Again is set in Mutate by whoever has made a change that those before it should see: all
	// plug-ins mutate a second time.
	Again bool

	second mutation // of the plug-in that is asked
}

// mutation is a Mutate.
type mutation func(context.Context, *Request) error

// Second says what the plug-in that is asked does in a second round, in the place of its Mutate. It
// is for what a plug-in has to remember of the first.
func (r *Request) Second(mutate func(context.Context, *Request) error) { r.second = mutate }

// Codec turns objects of a request into what clients see of them, and back.
type Codec interface {
	// Versions are those in which the object is served, the one of the request first.
	Versions() []Version
	// Encode makes JSON of obj, an Object or Old, in a version.
	Encode(obj apiruntime.Object, version Version) ([]byte, error)
	// Decode makes an Object, with its defaults, of the JSON of a version.
	Decode(data []byte, version Version) (apiruntime.Object, error)
	// Merge returns the JSON of an object of a version with what an apply configuration of that
	// version says: a tree of what encoding/json reads, but that integers are int64. It is merged
	// as a server-side apply merges it, by the schema of the kind, but nobody owns anything by it.
	// A list or map that is owned as a whole is refused, and so is a field that there is not.
	Merge(data []byte, applied map[string]any, version Version) ([]byte, error)
}

// Version is a resource in a version.
type Version struct {
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind
}
