// Package rest is what the HTTP layer sees of a resource: its names, and one small interface for
// each verb.
//
// A Resource is data. A nil verb is one that the resource does not have. The server answers 405 and
// leaves it out of discovery. No code asks a value what else it might be able to do. A verb does
// not return a struct but a View or a Stream. These write themselves in the form that the client
// asked for, so bytes that are already in that form need no decoding.
//
// Every error that a verb returns is an API status error (k8s.io/apimachinery/pkg/api/errors) or an
// error of the context. Start reading at Resource; the implementation is package registry.
package rest

import (
	"context"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Resource is one resource in one version, as it is served. It is not modified once it is handed to
// a server.
type Resource struct {
	// GroupVersion is where the resource is served; Kind and ListKind are its kinds there.
	GroupVersion schema.GroupVersion
	Kind         string
	ListKind     string
	// Name is the plural in the path ("books"), Singular what users may type for one ("book").
	Name       string
	Singular   string
	ShortNames []string
	Categories []string
	Namespaced bool
	// Subresource is the last segment of the path ("status", "scale"), "" for the resource itself.
	// A subresource is a Resource of its own, with the names of the resource that it belongs to.
	Subresource string
	// BodyKind is the kind of what is sent and received when that is not Kind in GroupVersion: for
	// scale it is Scale of autoscaling/v1.
	BodyKind schema.GroupVersionKind
	// NewBody makes an empty object of BodyKind, to be decoded into; nil when what is received is
	// of Kind.
	NewBody func() Body
	// BodyOptional says that a POST without a body is one with an empty object.
	BodyOptional bool
	// AnswerKind is the kind of what is received when that is another one than of what is sent;
	// zero: it is the same.
	AnswerKind schema.GroupVersionKind
	// Documents says that the objects have no protobuf: they are sent and received as JSON and YAML
	// only, and more of a Document than the Go value may be kept.
	Documents bool
	// Texts says that Create and Update take a Document where an object was sent as JSON or YAML,
	// as they always do of Documents.
	Texts bool
	// Misread is the status of an object whose JSON could not be read, with each value that is of
	// another type than its field; nil: there is none. strict says that it is refused for its
	// unknown fields before. It is for Documents.
	Misread func(text []byte, strict bool) error
	// Deprecated is a warning for every answer; "" is none.
	Deprecated string
	// StorageVersion is the version that the stored objects have, for the hash in discovery.
	StorageVersion schema.GroupVersion

	// Ends says when an object ends by itself, if it does. view is what a verb of the resource has
	// returned of it. nil: none does.
	Ends func(view View) (at time.Time, ends bool, err error)

	// Weigh guesses what a list of a namespace is made of, "" for all namespaces: how many objects,
	// of how many bytes together. It reads memory only. ok is false where that is not known. nil: a
	// list costs as much as an object.
	Weigh func(namespace string) (objects, bytes int64, ok bool)

	Get    Getter
	List   Lister
	Watch  Watcher
	Create Creator
	Update Updater
	Delete Deleter
	Patch  Patcher
	// PatchTypes are those that Patch takes, the preferred one first.
	PatchTypes       []types.PatchType
	DeleteCollection CollectionDeleter

	// Connect answers requests with ConnectMethods ("GET", "POST", …), in place of the verbs above;
	// only a subresource has it, and then nothing else. ConnectParameters are its options.
	// ConnectBelow says that it answers requests to all paths below its own, too.
	Connect           Connector
	ConnectMethods    []string
	ConnectParameters []QueryParameter
	ConnectBelow      bool
}

// FullName is the name with that of the subresource: "books", "books/status".
func (r *Resource) FullName() string {
	if r.Subresource == "" {
		return r.Name
	}
	return r.Name + "/" + r.Subresource
}

// SentKind is the kind of what is sent to the resource.
func (r *Resource) SentKind() schema.GroupVersionKind {
	if r.BodyKind.Empty() {
		return r.GroupVersion.WithKind(r.Kind)
	}
	return r.BodyKind
}

// ReceivedKind is the kind of what is received from the resource.
func (r *Resource) ReceivedKind() schema.GroupVersionKind {
	if r.AnswerKind.Empty() {
		return r.SentKind()
	}
	return r.AnswerKind
}

// Body is an object that a client sends.
type Body interface {
	apiruntime.Object
	metav1.Object
}

// Document is an object with the JSON that it was read from.
type Document struct {
	Body
	JSON []byte
}

// Name says which object a request is about. Namespace is "" for cluster-scoped kinds and for
// requests over all namespaces.
type Name struct {
	Namespace string
	Name      string
}

// Getter reads one object.
type Getter interface {
	Get(ctx context.Context, name Name, opts metav1.GetOptions) (View, error)
}

// Lister reads a collection. name.Name is "" .
type Lister interface {
	List(ctx context.Context, namespace string, opts metav1.ListOptions) (View, error)
}

// Watcher follows a collection. opts have passed the validation of package server.
type Watcher interface {
	Watch(ctx context.Context, namespace string, opts metav1.ListOptions) (Stream, error)
}

// Creator stores a new object. obj is of the resource's version, decoded and not yet defaulted; the
// Creator owns it.
type Creator interface {
	Create(ctx context.Context, req *Request, name Name, obj Body, opts metav1.CreateOptions) (View, error)
}

// Updater replaces an object. obj is as for Creator. created says that the object was not there
// before.
type Updater interface {
	Update(ctx context.Context, req *Request, name Name, obj Body, opts metav1.UpdateOptions) (view View, created bool, err error)
}

// Deleter removes an object, or marks it as being deleted when finalizers keep it; then the view is
// the object, else it is a Status with the object's uid.
type Deleter interface {
	Delete(ctx context.Context, req *Request, name Name, opts metav1.DeleteOptions) (View, error)
}

// Patch is a change as the client sent it. It is data, not a function: the registry applies it to
// the current object, again for each attempt.
type Patch struct {
	Type types.PatchType
	// Bytes is the patch: JSON, or for an apply patch YAML.
	Bytes []byte
}

// Patcher changes a part of an object. created says that an apply patch made it.
type Patcher interface {
	Patch(ctx context.Context, req *Request, name Name, patch Patch, opts metav1.PatchOptions) (view View, created bool, err error)
}

// CollectionDeleter deletes, one by one, what a list with the same options would return, and
// answers with that list.
type CollectionDeleter interface {
	DeleteCollection(ctx context.Context, req *Request, namespace string, opts metav1.DeleteOptions, list metav1.ListOptions) (View, error)
}

// MediaType is a form on the wire.
type MediaType string

const (
	JSON     MediaType = "application/json"
	YAML     MediaType = "application/yaml"
	Protobuf MediaType = "application/vnd.kubernetes.protobuf"
)

// Representation is how a client wants an answer. The version is that of the Resource which made
// the View.
type Representation struct {
	MediaType MediaType
	// Pretty indents JSON.
	Pretty bool
	// As turns the answer into something else than the object.
	As Transform
	// AsVersion is the version of meta.k8s.io that the answer is turned into: "" is v1. v1beta1 has
	// the same fields.
	AsVersion string
	// IncludeObject says what is in the rows of a Table: metav1.IncludeMetadata if it is "".
	IncludeObject metav1.IncludeObjectPolicy
	// NoHeaders leaves the column definitions out of a Table: a stream has them in its first event
	// only.
	NoHeaders bool
}

// Transform is a kind of meta.k8s.io that a client may ask for in place of an object or a list.
type Transform string

const (
	// AsObject is the object itself.
	AsObject Transform = ""
	// AsTable is what kubectl prints.
	AsTable Transform = "Table"
	// AsPartialObjectMetadata is the metadata alone; for a list it is a PartialObjectMetadataList.
	AsPartialObjectMetadata Transform = "PartialObjectMetadata"
)

// View is an answer that can write itself in any Form, more than once. It may share bytes with the
// store. Protobuf has its envelope, JSON ends with a newline.
type View interface {
	WriteTo(w io.Writer, rep Representation) error
}

// EventType is the type of a watch event on the wire.
type EventType string

const (
	Added    EventType = "ADDED"
	Modified EventType = "MODIFIED"
	Deleted  EventType = "DELETED"
	Bookmark EventType = "BOOKMARK"
	Error    EventType = "ERROR"
)

// Event is one watch event. Object writes the object alone; framing is the server's.
type Event struct {
	Type   EventType
	Object View
	// Frames keeps the event as it is sent, for all streams that send it; nil: nothing does.
	Frames Frames
}

// Frames keeps one event as it is sent: with what is around the object.
type Frames interface {
	// Frame returns what make does, or what it has returned for another stream that shows the same
	// in the same representation. Nobody may modify it.
	Frame(rep Representation, make func() ([]byte, error)) ([]byte, error)
}

// Stream is a watch that runs. Only one goroutine may use it; Close may be called from any.
type Stream interface {
	// Next waits for events and returns at least one; the slice is good until the next call. An
	// event of type Error is the last one: after it Next returns io.EOF, as it does when ctx ends
	// or the stream is closed.
	Next(ctx context.Context) ([]Event, error)
	Close()
}

// A BeginningStream is a Stream that knows when what was there at its start has been returned.
// Until then a watch counts like a list, if its stream is one.
type BeginningStream interface {
	Stream
	// Beginning says that Next will return at once, with more of what was there. It is called by
	// who calls Next.
	Beginning() bool
}
