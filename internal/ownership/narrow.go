package ownership

import (
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// The library puts each item into a list that it keeps in order, so what a list or map costs grows
// with the square of its length. These are some tenths of a second, of the patch and of the object.
const (
	maxApplied = 4_000
	maxPairs   = maxApplied * maxApplied
)

// checkNarrow refuses to apply where a value has lists or maps that are too long. The error is an
// API status, in which what is the value's name.
func checkNarrow(what string, value any) error {
	if room := maxPairs; narrow(reflect.ValueOf(value), &room) {
		return nil
	}
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
		"%s has lists or maps that are too long for server-side apply, which has room for one of %d items, or for more that are shorter: use an update or another type of patch",
		what, maxApplied))
}

// narrow says whether the squares of the lengths of all lists and maps are together no more than
// room, of which it takes them. Bytes are no list.
func narrow(v reflect.Value, room *int) bool {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return v.IsNil() || narrow(v.Elem(), room)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && !narrow(v.Field(i), room) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return true
		}
		if *room -= v.Len() * v.Len(); *room < 0 {
			return false
		}
		for i := range v.Len() {
			if !narrow(v.Index(i), room) {
				return false
			}
		}
	case reflect.Map:
		if *room -= v.Len() * v.Len(); *room < 0 {
			return false
		}
		for entry := v.MapRange(); entry.Next(); {
			if !narrow(entry.Value(), room) {
				return false
			}
		}
	}
	return true
}
