package protobuf

import (
	"reflect"
	"unsafe"
)

// arena is memory that one object after the other lies in, except for what reads itself.
type arena struct {
	pools []*arenaPool // by the numbers of types
	used  []*arenaPool // those that the object has values of

	quantities map[string]unsafe.Pointer // to each that was read, by how it is written
}

// arenaPool are values of a type. The object has those that the list is long, and may get as many
// as it has room for.
type arenaPool struct {
	values sliceHeader
	list   reflect.Value // the same
	maps   bool
}

// take returns n empty values, one after the other.
func (a *arena) take(t *Layout, n int) unsafe.Pointer {
	var p *arenaPool
	if int(t.number) < len(a.pools) {
		p = a.pools[t.number]
	}
	if p == nil {
		p = a.pool(t)
	}
	if p.values.len == 0 {
		a.used = append(a.used, p)
	}
	if p.values.len+n > p.values.cap { // what the object has so far, it keeps
		room := max(2*p.values.cap, n)
		p.values = sliceHeader{t.alloc(room), 0, room}
	}
	at := unsafe.Add(p.values.data, uintptr(p.values.len)*t.size)
	p.values.len += n
	return at
}

// pool makes the pool of a type.
func (a *arena) pool(t *Layout) *arenaPool {
	if more := int(t.number) + 1 - len(a.pools); more > 0 {
		a.pools = append(a.pools, make([]*arenaPool, more)...)
	}
	p := &arenaPool{maps: t.goType.Kind() == reflect.Map}
	p.list = reflect.NewAt(reflect.SliceOf(t.goType), unsafe.Pointer(&p.values)).Elem()
	a.pools[t.number] = p
	return p
}

// empty takes all values away from the object.
func (a *arena) empty() {
	for _, p := range a.used {
		p.wipe()
	}
	a.used = a.used[:0]
}

// wipe empties the values. A map stays there, unless it is large: to empty it takes as long as it
// ever was.
func (p *arenaPool) wipe() {
	if !p.maps {
		p.list.Clear()
		p.values.len = 0
		return
	}
	for i := range p.values.len {
		if m := p.list.Index(i); m.Len() <= 32 {
			m.Clear()
		} else {
			m.SetZero()
		}
	}
	p.values.len = 0
}

// Recycler returns a function that reads one value after the other into the same memory. slabs is
// how many slabs other readers of the type have.
func Recycler[T any](t *Type[T], build func(), slabs int) func([]byte) (*T, error) {
	arena, m := new(arena), new(T)
	return func(data []byte) (*T, error) {
		arena.empty()
		*m = *new(T)
		return m, arena.reread(&t.Layout, build, slabs, data, unsafe.Pointer(m))
	}
}

func (a *arena) reread(t *Layout, build func(), slabs int, data []byte, m unsafe.Pointer) (err error) {
	if !t.ready.Load() {
		t.prepare(build, slabs)
	}
	var one [1]Slab
	r := Reader{Shared: true, Err: &err, Slabs: one[:], arena: a}
	r.inside(t, m, data, 0)
	return err
}
