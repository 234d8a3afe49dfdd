package runtimetest

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/typeplane/typeplane/runtime"
)

// waysApart compares a hub object before and after a client's change with the plain conversions of
// the client's object before and after it. Where those are equal the client changed nothing, and
// nothing may have changed.
type waysApart struct{ before, client runtime.Object }

// find returns the path of a place where the hub is not as it should be, "" if there is none.
func (w waysApart) find(hub, got runtime.Object) string {
	return apart(".", four{
		reflect.ValueOf(hub).Elem(), reflect.ValueOf(w.before).Elem(), reflect.ValueOf(w.client).Elem(), reflect.ValueOf(got).Elem(),
	})
}

// four are values of one type at one path; the zero reflect.Value stands for an entry that a map
// does not have.
type four struct{ hub, before, client, got reflect.Value }

func (f four) each(part func(reflect.Value) reflect.Value) four {
	return four{part(f.hub), part(f.before), part(f.client), part(f.got)}
}

func (f four) all(is func(reflect.Value) bool) bool {
	return is(f.hub) && is(f.before) && is(f.client) && is(f.got)
}

func apart(path string, f four) string {
	if alike(f.before, f.client) {
		return unless(alike(f.hub, f.got), path)
	}
	if !f.all(reflect.Value.IsValid) {
		return unless(alike(f.client, f.got), path)
	}
	switch t := f.got.Type(); {
	case opaque(t):
	case t.Kind() == reflect.Pointer && f.all(func(v reflect.Value) bool { return !v.IsNil() }):
		return apart(path, f.each(reflect.Value.Elem))
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if !t.Field(i).IsExported() {
				continue
			}
			at := fmt.Sprintf("%s%s.", path, t.Field(i).Name)
			if where := apart(at, f.each(func(v reflect.Value) reflect.Value { return v.Field(i) })); where != "" {
				return where
			}
		}
		return ""
	case t.Kind() == reflect.Map:
		return apartEntries(path, f)
	case t.Kind() == reflect.Slice:
		return apartItems(path, f)
	}
	return unless(alike(f.client, f.got), path)
}

func apartEntries(path string, f four) string {
	for _, m := range []reflect.Value{f.hub, f.got, f.client} {
		for _, key := range sortedKeys(m) {
			if where := apart(fmt.Sprintf("%s[%v]", path, key), f.each(func(v reflect.Value) reflect.Value { return v.MapIndex(key) })); where != "" {
				return where
			}
		}
	}
	return ""
}

// apartItems lets no more items go than the client let go, and no more come than came from the
// client. What came is the client's item, or one that was changed as the client's was.
func apartItems(path string, f four) string {
	gone, came := without(f.hub, f.got), without(f.got, f.hub)
	clientGone, clientCame := without(f.before, f.client), without(f.client, f.before)
	if len(gone) > len(clientGone) || len(came) > len(clientCame) {
		return path
	}
	for _, got := range came {
		if !slices.ContainsFunc(clientCame, func(client reflect.Value) bool {
			return alike(client, got) || slices.ContainsFunc(gone, func(hub reflect.Value) bool {
				return slices.ContainsFunc(clientGone, func(before reflect.Value) bool {
					return apart(path, four{hub, before, client, got}) == ""
				})
			})
		}) {
			return path + "[]"
		}
	}
	return unless(slices.EqualFunc(stayed(f.hub, gone), stayed(f.got, came), alike) || len(gone) == 0 && len(came) == 0, path)
}

// without are the items of a list that another list has not, each as often as it has it more often.
func without(list, other reflect.Value) []reflect.Value {
	var out []reflect.Value
	left := items(other)
	for _, item := range items(list) {
		if i := slices.IndexFunc(left, func(v reflect.Value) bool { return alike(v, item) }); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		out = append(out, item)
	}
	return out
}

// stayed are the items of a list that are not among those, in their order.
func stayed(list reflect.Value, gone []reflect.Value) []reflect.Value {
	return slices.DeleteFunc(items(list), func(item reflect.Value) bool {
		return slices.ContainsFunc(gone, func(v reflect.Value) bool { return alike(v, item) })
	})
}

func items(list reflect.Value) []reflect.Value {
	out := make([]reflect.Value, list.Len())
	for i := range out {
		out[i] = list.Index(i)
	}
	return out
}

func unless(fine bool, path string) string {
	if fine {
		return ""
	}
	return path
}

func sortedKeys(m reflect.Value) []reflect.Value {
	return slices.SortedFunc(slices.Values(m.MapKeys()), func(a, b reflect.Value) int {
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
}
