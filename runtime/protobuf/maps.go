package protobuf

import (
	"io"
	"math"
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// mapEntries is how entries of a map are read.
type mapEntries struct {
	key, value uint8   // the wire types
	of         *Layout // of values that are messages
	pointers   bool    // to messages

	put   func(to unsafe.Pointer, room int, key, value entryPart) error
	short func(to unsafe.Pointer, room int, key string, value []byte, shared bool, arena *arena) error // put, for values that are made of bytes by strings
}

// entryPart is the key or the value of an entry as it was read.
type entryPart struct {
	body    []byte         // nil if it was not there
	number  uint64         // of what is written as a number
	message unsafe.Pointer // nil if it was not there
	shared  bool           // strings are parts of body
}

// entry reads one entry of a map, which lies between i and stop. What is in it may go on behind
// that, which other readers of Kubernetes' bytes allow too.
func (r *Reader) entry(t *mapEntries, to unsafe.Pointer, data []byte, i, stop int, tag uint64) int {
	room := 0
	if *(*unsafe.Pointer)(to) == nil { // the entries may be the same one over and over, so there is a limit
		room = min(1+following(data, stop, tag), 1000)
	}
	if t.short != nil {
		if key, value, ok := shortEntry(data[i:stop]); ok {
			if err := t.short(to, room, r.text(key), value, r.Shared, r.arena); err != nil {
				return r.fail(data, err)
			}
			return stop
		}
	}
	var key, value entryPart
	for i < stop && !r.failed {
		at := i
		var part uint64
		part, i = r.tag(data, i)
		switch part >> 3 {
		case 1:
			key, i = r.item(t.key, nil, data, i)
		case 2:
			value, i = r.item(t.value, t.of, data, i)
		default:
			i = r.skip(data, at, stop)
		}
	}
	if r.failed {
		return len(data)
	}
	var err error
	if t.short != nil {
		err = t.short(to, room, r.text(key.body), value.body, r.Shared, r.arena)
	} else {
		key.shared, value.shared = r.Shared, r.Shared
		err = t.put(to, room, key, value)
		if value.message != nil && !t.pointers {
			r.spare, r.Slabs[0].values = t.of, value.message
		}
	}
	if err != nil {
		return r.fail(data, err)
	}
	return stop
}

// recycled reads the first entry of a map into one that was used before, if there is one.
func (r *Reader) recycled(t *Layout, to unsafe.Pointer, data []byte, i, stop int, tag uint64) int {
	kept := (*unsafe.Pointer)(r.arena.take(t, 1))
	*(*unsafe.Pointer)(to) = *kept
	next := r.entry(t.entries, to, data, i, stop, tag)
	*kept = *(*unsafe.Pointer)(to)
	return next
}

// mapField adds a field that is a map to the type of a message.
func (t *Layout) mapField(number int, at unsafe.Pointer, goType reflect.Type, e *mapEntries) {
	of := &Layout{entries: e}
	of.begin(goType, newValues[unsafe.Pointer])
	t.field(number, at, entryWay<<4|wireBytes, of)
}

// item reads a key, or a value, which may be a message.
func (r *Reader) item(wire uint8, of *Layout, data []byte, i int) (v entryPart, next int) {
	if wire != wireBytes {
		v.number, next = r.number(wire, data, i)
		return v, next
	}
	size, i := r.length(data, i)
	if size > len(data)-i {
		return v, r.fail(data, io.ErrUnexpectedEOF)
	}
	next = i + size
	v.body = data[i:next]
	if of != nil {
		v.message = r.another(of)
		r.inside(of, v.message, data[:next], i)
	}
	return v, next
}

// another is an empty value that is copied into a map and emptied then.
func (r *Reader) another(t *Layout) unsafe.Pointer {
	if r.spare == t {
		r.spare = nil
		return r.Slabs[0].values
	}
	return t.alloc(1)
}

// shortEntry splits an entry that holds a key and a value of less than 128 bytes and nothing else,
// as nearly all do.
func shortEntry(entry []byte) (key, value []byte, ok bool) {
	if len(entry) < 4 || entry[0] != 1<<3|wireBytes {
		return nil, nil, false
	}
	at := 2 + int(entry[1])
	if at+2 > len(entry) || entry[1] >= 0x80 || entry[at] != 2<<3|wireBytes || entry[at+1] >= 0x80 || at+2+int(entry[at+1]) != len(entry) {
		return nil, nil, false
	}
	return entry[2:at], entry[at+2:], true
}

// TextMap is a map of strings by strings.
func TextMap[M ~map[K]V, K, V ~string](t *Layout, number int, to *M) {
	t.shortMap(number, unsafe.Pointer(to), reflect.TypeFor[M](), func(to unsafe.Pointer, room int, key string, value []byte, shared bool, _ *arena) error {
		m := (*M)(to)
		if *m == nil {
			*m = newMap[M](room)
		}
		if len(value) > 0 && shared {
			(*m)[K(key)] = V(unsafe.String(&value[0], len(value)))
		} else {
			(*m)[K(key)] = V(value) // an empty one keeps nothing of the input
		}
		return nil
	})
}

// BytesMap is a map of bytes by strings.
func BytesMap[M ~map[K]V, K ~string, V ~[]byte](t *Layout, number int, to *M) {
	t.shortMap(number, unsafe.Pointer(to), reflect.TypeFor[M](), func(to unsafe.Pointer, room int, key string, value []byte, _ bool, _ *arena) error {
		m := (*M)(to)
		if *m == nil {
			*m = newMap[M](room)
		}
		(*m)[K(key)] = append(make(V, 0, len(value)), value...)
		return nil
	})
}

// QuantityMap is a map of quantities by strings.
func QuantityMap[M ~map[K]resource.Quantity, K ~string](t *Layout, number int, to *M) {
	t.shortMap(number, unsafe.Pointer(to), reflect.TypeFor[M](), func(to unsafe.Pointer, room int, key string, value []byte, shared bool, arena *arena) (err error) {
		m := (*M)(to)
		if *m == nil {
			*m = newMap[M](room)
		}
		var q resource.Quantity
		switch {
		case value == nil:
		case arena != nil:
			err = knownQuantity(arena, &q, value)
		default:
			err = Quantity(&q, value, shared)
		}
		(*m)[K(key)] = q
		return err
	})
}

// knownQuantity reads a quantity for an object in an arena: such objects have few different ones,
// and one that was read before has its text, too.
func knownQuantity(a *arena, to *resource.Quantity, body []byte) error {
	if q := (*resource.Quantity)(a.quantities[string(body)]); q != nil {
		*to = q.DeepCopy()
		return nil
	}
	text := string(body)
	q := new(resource.Quantity)
	if err := Quantity(q, []byte(text), true); err != nil {
		return err
	}
	_ = q.String() // which it keeps
	if a.quantities == nil || len(a.quantities) >= 256 {
		a.quantities = map[string]unsafe.Pointer{}
	}
	a.quantities[text], *to = unsafe.Pointer(q), q.DeepCopy()
	return nil
}

// shortMap adds a field to the type of a message: a map by strings whose values are made of bytes.
func (t *Layout) shortMap(number int, at unsafe.Pointer, goType reflect.Type, put func(to unsafe.Pointer, room int, key string, value []byte, shared bool, arena *arena) error) {
	t.mapField(number, at, goType, &mapEntries{key: wireBytes, value: wireBytes, short: put})
}

// newMap is a map with room for some entries. One with few is made faster if nothing is said about
// them.
func newMap[M ~map[K]V, K comparable, V any](room int) M {
	if room <= 8 {
		return make(M)
	}
	return make(M, room)
}

// MapItem is how a key or a value is written, and what is made of what was read.
type MapItem[T any] struct {
	wire    uint8
	of      *Layout
	pointer bool
	make    func(entryPart) T
}

// Map is any other map.
func Map[M ~map[K]V, K comparable, V any](t *Layout, number int, to *M, key MapItem[K], value MapItem[V]) {
	e := &mapEntries{key: key.wire, value: value.wire, of: value.of, pointers: value.pointer}
	e.put = func(to unsafe.Pointer, room int, k, v entryPart) error {
		m := (*M)(to)
		if *m == nil {
			*m = newMap[M](room)
		}
		(*m)[key.make(k)] = value.make(v)
		return nil
	}
	t.mapField(number, unsafe.Pointer(to), reflect.TypeFor[M](), e)
}

// TextItem is a string in a map.
func TextItem[S ~string]() MapItem[S] {
	return MapItem[S]{wire: wireBytes, make: func(i entryPart) S {
		if len(i.body) > 0 && i.shared {
			return S(unsafe.String(&i.body[0], len(i.body)))
		}
		return S(i.body)
	}}
}

// BytesItem is bytes in a map.
func BytesItem[B ~[]byte]() MapItem[B] {
	return MapItem[B]{wire: wireBytes, make: func(i entryPart) B { return append(make(B, 0, len(i.body)), i.body...) }}
}

// NumberItem is an integer in a map.
func NumberItem[N integer]() MapItem[N] {
	return MapItem[N]{wire: wireVarint, make: func(i entryPart) N { return N(i.number) }}
}

// BoolItem is a bool in a map.
func BoolItem[B ~bool]() MapItem[B] {
	return MapItem[B]{wire: wireVarint, make: func(i entryPart) B { return i.number != 0 }}
}

// Float64Item is a float64 in a map.
func Float64Item[F ~float64]() MapItem[F] {
	return MapItem[F]{wire: wireFixed64, make: func(i entryPart) F { return F(math.Float64frombits(i.number)) }}
}

// Float32Item is a float32 in a map.
func Float32Item[F ~float32]() MapItem[F] {
	return MapItem[F]{wire: wireFixed32, make: func(i entryPart) F { return F(math.Float32frombits(uint32(i.number))) }}
}

// MessageItem is a message in a map.
func MessageItem[T any](of *Type[T]) MapItem[T] {
	return MapItem[T]{wire: wireBytes, of: &of.Layout, make: func(i entryPart) (v T) {
		if i.message == nil {
			if of.Layout.empty != nil {
				of.Layout.empty(unsafe.Pointer(&v))
			}
			return v
		}
		v, *(*T)(i.message) = *(*T)(i.message), v
		return v
	}}
}

// PointerItem is a pointer to a message in a map.
func PointerItem[T any](of *Type[T]) MapItem[*T] {
	return MapItem[*T]{wire: wireBytes, of: &of.Layout, pointer: true, make: func(i entryPart) *T { return (*T)(i.message) }}
}
