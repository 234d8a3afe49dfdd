package protobuf

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// ValueToString is what may be nil: what a pointer points at, or bytes, after an asterisk.
func ValueToString(v any) string {
	value := reflect.ValueOf(v)
	if value.IsNil() {
		return "nil"
	}
	return fmt.Sprintf("*%v", reflect.Indirect(value).Interface())
}

// StructToString is the text of a message without the ampersand in front.
func StructToString(text string) string {
	return strings.Replace(text, "&", "", 1)
}

// ListToString is the text of a list of messages; name is the list's type, item makes the text of
// one.
func ListToString[T any](name string, list []T, item func(*T) string) string {
	var text strings.Builder
	text.WriteString(name + "{")
	for i := range list {
		text.WriteString(item(&list[i]) + ",")
	}
	return text.String() + "}"
}

// MapToString is the text of a map, sorted by key; name is the map's type.
func MapToString[K cmp.Ordered, V any](name string, m map[K]V) string {
	var text strings.Builder
	text.WriteString(name + "{")
	for _, k := range SortedKeys(nil, m) {
		fmt.Fprintf(&text, "%v: %v,", k, m[k])
	}
	return text.String() + "}"
}
