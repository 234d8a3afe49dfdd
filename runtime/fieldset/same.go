package fieldset

import (
	"bytes"
	"encoding/json"
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Same says whether two values are the same in JSON.
func Same[T any](a, b *T) bool {
	switch x := any(a).(type) {
	case *metav1.Time:
		if x.Time.Equal(any(b).(*metav1.Time).Time) {
			return true
		}
	case *metav1.MicroTime:
		if x.Time.Equal(any(b).(*metav1.MicroTime).Time) {
			return true
		}
	case *intstr.IntOrString:
		if *x == *any(b).(*intstr.IntOrString) {
			return true
		}
	case *resource.Quantity:
		y := any(b).(*resource.Quantity)
		if *x == *y || x.String() == y.String() {
			return true
		}
	default:
		if reflect.DeepEqual(a, b) {
			return true
		}
	}
	return sameJSON(a, b)
}

// sameJSON is for values that Go finds different, which they mostly are: a quantity may be written
// in two ways, an empty list be left out like none.
func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	if errX != nil || errY != nil {
		return false
	}
	if bytes.Equal(x, y) {
		return true
	}
	// Only objects have more than one form, by the order of what is in them.
	if bytes.IndexByte(x, '{') < 0 || bytes.IndexByte(y, '{') < 0 {
		return false
	}
	v, errV := value.FromJSON(x)
	w, errW := value.FromJSON(y)
	return errV == nil && errW == nil && value.Equals(v, w)
}

// SamePointers says whether two pointers are both nil, or point to the same.
func SamePointers[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// SameLists says whether two lists have the same in them; null is not the same as empty.
func SameLists[S ~[]T, T comparable](a, b S) bool {
	if len(a) != len(b) || (a == nil) != (b == nil) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// SameMaps says whether two maps have the same in them; null is not the same as empty.
func SameMaps[M ~map[K]V, K, V comparable](a, b M) bool {
	if len(a) != len(b) || (a == nil) != (b == nil) {
		return false
	}
	for key, v := range a {
		if w, ok := b[key]; !ok || v != w {
			return false
		}
	}
	return true
}

// JSONValue is a value as it stands in JSON, for a value that writes itself: nil if it can't.
func JSONValue(in any) any {
	text, err := json.Marshal(in)
	if err != nil {
		return nil
	}
	v, err := value.FromJSON(text)
	if err != nil {
		return nil
	}
	return v.Unstructured()
}
