package runtimetest

import (
	"bytes"
	"reflect"

	"github.com/google/go-cmp/cmp/cmpopts"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// alike tells whether two values of one type are equal; nothing and an empty list or map are, which
// protobuf does not tell apart either. It is for checks that compare often; lost says in words what
// it finds.
func alike(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	switch t := a.Type(); {
	case opaque(t):
		return alikeOpaque(a.Interface(), b.Interface())
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		return a.IsNil() == b.IsNil() && (a.IsNil() || alike(a.Elem(), b.Elem()))
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return bytes.Equal(a.Bytes(), b.Bytes())
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		for i := range min(a.Len(), b.Len()) {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return a.Len() == b.Len()
	case t.Kind() == reflect.Map:
		for iter := a.MapRange(); iter.Next(); {
			if !alike(iter.Value(), b.MapIndex(iter.Key())) {
				return false
			}
		}
		return a.Len() == b.Len()
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

func alikeOpaque(a, b any) bool {
	switch x := a.(type) {
	case resource.Quantity:
		return x.Cmp(b.(resource.Quantity)) == 0
	case metav1.Time:
		return x.Time.Equal(b.(metav1.Time).Time)
	case metav1.MicroTime:
		return x.Time.Equal(b.(metav1.MicroTime).Time)
	}
	return reflect.DeepEqual(a, b)
}

// lost is how two objects differ, "" if they are alike.
func lost(want, got any) string {
	if alike(reflect.ValueOf(want), reflect.ValueOf(got)) {
		return ""
	}
	return difference(want, got, cmpopts.EquateEmpty())
}
