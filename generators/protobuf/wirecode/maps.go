//lint:file-ignore U1000 the functions are printed, not called

package wirecode

import (
	"io"
	"math"
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// entriesGenerated is how entries of a map are read.
type entriesGenerated struct {
	key, value uint8          // the wire types
	of         *typeGenerated // of values that are messages
	pointers   bool           // to messages

	put   func(to unsafe.Pointer, room int, key, value itemGenerated) error
	short func(to unsafe.Pointer, room int, key string, value []byte, shared bool, arena *arenaGenerated) error // put, for values that are made of bytes by strings
}

// itemGenerated is the key or the value of an entry as it was read.
type itemGenerated struct {
	body    []byte         // nil if it was not there
	number  uint64         // of what is written as a number
	message unsafe.Pointer // nil if it was not there
	shared  bool           // strings are parts of body
}

// entry reads one entry of a map, which lies between i and stop. What is in it may go on behind that, which other readers
// of Kubernetes' bytes allow too.
func (r *readerGenerated) entry(t *entriesGenerated, to unsafe.Pointer, data []byte, i, stop int, tag uint64) int {
	room := 0
	if *(*unsafe.Pointer)(to) == nil { // the entries may be the same one over and over, so there is a limit
		room = min(1+followingGenerated(data, stop, tag), 1000)
	}
	if t.short != nil {
		if key, value, ok := shortEntryGenerated(data[i:stop]); ok {
			if err := t.short(to, room, r.text(key), value, r.shared, r.arena); err != nil {
				return r.fail(data, err)
			}
			return stop
		}
	}
	var key, value itemGenerated
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
		err = t.short(to, room, r.text(key.body), value.body, r.shared, r.arena)
	} else {
		key.shared, value.shared = r.shared, r.shared
		err = t.put(to, room, key, value)
		if value.message != nil && !t.pointers {
			r.spare, r.slabs[0].values = t.of, value.message
		}
	}
	if err != nil {
		return r.fail(data, err)
	}
	return stop
}

// recycled reads the first entry of a map into one that was used before, if there is one.
func (r *readerGenerated) recycled(t *typeGenerated, to unsafe.Pointer, data []byte, i, stop int, tag uint64) int {
	kept := (*unsafe.Pointer)(r.arena.take(t, 1))
	*(*unsafe.Pointer)(to) = *kept
	next := r.entry(t.entries, to, data, i, stop, tag)
	*kept = *(*unsafe.Pointer)(to)
	return next
}

// mapField adds a field that is a map to the type of a message.
func (t *typeGenerated) mapField(number int, at unsafe.Pointer, goType reflect.Type, e *entriesGenerated) {
	of := &typeGenerated{entries: e}
	of.begin(goType, allocGenerated[unsafe.Pointer])
	t.field(number, at, entryWayGenerated<<4|bytesGenerated, of)
}

