package semantic

import (
	"bytes"
	"encoding/json"
	"reflect"
	"unsafe"
)

// hides says whether a struct has a field that only its package sees. What that means only the
// struct's own methods know, as those of time.Time and netip.Addr.
func hides(t reflect.Type) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		if promotes := f.Anonymous && f.Type.Kind() == reflect.Struct; !f.IsExported() && !promotes {
			return true
		}
	}
	return false
}

// documents compares what values are as JSON, which is what clients see of them. What can't be
// written is not the same as anything.
func documents(t reflect.Type) comparer {
	return func(a, b unsafe.Pointer) bool {
		x, err := json.Marshal(reflect.NewAt(t, a).Interface())
		if err != nil {
			return false
		}
		y, err := json.Marshal(reflect.NewAt(t, b).Interface())
		return err == nil && bytes.Equal(x, y)
	}
}
