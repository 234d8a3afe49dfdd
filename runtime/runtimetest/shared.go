package runtimetest

import (
	"fmt"
	"reflect"
)

// sharedMemory returns the path at which two values of one type use the same memory, "" if they
// share none.
func sharedMemory(path string, a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Pointer:
		if a.Type().Elem().Size() == 0 {
			return "" // nothing can be modified there, and all that is empty may have one address
		}
		return sharedBehind(path, a, b, func() string { return sharedMemory(path, a.Elem(), b.Elem()) })
	case reflect.Map:
		return sharedBehind(path, a, b, func() string { return sharedInMap(path, a, b) })
	case reflect.Slice:
		if a.Len() == 0 || b.Len() == 0 {
			return ""
		}
		return sharedBehind(path, a, b, func() string { return sharedInSequence(path, a, b) })
	case reflect.Array:
		return sharedInSequence(path, a, b)
	case reflect.Struct:
		return sharedInStruct(path, a, b)
	}
	return ""
}

// sharedBehind compares two references, and if they differ what is behind them.
func sharedBehind(path string, a, b reflect.Value, inside func() string) string {
	if a.IsNil() || b.IsNil() {
		return ""
	}
	if a.Pointer() == b.Pointer() {
		return path
	}
	return inside()
}

func sharedInMap(path string, a, b reflect.Value) string {
	for iter := a.MapRange(); iter.Next(); {
		other := b.MapIndex(iter.Key())
		if !other.IsValid() {
			continue
		}
		if shared := sharedMemory(fmt.Sprintf("%s[%v]", path, iter.Key()), iter.Value(), other); shared != "" {
			return shared
		}
	}
	return ""
}

func sharedInSequence(path string, a, b reflect.Value) string {
	for i := range min(a.Len(), b.Len()) {
		if shared := sharedMemory(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); shared != "" {
			return shared
		}
	}
	return ""
}

func sharedInStruct(path string, a, b reflect.Value) string {
	if opaque(a.Type()) {
		return sharedRaw(path, a, b)
	}
	for i := range a.NumField() {
		f := a.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		if shared := sharedMemory(path+"."+f.Name, a.Field(i), b.Field(i)); shared != "" {
			return shared
		}
	}
	return ""
}

// sharedRaw looks at the raw bytes of an opaque value: the only memory behind one that its users
// could modify.
func sharedRaw(path string, a, b reflect.Value) string {
	raw := a.FieldByName("Raw")
	if !raw.IsValid() || raw.Kind() != reflect.Slice {
		return ""
	}
	return sharedMemory(path+".Raw", raw, b.FieldByName("Raw"))
}
