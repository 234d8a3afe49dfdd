package runtimetest

import (
	"reflect"
	"sort"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// reached notes which fields of a type were non-zero in some object. Fields are named by their path
// of Go names; a type inside itself is followed once.
type reached struct {
	all     map[string]bool
	nonZero map[string]bool
}

func newReached(t reflect.Type) *reached {
	r := &reached{all: map[string]bool{}, nonZero: map[string]bool{}}
	r.declare("", t, map[reflect.Type]bool{})
	return r
}

func (r *reached) declare(path string, t reflect.Type, above map[reflect.Type]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		r.declare(path, t.Elem(), above)
	case reflect.Map:
		r.declare(path+"[]", t.Elem(), above)
	case reflect.Struct:
		if above[t] || opaque(t) {
			return
		}
		above[t] = true
		defer delete(above, t)
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() || f.Name == "TypeMeta" {
				continue
			}
			r.all[path+"."+f.Name] = true
			r.declare(path+"."+f.Name, f.Type, above)
		}
	}
}

func (r *reached) note(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			r.note(path, v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			r.note(path, v.Index(i))
		}
	case reflect.Map:
		for iter := v.MapRange(); iter.Next(); {
			r.note(path+"[]", iter.Value())
		}
	case reflect.Struct:
		if opaque(v.Type()) {
			return
		}
		for i := range v.NumField() {
			name := path + "." + v.Type().Field(i).Name
			if !r.all[name] {
				continue
			}
			if !v.Field(i).IsZero() {
				r.nonZero[name] = true
			}
			r.note(name, v.Field(i))
		}
	}
}

// missed are the fields that were zero in every object.
func (r *reached) missed() []string {
	var missed []string
	for name := range r.all {
		if !r.nonZero[name] {
			missed = append(missed, name)
		}
	}
	sort.Strings(missed)
	return missed
}

// opaque says that a type is one value for our purposes: it has its own wire format and its fields
// are no one's business.
func opaque(t reflect.Type) bool { return opaqueTypes[t] }

var opaqueTypes = map[reflect.Type]bool{
	reflect.TypeFor[time.Time]():               true,
	reflect.TypeFor[metav1.FieldsV1]():         true,
	reflect.TypeFor[metav1.Time]():             true,
	reflect.TypeFor[metav1.MicroTime]():        true,
	reflect.TypeFor[resource.Quantity]():       true,
	reflect.TypeFor[apiruntime.RawExtension](): true,
	reflect.TypeFor[intstr.IntOrString]():      true,
}
