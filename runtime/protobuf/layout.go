package protobuf

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// The ways to read a field.
const (
	noWay = iota // there is no such field
	textWay
	textPointerWay
	textsWay
	bytesWay
	wordWay // numbers are written into memory by their size
	halfWay
	boolWay
	wordPointerWay
	halfPointerWay
	boolPointerWay
	numbersWay // a list, packed or not
	messageWay
	pointerWay  // to a message
	itemsWay    // messages
	pointersWay // to messages, a list
	entryWay    // of a map
)

// fieldLayout is where a field of a message is in the Go struct, and how it is read.
type fieldLayout struct {
	offset uint32
	form   fieldForm
	of     *Layout // of what it holds, except for strings and single numbers
}

// fieldForm is a way to read a field, and in the lowest bits the wire type that it is written with.
type fieldForm uint16

func (f fieldForm) way() uint8  { return uint8(f >> 4) }
func (f fieldForm) wire() uint8 { return uint8(f & 0xf) }

// unknownField is a field that there is not: nothing is written like that.
var unknownField = fieldLayout{form: noWay<<4 | 0xf}

// Layout is how values of a type are made and read. From the first reading on it does not change.
// What is needed for each value comes first, so that it is close together.
type Layout struct {
	fields  []fieldLayout              // by number
	alloc   func(n int) unsafe.Pointer // that many empty values
	size    uintptr                    // of a value
	Slab    int32                      // the number of the slab that values come from; 0 is none
	plain   bool                       // it is read by its fields and nothing else
	Cycle   bool                       // it can hold itself
	seconds bool                       // it begins with a time.Time
	Object  bool                       // how many values of other types it needs is remembered
	far     map[int32]*fieldLayout     // whose numbers are too large for fields
	entries *mapEntries                // of a map
	of      *Layout                    // what is read once empty has made it
	number  int32                      // of the type, for arenas

	body  func(to unsafe.Pointer, body []byte, shared bool) error // reads what is no message to this package
	empty func(to unsafe.Pointer)                                 // makes a slice or map that is not nil
	add   func(list unsafe.Pointer, number uint64)                // adds a number to a list

	goType reflect.Type
	built  bool           // guarded by building
	base   unsafe.Pointer // the value that fields were shown in
	ready  atomic.Bool    // what it holds is built, too
	needs  []need         // of an object
}

// Type is a Layout whose Go type the compiler knows.
type Type[T any] struct{ Layout Layout }

// building is held while types are built, each of which gets another number.
var (
	building   sync.Mutex
	lastNumber int32 = StringSlab
)

// Read adds to m what data says. The type is built when it is needed for the first time.
func Read[T any](r *Reader, t *Type[T], build func(), data []byte, m *T) {
	r.read(&t.Layout, build, data, unsafe.Pointer(m))
}

func (r *Reader) read(t *Layout, build func(), data []byte, m unsafe.Pointer) {
	if !t.ready.Load() {
		t.prepare(build, len(r.Slabs))
	}
	r.needs = t.needs
	r.inside(t, m, data, 0)
	if t.Object {
		r.remember()
	}
}

func (t *Layout) prepare(build func(), slabs int) {
	building.Lock()
	defer building.Unlock()
	if build(); t.Object && t.needs == nil {
		t.needs = make([]need, slabs)
	}
	t.ready.Store(true)
}

// Begin starts to build the type of a message. It returns a value to show the fields in; nil if
// there is nothing more to do.
func Begin[T any](t *Type[T]) *T {
	if t.Layout.built {
		return nil
	}
	m := new(T)
	t.Layout.begin(reflect.TypeFor[T](), newValues[T])
	t.Layout.base, t.Layout.plain = unsafe.Pointer(m), !t.Layout.Cycle
	return m
}

// With builds a type that a function reads.
func With[T any](t *Type[T], read func(to *T, body []byte, shared bool) error) *Type[T] {
	if !t.Layout.built {
		t.Layout.begin(reflect.TypeFor[T](), newValues[T])
		t.Layout.body = func(to unsafe.Pointer, body []byte, shared bool) error { return read((*T)(to), body, shared) }
	}
	return t
}

// OrEmpty is a slice or map that is not nil after it was read.
func OrEmpty[T any](of *Type[T], value func() T) *Type[T] {
	t := new(Type[T])
	t.Layout.begin(reflect.TypeFor[T](), newValues[T])
	t.Layout.of = &of.Layout
	t.Layout.empty = func(to unsafe.Pointer) { *(*T)(to) = value() }
	return t
}

func newValues[T any](n int) unsafe.Pointer {
	if n == 1 {
		return unsafe.Pointer(new(T))
	}
	return unsafe.Pointer(unsafe.SliceData(make([]T, n)))
}

//go:noinline
func (t *Layout) begin(goType reflect.Type, alloc func(int) unsafe.Pointer) {
	t.built, t.goType, t.size, t.alloc = true, goType, goType.Size(), alloc
	lastNumber++
	t.number = lastNumber
}

// field adds a field to the type of a message that is being built.
//
//go:noinline
func (t *Layout) field(number int, at unsafe.Pointer, form fieldForm, of *Layout) {
	f := fieldLayout{offset: uint32(uintptr(at) - uintptr(t.base)), form: form, of: of}
	if number >= 64+2*len(t.fields) {
		if t.far == nil {
			t.far = map[int32]*fieldLayout{}
		}
		t.far[int32(number)] = &f
		return
	}
	for len(t.fields) <= number {
		t.fields = append(t.fields, unknownField)
	}
	t.fields[number] = f
}

// find is a field that is not in fields.
func (t *Layout) find(number uint64) *fieldLayout {
	if f := t.far[int32(number)]; f != nil {
		return f
	}
	return &unknownField
}

// nameOf is what the Go struct calls a field.
func (t *Layout) nameOf(f *fieldLayout) string {
	if t.goType.Kind() == reflect.Struct {
		for i := range t.goType.NumField() {
			if field := t.goType.Field(i); field.Offset == uintptr(f.offset) && field.Type.Size() > 0 {
				return field.Name
			}
		}
	}
	return "Items"
}

// more adds an empty item to a list that has some, or room for some, and makes room for n.
func (t *Layout) more(list unsafe.Pointer, n int) unsafe.Pointer {
	items := reflect.NewAt(reflect.SliceOf(t.goType), list).Elem()
	last := items.Len()
	if last == items.Cap() {
		items.Grow(n)
	}
	items.SetLen(last + 1)
	items.Index(last).SetZero()
	return items.Index(last).Addr().UnsafePointer()
}
