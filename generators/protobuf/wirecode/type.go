//lint:file-ignore U1000 the functions are printed, not called

package wirecode

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// The ways to read a field.
const (
	noWayGenerated = iota // there is no such field
	textWayGenerated
	textPointerWayGenerated
	textsWayGenerated
	bytesWayGenerated
	wordWayGenerated // numbers are written into memory by their size
	halfWayGenerated
	boolWayGenerated
	wordPointerWayGenerated
	halfPointerWayGenerated
	boolPointerWayGenerated
	numbersWayGenerated // a list, packed or not
	messageWayGenerated
	pointerWayGenerated  // to a message
	itemsWayGenerated    // messages
	pointersWayGenerated // to messages, a list
	entryWayGenerated    // of a map
)

// fieldGenerated is where a field of a message is in the Go struct, and how it is read.
type fieldGenerated struct {
	offset uint32
	form   formGenerated
	of     *typeGenerated // of what it holds, except for strings and single numbers
}

// formGenerated is a way to read a field, and in the lowest bits the wire type that it is written with.
type formGenerated uint16

func (f formGenerated) way() uint8  { return uint8(f >> 4) }
func (f formGenerated) wire() uint8 { return uint8(f & 0xf) }

// unknownGenerated is a field that there is not: nothing is written like that.
var unknownGenerated = fieldGenerated{form: noWayGenerated<<4 | 0xf}

// typeGenerated is how values of a type are made and read. From the first reading on it does not change. What is needed
// for each value comes first, so that it is close together.
type typeGenerated struct {
	fields  []fieldGenerated           // by number
	alloc   func(n int) unsafe.Pointer // that many empty values
	size    uintptr                    // of a value
	slab    int32                      // the number of the slab that values come from; 0 is none
	plain   bool                       // it is read by its fields and nothing else
	cycle   bool                       // it can hold itself
	seconds bool                       // it begins with a time.Time
	object  bool                       // how many values of other types it needs is remembered
	far     map[int32]*fieldGenerated  // whose numbers are too large for fields
	entries *entriesGenerated          // of a map
	of      *typeGenerated             // what is read once empty has made it
	number  int32                      // of the type, for arenas

	body  func(to unsafe.Pointer, body []byte, shared bool) error // reads what is no message to this package
	empty func(to unsafe.Pointer)                                 // makes a slice or map that is not nil
	add   func(list unsafe.Pointer, number uint64)                // adds a number to a list

	goType reflect.Type
	built  bool            // guarded by buildingGenerated
	base   unsafe.Pointer  // the value that fields were shown in
	ready  atomic.Bool     // what it holds is built, too
	needs  []needGenerated // of an object
}

// typeOfGenerated is a typeGenerated whose Go type the compiler knows.
type typeOfGenerated[T any] struct{ typeGenerated }

// buildingGenerated is held while types are built, each of which gets another number.
var (
	buildingGenerated sync.Mutex
	typesGenerated    int32 = stringSlabGenerated
)

// readGenerated adds to m what data says. The type is built when it is needed for the first time.
func readGenerated[T any](r *readerGenerated, t *typeOfGenerated[T], build func(), data []byte, m *T) {
	r.read(&t.typeGenerated, build, data, unsafe.Pointer(m))
}

func (r *readerGenerated) read(t *typeGenerated, build func(), data []byte, m unsafe.Pointer) {
	if !t.ready.Load() {
		t.prepare(build, len(r.slabs))
	}
	r.needs = t.needs
	r.inside(t, m, data, 0)
	if t.object {
		r.remember()
	}
}

func (t *typeGenerated) prepare(build func(), slabs int) {
	buildingGenerated.Lock()
	defer buildingGenerated.Unlock()
	if build(); t.object && t.needs == nil {
		t.needs = make([]needGenerated, slabs)
	}
	t.ready.Store(true)
}

// beginGenerated starts to build the type of a message. It returns a value to show the fields in; nil if there is nothing
// more to do.
func beginGenerated[T any](t *typeOfGenerated[T]) *T {
	if t.built {
		return nil
	}
	m := new(T)
	t.begin(reflect.TypeFor[T](), allocGenerated[T])
	t.base, t.plain = unsafe.Pointer(m), !t.cycle
	return m
}

// withGenerated builds a type that a function reads.
func withGenerated[T any](t *typeOfGenerated[T], read func(to *T, body []byte, shared bool) error) *typeOfGenerated[T] {
	if !t.built {
		t.begin(reflect.TypeFor[T](), allocGenerated[T])
		t.body = func(to unsafe.Pointer, body []byte, shared bool) error { return read((*T)(to), body, shared) }
	}
	return t
}

// orEmptyGenerated is a slice or map that is not nil after it was read.
func orEmptyGenerated[T any](of *typeOfGenerated[T], value func() T) *typeOfGenerated[T] {
	t := new(typeOfGenerated[T])
	t.begin(reflect.TypeFor[T](), allocGenerated[T])
	t.of = &of.typeGenerated
	t.empty = func(to unsafe.Pointer) { *(*T)(to) = value() }
	return t
}

func allocGenerated[T any](n int) unsafe.Pointer {
	if n == 1 {
		return unsafe.Pointer(new(T))
	}
	return unsafe.Pointer(unsafe.SliceData(make([]T, n)))
}

//go:noinline
func (t *typeGenerated) begin(goType reflect.Type, alloc func(int) unsafe.Pointer) {
	t.built, t.goType, t.size, t.alloc = true, goType, goType.Size(), alloc
	typesGenerated++
	t.number = typesGenerated
}

// field adds a field to the type of a message that is being built.
//
//go:noinline
func (t *typeGenerated) field(number int, at unsafe.Pointer, form formGenerated, of *typeGenerated) {
	f := fieldGenerated{offset: uint32(uintptr(at) - uintptr(t.base)), form: form, of: of}
	if number >= 64+2*len(t.fields) {
		if t.far == nil {
			t.far = map[int32]*fieldGenerated{}
		}
		t.far[int32(number)] = &f
		return
	}
	for len(t.fields) <= number {
		t.fields = append(t.fields, unknownGenerated)
	}
	t.fields[number] = f
}

// find is a field that is not in fields.
func (t *typeGenerated) find(number uint64) *fieldGenerated {
	if f := t.far[int32(number)]; f != nil {
		return f
	}
	return &unknownGenerated
}

// nameOf is what the Go struct calls a field.
func (t *typeGenerated) nameOf(f *fieldGenerated) string {
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
func (t *typeGenerated) more(list unsafe.Pointer, n int) unsafe.Pointer {
	items := reflect.NewAt(reflect.SliceOf(t.goType), list).Elem()
	last := items.Len()
	if last == items.Cap() {
		items.Grow(n)
	}
	items.SetLen(last + 1)
	items.Index(last).SetZero()
	return items.Index(last).Addr().UnsafePointer()
}
