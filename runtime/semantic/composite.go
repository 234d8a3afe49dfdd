package semantic

import (
	"bytes"
	"maps"
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// member is a field of a struct.
type member struct {
	offset uintptr
	same   comparer
}

func (p planner) structs(t reflect.Type) comparer {
	if hides(t) {
		return documents(t)
	}
	var members []member
	for i := range t.NumField() {
		f := t.Field(i)
		members = append(members, member{f.Offset, p.plan(f.Type)})
	}
	return func(a, b unsafe.Pointer) bool {
		for i := range members {
			m := &members[i]
			if !m.same(unsafe.Add(a, m.offset), unsafe.Add(b, m.offset)) {
				return false
			}
		}
		return true
	}
}

func (p planner) pointers(t reflect.Type) comparer {
	same := p.plan(t.Elem())
	return func(a, b unsafe.Pointer) bool {
		at, bt := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
		if at == nil || bt == nil {
			return at == bt
		}
		return same(at, bt)
	}
}

func (p planner) slices(t reflect.Type) comparer {
	if t.Elem().Kind() == reflect.Uint8 {
		return func(a, b unsafe.Pointer) bool { return bytes.Equal(*(*[]byte)(a), *(*[]byte)(b)) }
	}
	same, size := p.plan(t.Elem()), t.Elem().Size()
	return func(a, b unsafe.Pointer) bool {
		// Of a slice of any type the header is that of a slice of bytes.
		as, bs := *(*[]byte)(a), *(*[]byte)(b)
		if len(as) != len(bs) {
			return false
		}
		at, bt := unsafe.Pointer(unsafe.SliceData(as)), unsafe.Pointer(unsafe.SliceData(bs))
		return at == bt || eachSame(same, size, len(as), at, bt)
	}
}

func (p planner) arrays(t reflect.Type) comparer {
	same, size, n := p.plan(t.Elem()), t.Elem().Size(), t.Len()
	return func(a, b unsafe.Pointer) bool { return eachSame(same, size, n, a, b) }
}

// eachSame compares n values of a size that lie one behind the other.
func eachSame(same comparer, size uintptr, n int, a, b unsafe.Pointer) bool {
	for i := range uintptr(n) {
		if !same(unsafe.Add(a, i*size), unsafe.Add(b, i*size)) {
			return false
		}
	}
	return true
}

// maps makes the comparer of a type of maps. Maps from texts to texts and to quantities are looked
// at without reflection, since APIs are full of them. Go lays maps out by what keys and values are,
// however their types are called.
func (p planner) maps(t reflect.Type) comparer {
	byText := t.Key().Kind() == reflect.String
	switch {
	case byText && t.Elem().Kind() == reflect.String:
		return func(a, b unsafe.Pointer) bool { return maps.Equal(*(*map[string]string)(a), *(*map[string]string)(b)) }
	case byText && t.Elem() == reflect.TypeFor[resource.Quantity]():
		return func(a, b unsafe.Pointer) bool {
			return maps.EqualFunc(*(*map[string]resource.Quantity)(a), *(*map[string]resource.Quantity)(b),
				func(x, y resource.Quantity) bool { return x.Cmp(y) == 0 })
		}
	}
	same := p.plan(t.Elem())
	return func(a, b unsafe.Pointer) bool {
		am, bm := reflect.NewAt(t, a).Elem(), reflect.NewAt(t, b).Elem()
		if am.Len() != bm.Len() {
			return false
		}
		x, y := reflect.New(t.Elem()), reflect.New(t.Elem())
		for i := am.MapRange(); i.Next(); {
			other := bm.MapIndex(i.Key())
			if !other.IsValid() {
				return false
			}
			x.Elem().SetIterValue(i)
			y.Elem().Set(other)
			if !same(x.UnsafePointer(), y.UnsafePointer()) {
				return false
			}
		}
		return true
	}
}

// interfaces compares what is in interfaces of a type.
func interfaces(t reflect.Type) comparer {
	return func(a, b unsafe.Pointer) bool {
		av, bv := reflect.NewAt(t, a).Elem().Elem(), reflect.NewAt(t, b).Elem().Elem()
		if !av.IsValid() || !bv.IsValid() {
			return av.IsValid() == bv.IsValid()
		}
		if av.Type() != bv.Type() {
			return false
		}
		x, y := reflect.New(av.Type()), reflect.New(av.Type())
		x.Elem().Set(av)
		y.Elem().Set(bv)
		return comparerOf(av.Type())(x.UnsafePointer(), y.UnsafePointer())
	}
}
