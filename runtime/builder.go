package runtime

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/runtime/fieldset"
	"github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/transcode"
	"github.com/typeplane/typeplane/runtime/wire"
)

// Builder collects the kinds of a server. Declarations never fail: Build reports everything that is
// wrong with them, together. A Builder belongs to one goroutine.
type Builder struct {
	hubs  []*hub
	kinds []*Kind
	omits []schema.GroupVersion
	built bool
}

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder { return &Builder{} }

// Omit leaves out of what is declared from now on whatever is in one of the versions, as if the
// program had never heard of it.
func (b *Builder) Omit(versions ...schema.GroupVersion) { b.omits = append(b.omits, versions...) }

// Hub is the declaration of one hub, to which AddVersion adds versions.
type Hub[H Object] struct {
	b *Builder
	h *hub
}

// AddHub declares the type H that all versions of a kind convert to and from. The group names the
// stored objects; versions may be in other groups too. new returns a fresh zero value.
func AddHub[H Object](b *Builder, gk schema.GroupKind, new func() H) *Hub[H] {
	h := &hub{groupKind: gk}
	if new != nil {
		h.new = func() Object { return new() }
	}
	b.hubs = append(b.hubs, h)
	return &Hub[H]{b: b, h: h}
}

// Version declares a kind in one version: the Go type V, and how it gets to the hub type H and
// back.
type Version[V, H Object] struct {
	// GroupVersion is where the kind is. Its name there is that of the hub.
	GroupVersion schema.GroupVersion
	// New returns a fresh zero value, NewList one of the list type (TypeMeta, ListMeta, Items).
	New     func() V
	NewList func() apiruntime.Object
	// Default fills the defaults of this version in, in place. nil: there are none.
	Default func(V)
	// ToHub and FromHub convert, and may leave memory shared between their arguments. Both are nil
	// when V is H, and with SameJSON.
	ToHub   func(V, H) error
	FromHub func(H, V) error
	// SameJSON says that the version converts to its hub and back by its JSON, as the versions of a
	// CustomResourceDefinition without a webhook do. The hub is a version too. Fields meet by their
	// names, and what the other type has no field for is dropped. Then there are no ToHub and
	// FromHub.
	SameJSON bool
	// SelectableFields returns the values of the fields that a field selector may name, besides
	// metadata.name and metadata.namespace. It returns the same keys for every object, also for an
	// empty one. nil: there are none.
	SelectableFields func(V) map[string]string
	// StoredFields says where each of SelectableFields is in the encoded message of an object, so
	// that a selector need not decode it. nil: it has to.
	StoredFields wire.Fields
	// Validate says what the rules of this version find wrong with an object, and, in an update,
	// with the change from old, which is nil for a new one. It modifies nothing. nil: there are no
	// rules.
	Validate func(ctx context.Context, op operation.Operation, path *field.Path, obj, old V) field.ErrorList
	// OwnRulesOnly says that what is written through this version is judged by its own rules, and
	// not by those of the version that is stored too.
	OwnRulesOnly bool
	// DocumentDefaults are the defaults of members that the Go value does not tell from none, or
	// prints in other words. They are JSON, by the struct's import path and name with that of the
	// member: "example.com/v1.Spec.name". They are for versions without protobuf, may be about
	// other types too, and are not modified.
	DocumentDefaults map[string]string
	// NullableMembers are those that may be null in a document, which are called as in
	// DocumentDefaults. Every other member that is null counts as not sent.
	NullableMembers map[string]bool
	// OpenMembers are those whose type is a RawExtension and that may be anything in a document.
	// All other RawExtensions are objects there.
	OpenMembers map[string]bool
	// Deprecated is what clients of the version are warned of in each answer; "": nothing.
	Deprecated string
	// The others are what gen prints beside the methods of the type, to do the same faster. nil:
	// the methods, or reflection, do it.
	//
	// AppendJSON appends an object as encoding/json writes it. ReadJSON reads an empty one as
	// sigs.k8s.io/json does, strictly.
	AppendJSON func(dst []byte, obj V) ([]byte, error)
	ReadJSON   func(r *json.Reader, obj V)
	// AppendProtobuf appends the message of an object; for a nil dst it makes a slice of just its
	// length. UnmarshalShared reads that of an empty one: its strings and sets of fields may be
	// parts of message, which never changes then; its slices of bytes are not. Recycler makes a
	// function that does the same with one object again and again: each is good until the next one
	// is read.
	AppendProtobuf  func(dst []byte, obj V) ([]byte, error)
	UnmarshalShared func(message []byte, obj V) error
	Recycler        func() func(message []byte) (V, error)
	// JSONTable says how the message of an object is written as JSON. nil: it is decoded.
	JSONTable *transcode.Message
	// DeepCopy returns a copy that shares nothing with the object.
	DeepCopy func(V) V
	// CompareFields tells which fields two objects differ in, for managedFields, and modifies
	// neither. It is for versions that have an OpenAPI schema. nil: the schema tells, which takes
	// much longer.
	CompareFields func(c *fieldset.Comparison, old, obj V)
	// Columns are the columns of a Table after the name, which is always the first column. Cells
	// returns one cell for each, in that order, of any object, also of an empty one. A cell is a
	// string, a bool, an int, int32 or int64, a float64, or nil for an unknown value. A metav1.Time
	// is shown as the time since then. Cells must not modify the object and may be called from any
	// goroutine. With neither of them a Table shows the age.
	Columns []metav1.TableColumnDefinition
	Cells   func(V) []any
	// Paths lead to what Cells returns, so that a Table need not decode an object. There is one for
	// each of Columns, like .spec.name, or "" for a cell that is always nil. With nil it decodes.
	Paths []string
	// Scale and SetReplicas read and write what the scale subresource is about. nil: the version
	// has none.
	Scale       func(V) Scale
	SetReplicas func(V, int32)
}

