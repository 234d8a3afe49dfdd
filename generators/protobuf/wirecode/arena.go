//lint:file-ignore U1000 the functions are printed, not called

package wirecode

import (
	"reflect"
	"unsafe"
)

// arenaGenerated is memory that one object after the other lies in, but for what reads itself.
type arenaGenerated struct {
	pools []poolGenerated // by the numbers of types
	used  []int32         // the numbers of the types that the object has values of
}

// poolGenerated are the values of a type, of which the object has the first ones.
type poolGenerated struct {
	of       *typeGenerated
	values   unsafe.Pointer
	taken, n int
}

// take returns n empty values, one after the other.
func (a *arenaGenerated) take(t *typeGenerated, n int) unsafe.Pointer {
	if more := int(t.number) + 1 - len(a.pools); more > 0 {
		a.pools = append(a.pools, make([]poolGenerated, more)...)
	}
	p := &a.pools[t.number]
	if p.taken == 0 {
		a.used = append(a.used, t.number)
	}
	if p.taken+n > p.n { // what the object has so far, it keeps
		p.n = max(2*p.n, n)
		p.of, p.values, p.taken = t, t.alloc(p.n), 0
	}
	at := unsafe.Add(p.values, uintptr(p.taken)*t.size)
	p.taken += n
	return at
}

// empty takes all values away from the object.
func (a *arenaGenerated) empty() {
	for _, number := range a.used {
		a.pools[number].wipe()
	}
	a.used = a.used[:0]
}

// wipe empties the values. A map stays there, unless it is large: to empty it takes as long as it ever was.
func (p *poolGenerated) wipe() {
	for i := range p.taken {
		v := reflect.NewAt(p.of.goType, unsafe.Add(p.values, uintptr(i)*p.of.size)).Elem()
		if v.Kind() == reflect.Map && v.Len() <= 32 {
			v.Clear()
		} else {
			v.SetZero()
		}
	}
	p.taken = 0
}

// recyclerGenerated returns a function that reads one value after the other into the same memory. slabs is how many slabs
// other readers of the type have.
func recyclerGenerated[T any](t *typeOfGenerated[T], build func(), slabs int) func([]byte) (*T, error) {
	arena, m := new(arenaGenerated), new(T)
	return func(data []byte) (*T, error) {
		arena.empty()
		*m = *new(T)
		return m, arena.reread(&t.typeGenerated, build, slabs, data, unsafe.Pointer(m))
	}
}

func (a *arenaGenerated) reread(t *typeGenerated, build func(), slabs int, data []byte, m unsafe.Pointer) (err error) {
	if !t.ready.Load() {
		t.prepare(build, slabs)
	}
	var one [1]slabGenerated
	r := readerGenerated{shared: true, err: &err, slabs: one[:], arena: a}
	r.inside(t, m, data, 0)
	return err
}
