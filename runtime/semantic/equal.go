package semantic

import (
	"reflect"
	"sync"
	"unsafe"
)

// Equal says whether a and b mean the same, as equality.Semantic.DeepEqual(a, b) would. It differs
// in two ways. Structs with unexported fields are compared by their JSON, where the library panics.
// And values with a cycle must not be given to it. Functions that are added to equality.Semantic
// count if they are added before the first comparison of a value that has their type in it. It may
// be called concurrently, as long as nobody writes to a or b.
func Equal[T any](a, b T) bool {
	return comparerOf(reflect.TypeFor[T]())(unsafe.Pointer(&a), unsafe.Pointer(&b))
}

// comparer compares the values that two pointers point to. Both are of the type that the comparer
// was made for.
type comparer func(a, b unsafe.Pointer) bool

// comparers has the comparers that were made, by type.
var comparers sync.Map

// comparerOf is the comparer of a type, which is made when the type is met first.
func comparerOf(t reflect.Type) comparer {
	if known, ok := comparers.Load(t); ok {
		return known.(comparer)
	}
	return planner{}.plan(t)
}

// planner has the types whose comparers are being made. Where one of them is met again inside of
// itself, its comparer is looked up when it is needed.
type planner map[reflect.Type]bool

// plan is the comparer of a type, which is made once, wherever the type is met.
func (p planner) plan(t reflect.Type) comparer {
	if known, ok := comparers.Load(t); ok {
		return known.(comparer)
	}
	if p[t] {
		return func(a, b unsafe.Pointer) bool { return comparerOf(t)(a, b) }
	}
	p[t] = true
	made := p.build(t)
	comparers.Store(t, made)
	return made
}

func (p planner) build(t reflect.Type) comparer {
	if own, ok := ownComparer(t); ok {
		return own
	}
	switch t.Kind() {
	case reflect.Struct:
		return p.structs(t)
	case reflect.Pointer:
		return p.pointers(t)
	case reflect.Slice:
		return p.slices(t)
	case reflect.Array:
		return p.arrays(t)
	case reflect.Map:
		return p.maps(t)
	case reflect.Interface:
		return interfaces(t)
	case reflect.Func:
		return bothNil
	}
	return basic(t)
}