// AddVersion declares a version of the kind that h stands for.
func AddVersion[V, H Object](h *Hub[H], v Version[V, H]) {
	if slices.Contains(h.b.omits, v.GroupVersion) {
		return
	}
	k := &Kind{gvk: v.GroupVersion.WithKind(h.h.groupKind.Kind), hub: h.h, newList: v.NewList, functions: functionsOf(v), sameJSON: v.SameJSON}
	if v.New != nil {
		k.new = func() Object { return v.New() }
	}
	if v.Default != nil {
		k.setDefaults = func(obj Object) { v.Default(obj.(V)) }
	}
	if v.ToHub != nil {
		k.toHub = func(in, out Object) error { return v.ToHub(in.(V), out.(H)) }
	}
	if v.FromHub != nil {
		k.fromHub = func(in, out Object) error { return v.FromHub(in.(H), out.(V)) }
	}
	if v.SelectableFields != nil {
		k.selectable = func(obj Object) map[string]string { return v.SelectableFields(obj.(V)) }
	}
	k.validate, k.ownRulesOnly = validation(v.Validate), v.OwnRulesOnly
	k.deprecated, k.documentDefaults, k.nullableMembers = v.Deprecated, v.DocumentDefaults, v.NullableMembers
	k.openMembers = v.OpenMembers
	k.storedFields = maps.Clone(v.StoredFields)
	k.columns, k.paths = slices.Clone(v.Columns), slices.Clone(v.Paths)
	if v.Cells != nil {
		k.cells = func(obj Object) []any { return v.Cells(obj.(V)) }
	}
	if v.Scale != nil {
		k.scale = func(obj Object) Scale { return v.Scale(obj.(V)) }
	}
	if v.SetReplicas != nil {
		k.setReplicas = func(obj Object, replicas int32) { v.SetReplicas(obj.(V), replicas) }
	}
	h.b.kinds = append(h.b.kinds, k)
	h.h.kinds = append(h.h.kinds, k)
}

// Unscoped makes a conversion function of two arguments from a generated one, whose third argument
// (a conversion.Scope) is for hand-written conversions of another machinery and is passed as nil
// here.
func Unscoped[In, Out, S any](f func(In, Out, S) error) func(In, Out) error {
	return func(in In, out Out) error {
		var scope S
		return f(in, out, scope)
	}
}