// item reads a key, or a value, which may be a message.
func (r *readerGenerated) item(wire uint8, of *typeGenerated, data []byte, i int) (v itemGenerated, next int) {
	if wire != bytesGenerated {
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
func (r *readerGenerated) another(t *typeGenerated) unsafe.Pointer {
	if r.spare == t {
		r.spare = nil
		return r.slabs[0].values
	}
	return t.alloc(1)
}

// shortEntryGenerated splits an entry that holds a key and a value of less than 128 bytes and nothing else, as nearly
// all do.
func shortEntryGenerated(entry []byte) (key, value []byte, ok bool) {
	if len(entry) < 4 || entry[0] != 1<<3|bytesGenerated {
		return nil, nil, false
	}
	at := 2 + int(entry[1])
	if at+2 > len(entry) || entry[1] >= 0x80 || entry[at] != 2<<3|bytesGenerated || entry[at+1] >= 0x80 || at+2+int(entry[at+1]) != len(entry) {
		return nil, nil, false
	}
	return entry[2:at], entry[at+2:], true
}

// textMapGenerated is a map of strings by strings.
func textMapGenerated[M ~map[K]V, K, V ~string](t *typeGenerated, number int, to *M) {
	t.shortMap(number, unsafe.Pointer(to), reflect.TypeFor[M](), func(to unsafe.Pointer, room int, key string, value []byte, shared bool, _ *arenaGenerated) error {
		m := (*M)(to)
		if *m == nil {
			*m = newMapGenerated[M](room)
		}
		if len(value) > 0 && shared {
			(*m)[K(key)] = V(unsafe.String(&value[0], len(value)))
		} else {
			(*m)[K(key)] = V(value) // an empty one keeps nothing of the input
		}
		return nil
	})
}

// bytesMapGenerated is a map of bytes by strings.
func bytesMapGenerated[M ~map[K]V, K ~string, V ~[]byte](t *typeGenerated, number int, to *M) {
	t.shortMap(number, unsafe.Pointer(to), reflect.TypeFor[M](), func(to unsafe.Pointer, room int, key string, value []byte, _ bool, _ *arenaGenerated) error {
		m := (*M)(to)
		if *m == nil {
			*m = newMapGenerated[M](room)
		}
		(*m)[K(key)] = append(make(V, 0, len(value)), value...)
		return nil
	})
}

// quantityMapGenerated is a map of quantities by strings.
func quantityMapGenerated[M ~map[K]resource.Quantity, K ~string](t *typeGenerated, number int, to *M) {
	t.shortMap(number, unsafe.Pointer(to), reflect.TypeFor[M](), func(to unsafe.Pointer, room int, key string, value []byte, shared bool, arena *arenaGenerated) (err error) {
		m := (*M)(to)
		if *m == nil {
			*m = newMapGenerated[M](room)
		}
		var q resource.Quantity
		switch {
		case value == nil:
		case arena != nil:
			err = knownQuantityGenerated(arena, &q, value)
		default:
			err = quantityGenerated(&q, value, shared)
		}
		(*m)[K(key)] = q
		return err
	})
}

// knownQuantityGenerated reads a quantity for an object in an arena: such objects have few different ones, and one that was read
// before has its text, too.
func knownQuantityGenerated(a *arenaGenerated, to *resource.Quantity, body []byte) error {
	if q := (*resource.Quantity)(a.quantities[string(body)]); q != nil {
		*to = q.DeepCopy()
		return nil
	}
	text := string(body)
	q := new(resource.Quantity)
	if err := quantityGenerated(q, []byte(text), true); err != nil {
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
func (t *typeGenerated) shortMap(number int, at unsafe.Pointer, goType reflect.Type, put func(to unsafe.Pointer, room int, key string, value []byte, shared bool, arena *arenaGenerated) error) {
	t.mapField(number, at, goType, &entriesGenerated{key: bytesGenerated, value: bytesGenerated, short: put})
}

// newMapGenerated is a map with room for some entries. One with few is made faster if nothing is said about them.
func newMapGenerated[M ~map[K]V, K comparable, V any](room int) M {
	if room <= 8 {
		return make(M)
	}
	return make(M, room)
}

// kindGenerated is how a key or a value is written, and what is made of what was read.
type kindGenerated[T any] struct {
	wire    uint8
	of      *typeGenerated
	pointer bool
	make    func(itemGenerated) T
}

// mapGenerated is any other map.
func mapGenerated[M ~map[K]V, K comparable, V any](t *typeGenerated, number int, to *M, key kindGenerated[K], value kindGenerated[V]) {
	e := &entriesGenerated{key: key.wire, value: value.wire, of: value.of, pointers: value.pointer}
	e.put = func(to unsafe.Pointer, room int, k, v itemGenerated) error {
		m := (*M)(to)
		if *m == nil {
			*m = newMapGenerated[M](room)
		}
		(*m)[key.make(k)] = value.make(v)
		return nil
	}
	t.mapField(number, unsafe.Pointer(to), reflect.TypeFor[M](), e)
}

// textItemGenerated is a string in a map.
func textItemGenerated[S ~string]() kindGenerated[S] {
	return kindGenerated[S]{wire: bytesGenerated, make: func(i itemGenerated) S {
		if len(i.body) > 0 && i.shared {
			return S(unsafe.String(&i.body[0], len(i.body)))
		}
		return S(i.body)
	}}
}

// bytesItemGenerated is bytes in a map.
func bytesItemGenerated[B ~[]byte]() kindGenerated[B] {
	return kindGenerated[B]{wire: bytesGenerated, make: func(i itemGenerated) B { return append(make(B, 0, len(i.body)), i.body...) }}
}

// numberItemGenerated is an integer in a map.
func numberItemGenerated[N integerGenerated]() kindGenerated[N] {
	return kindGenerated[N]{wire: varintGenerated, make: func(i itemGenerated) N { return N(i.number) }}
}

// boolItemGenerated is a bool in a map.
func boolItemGenerated[B ~bool]() kindGenerated[B] {
	return kindGenerated[B]{wire: varintGenerated, make: func(i itemGenerated) B { return i.number != 0 }}
}

// float64ItemGenerated is a float64 in a map.
func float64ItemGenerated[F ~float64]() kindGenerated[F] {
	return kindGenerated[F]{wire: fixed64Generated, make: func(i itemGenerated) F { return F(math.Float64frombits(i.number)) }}
}

// float32ItemGenerated is a float32 in a map.
func float32ItemGenerated[F ~float32]() kindGenerated[F] {
	return kindGenerated[F]{wire: fixed32Generated, make: func(i itemGenerated) F { return F(math.Float32frombits(uint32(i.number))) }}
}

// messageItemGenerated is a message in a map.
func messageItemGenerated[T any](of *typeOfGenerated[T]) kindGenerated[T] {
	return kindGenerated[T]{wire: bytesGenerated, of: &of.typeGenerated, make: func(i itemGenerated) (v T) {
		if i.message == nil {
			if of.empty != nil {
				of.empty(unsafe.Pointer(&v))
			}
			return v
		}
		v, *(*T)(i.message) = *(*T)(i.message), v
		return v
	}}
}

// pointerItemGenerated is a pointer to a message in a map.
func pointerItemGenerated[T any](of *typeOfGenerated[T]) kindGenerated[*T] {
	return kindGenerated[*T]{wire: bytesGenerated, of: &of.typeGenerated, pointer: true, make: func(i itemGenerated) *T { return (*T)(i.message) }}
}
