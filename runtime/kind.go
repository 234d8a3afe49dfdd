package runtime

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/runtime/transcode"
	"github.com/typeplane/typeplane/runtime/wire"
)

// hub is one hub type and its versions, the best version first once it is built.
type hub struct {
	groupKind schema.GroupKind
	goType    reflect.Type
	new       func() Object
	kinds     []*Kind
}

// version is the version that is the hub itself; nil if none is.
func (h *hub) version() *Kind {
	for _, k := range h.kinds {
		if k.goType == h.goType {
			return k
		}
	}
	return nil
}

// Kind is one kind in one version. It is immutable, except for a size that it remembers; every
// method may be called from any goroutine.
//
// None of the methods reads or sets TypeMeta: that is for whoever encodes. An object of another Go
// type than the kind's is a mistake of the program, and panics.
type Kind struct {
	gvk         schema.GroupVersionKind
	hub         *hub
	goType      reflect.Type
	new         func() Object
	newList     func() apiruntime.Object
	setDefaults func(Object)
	toHub       func(in, out Object) error // nil when the version is the hub
	fromHub     func(in, out Object) error
	sameJSON    bool // toHub and fromHub are byJSON
	deprecated  string
	// documentDefaults, nullableMembers and openMembers are those of Version.
	documentDefaults map[string]string
	nullableMembers  map[string]bool
	openMembers      map[string]bool
	selectable       func(Object) map[string]string
	// storedFields says where in the bytes is what selectable returns; nil if nobody knows.
	storedFields wire.Fields
	validate     func(ctx context.Context, op operation.Operation, obj, old Object) field.ErrorList
	ownRulesOnly bool
	columns      []metav1.TableColumnDefinition
	cells        func(Object) []any // one for each of columns
	paths        []string           // likewise; nil if nobody knows
	storedCells  *transcode.Cells   // nil: an object has to be decoded for its cells
	scale        func(Object) Scale // nil without a scale subresource, as setReplicas is
	setReplicas  func(Object, int32)

	functions
	jsonSize    atomic.Int64 // of the last object that AppendJSON made a slice for
	fieldLabels map[string]bool
	protobuf    bool
	statusField int32
}

// GroupVersionKind returns the kind's name.
func (k *Kind) GroupVersionKind() schema.GroupVersionKind { return k.gvk }

// Hub returns the name of the hub.
func (k *Kind) Hub() schema.GroupKind { return k.hub.groupKind }

// ListKind returns the name of the kind's list.
func (k *Kind) ListKind() schema.GroupVersionKind {
	return k.gvk.GroupVersion().WithKind(k.gvk.Kind + "List")
}

// Deprecated is what clients of the kind are warned of; "" is nothing.
func (k *Kind) Deprecated() string { return k.deprecated }

// DocumentDefaults are those of Version. They must not be modified.
func (k *Kind) DocumentDefaults() map[string]string { return k.documentDefaults }

// NullableMembers are those of Version. They must not be modified.
func (k *Kind) NullableMembers() map[string]bool { return k.nullableMembers }

// OpenMembers are those of Version. They must not be modified.
func (k *Kind) OpenMembers() map[string]bool { return k.openMembers }

// New returns a fresh, empty object.
func (k *Kind) New() Object { return k.new() }

// NewList returns a fresh, empty list.
func (k *Kind) NewList() apiruntime.Object { return k.newList() }

// NewHub returns a fresh, empty object of the hub type.
func (k *Kind) NewHub() Object { return k.hub.new() }

// Defaults says whether this version has any.
func (k *Kind) Defaults() bool { return k.setDefaults != nil }

// Default fills in the defaults of this version, in place.
func (k *Kind) Default(obj Object) {
	if k.setDefaults != nil {
		k.setDefaults(obj)
	}
}

// ToHub converts an object of this version. It does not default. The result may share memory with
// obj, and is obj itself when this version is the hub. It never has the annotation
// LosslessAnnotation.
func (k *Kind) ToHub(obj Object) (Object, error) {
	if k.toHub == nil {
		strip(obj)
		return obj, nil
	}
	return k.toHubIn(obj, k.hub.new())
}

func (k *Kind) toHubIn(obj, out Object) (Object, error) {
	if err := k.toHub(obj, out); err != nil {
		return nil, fmt.Errorf("convert %s to its hub: %w", describe(k.gvk), err)
	}
	strip(out)
	return out, nil
}

// FromHub converts to this version. The result may share memory with hub, and is hub itself when
// this version is the hub.
func (k *Kind) FromHub(hub Object) (Object, error) {
	if k.fromHub == nil {
		return hub, nil
	}
	return k.fromHubIn(hub, k.new())
}

func (k *Kind) fromHubIn(hub, out Object) (Object, error) {
	if err := k.fromHub(hub, out); err != nil {
		return nil, fmt.Errorf("convert to %s from its hub: %w", describe(k.gvk), err)
	}
	return out, nil
}

// Spare is memory for objects that are converted one after the other to a kind. Each is good until
// the next one is converted. The zero Spare is empty. It belongs to one goroutine at a time.
type Spare struct{ hub, obj Object }

// ToHub is from.ToHub in this memory.
func (s *Spare) ToHub(from *Kind, obj Object) (Object, error) {
	if from.toHub == nil {
		return from.ToHub(obj)
	}
	s.hub = emptied(s.hub, from.hub.new)
	return from.toHubIn(obj, s.hub)
}

// FromHub is to.FromHub in this memory.
func (s *Spare) FromHub(to *Kind, hub Object) (Object, error) {
	if to.fromHub == nil {
		return hub, nil
	}
	s.obj = emptied(s.obj, to.new)
	return to.fromHubIn(hub, s.obj)
}

// emptied returns obj as new would return it.
func emptied(obj Object, new func() Object) Object {
	if obj == nil {
		return new()
	}
	reflect.ValueOf(obj).Elem().SetZero()
	return obj
}

// SharesJSON says whether objects of the kind and of other, a version of the same hub, are one in
// JSON, except for fields that only one of them has.
func (k *Kind) SharesJSON(other *Kind) bool {
	byName := func(k *Kind) bool { return k.sameJSON || k.toHub == nil }
	return k == other || byName(k) && byName(other)
}

// ConvertsInGo says whether functions convert the kind to its hub: it neither is the hub, nor
// converts by its JSON.
func (k *Kind) ConvertsInGo() bool { return k.toHub != nil && !k.sameJSON }

// Columns returns what a Table shows of the kind besides the name; see Version.Columns. It must not
// be modified.
func (k *Kind) Columns() []metav1.TableColumnDefinition { return k.columns }

// Cells returns one cell for each of Columns.
func (k *Kind) Cells(obj Object) []any {
	if k.cells == nil {
		return nil
	}
	return k.cells(obj)
}

// StoredCells appends what Cells returns from the message of an object, as JSON. nil: the object
// has to be decoded.
func (k *Kind) StoredCells() *transcode.Cells { return k.storedCells }

// Protobuf says whether the objects of this version are of type Protobuf.
func (k *Kind) Protobuf() bool { return k.protobuf }

// StatusField is the number of the field "status" in the protobuf message, 0 if there is none.
func (k *Kind) StatusField() int32 { return k.statusField }

func describe(gvk schema.GroupVersionKind) string {
	return gvk.Kind + " in " + gvk.GroupVersion().String()
}
