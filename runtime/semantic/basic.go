package semantic

import (
	"fmt"
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ownComparer is the comparer of a type for which equality.Semantic has a function.
func ownComparer(t reflect.Type) (comparer, bool) {
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		return func(a, b unsafe.Pointer) bool { return (*resource.Quantity)(a).Cmp(*(*resource.Quantity)(b)) == 0 }, true
	case reflect.TypeFor[metav1.Time]():
		return func(a, b unsafe.Pointer) bool { return (*metav1.Time)(a).UTC() == (*metav1.Time)(b).UTC() }, true
	case reflect.TypeFor[metav1.MicroTime]():
		return func(a, b unsafe.Pointer) bool { return (*metav1.MicroTime)(a).UTC() == (*metav1.MicroTime)(b).UTC() }, true
	}
	function, ok := equality.Semantic.Equalities[t]
	if !ok {
		return nil, false
	}
	return func(a, b unsafe.Pointer) bool {
		return function.Call([]reflect.Value{reflect.NewAt(t, a).Elem(), reflect.NewAt(t, b).Elem()})[0].Bool()
	}, true
}

// basic is the comparer of a type that holds no other.
func basic(t reflect.Type) comparer {
	switch t.Kind() {
	case reflect.String:
		return same[string]
	case reflect.Bool:
		return same[bool]
	case reflect.Int, reflect.Uint, reflect.Uintptr, reflect.Chan, reflect.UnsafePointer:
		return same[uintptr]
	case reflect.Int8, reflect.Uint8:
		return same[uint8]
	case reflect.Int16, reflect.Uint16:
		return same[uint16]
	case reflect.Int32, reflect.Uint32:
		return same[uint32]
	case reflect.Int64, reflect.Uint64:
		return same[uint64]
	case reflect.Float32:
		return same[float32]
	case reflect.Float64:
		return same[float64]
	case reflect.Complex64:
		return same[complex64]
	case reflect.Complex128:
		return same[complex128]
	}
	panic(fmt.Sprintf("a type of a kind that Go did not have: %v", t))
}

func same[T comparable](a, b unsafe.Pointer) bool { return *(*T)(a) == *(*T)(b) }

// bothNil compares functions, which are never the same otherwise.
func bothNil(a, b unsafe.Pointer) bool {
	return *(*unsafe.Pointer)(a) == nil && *(*unsafe.Pointer)(b) == nil
}
