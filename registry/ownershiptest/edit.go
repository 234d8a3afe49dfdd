package ownershiptest

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/typeplane/typeplane/runtime"
)

// editor changes objects a little. Its values are few, so that keys meet.
type editor struct{ random *rand.Rand }

func (e *editor) one(n int) bool { return e.random.IntN(n) == 0 }

// object makes a few edits in the spec, the status and whatever else there is, and in the metadata.
func (e *editor) object(obj runtime.Object) {
	v := reflect.ValueOf(obj).Elem()
	for range e.random.IntN(4) {
		i := e.random.IntN(v.NumField())
		switch v.Field(i).Addr().Interface().(type) {
		case *metav1.TypeMeta:
		case *metav1.ObjectMeta:
			e.metadata(runtime.Meta(obj))
		default:
			e.edit(v.Field(i), 0)
		}
	}
}

func (e *editor) metadata(meta *metav1.ObjectMeta) {
	switch e.random.IntN(6) {
	case 0:
		e.edit(reflect.ValueOf(&meta.Labels).Elem(), 0)
	case 1:
		e.edit(reflect.ValueOf(&meta.Annotations).Elem(), 0)
	case 2:
		e.edit(reflect.ValueOf(&meta.Finalizers).Elem(), 0)
	case 3:
		e.edit(reflect.ValueOf(&meta.OwnerReferences).Elem(), 0)
	case 4:
		e.edit(reflect.ValueOf(&meta.DeletionTimestamp).Elem(), 0)
	case 5:
		meta.Generation++
		e.edit(reflect.ValueOf(&meta.GenerateName).Elem(), 0)
	}
}

// edit changes a value, or something in it.
func (e *editor) edit(v reflect.Value, depth int) {
	if e.special(v) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if v.NumField() == 0 {
			return
		}
		if f := v.Field(e.random.IntN(v.NumField())); f.CanSet() {
			e.edit(f, depth)
		}
	case reflect.Pointer:
		switch {
		case v.IsNil():
			e.fill(v, depth)
		case e.one(3):
			v.SetZero()
		default:
			e.edit(v.Elem(), depth)
		}
	case reflect.Slice:
		e.editList(v, depth)
	case reflect.Map:
		e.editMap(v, depth)
	default:
		e.fill(v, depth)
	}
}

func (e *editor) editList(v reflect.Value, depth int) {
	n := v.Len()
	if n == 0 {
		e.fill(v, depth)
		return
	}
	i := e.random.IntN(n)
	switch e.random.IntN(8) {
	case 0: // an item more
		item := reflect.New(v.Type().Elem()).Elem()
		e.fill(item, depth+1)
		v.Set(reflect.Append(v, item))
	case 1: // an item less
		v.Set(reflect.AppendSlice(v.Slice(0, i), v.Slice(i+1, n)))
	case 2: // another order
		reflect.Swapper(v.Interface())(0, i)
	case 3: // an item twice
		v.Set(reflect.Append(v, v.Index(i)))
	case 4:
		v.SetZero()
	case 5:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	default:
		e.edit(v.Index(i), depth+1)
	}
}

func (e *editor) editMap(v reflect.Value, depth int) {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return compareText(a.String(), b.String()) })
	if len(keys) == 0 {
		e.fill(v, depth)
		return
	}
	key := keys[e.random.IntN(len(keys))]
	switch e.random.IntN(6) {
	case 0:
		v.SetMapIndex(key, reflect.Value{})
	case 1:
		v.SetZero()
	case 2:
		v.Set(reflect.MakeMap(v.Type()))
	case 3:
		e.entry(v, depth)
	default:
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(v.MapIndex(key))
		e.edit(value, depth+1)
		v.SetMapIndex(key, value)
	}
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (e *editor) entry(v reflect.Value, depth int) {
	key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	e.fill(key, depth+1)
	e.fill(value, depth+1)
	v.SetMapIndex(key, value)
}

var words = []string{"", "a", "b", "c", "a b", `quote"`, "slash/", "é<"}

// fill makes a new value.
func (e *editor) fill(v reflect.Value, depth int) {
	if e.special(v) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(words[e.random.IntN(len(words))])
	case reflect.Bool:
		v.SetBool(e.one(2))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(e.random.IntN(3)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(uint64(e.random.IntN(3)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(e.random.IntN(3)) / 2)
	case reflect.Pointer:
		v.SetZero()
		if e.goesOn(depth) {
			v.Set(reflect.New(v.Type().Elem()))
			e.fill(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && (e.goesOn(depth) || !composite(f.Kind())) {
				e.fill(f, depth+1)
			}
		}
	case reflect.Slice:
		v.SetZero()
		if !e.goesOn(depth) {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), e.random.IntN(4), 4))
		for i := range v.Len() {
			e.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		if e.goesOn(depth) {
			for range e.random.IntN(3) {
				e.entry(v, depth)
			}
		}
	}
}

// goesOn says whether to fill what is so deep inside.
func (e *editor) goesOn(depth int) bool { return depth < 7 && e.random.IntN(depth+2) < 2 }

func composite(k reflect.Kind) bool {
	return k == reflect.Pointer || k == reflect.Slice || k == reflect.Map
}

// special fills values that say themselves what they look like.
func (e *editor) special(v reflect.Value) bool {
	if !v.CanAddr() {
		return false
	}
	moment := time.Unix(int64(e.random.IntN(3)), 0)
	switch p := v.Addr().Interface().(type) {
	case *metav1.Time:
		*p = metav1.Time{Time: moment.UTC()}
		if e.one(4) {
			*p = metav1.Time{}
		}
	case *metav1.MicroTime:
		*p = metav1.MicroTime{Time: moment}
	case *metav1.Duration:
		p.Duration = time.Duration(e.random.IntN(3)) * time.Second
	case *resource.Quantity:
		*p = resource.MustParse([]string{"1", "1000m", "2", "0", "1Gi"}[e.random.IntN(5)])
	case *intstr.IntOrString:
		*p = intstr.FromInt32(int32(e.random.IntN(3)))
		if e.one(2) {
			*p = intstr.FromString(words[e.random.IntN(len(words))])
		}
	case *apiruntime.RawExtension:
		*p = apiruntime.RawExtension{Raw: [][]byte{nil, []byte(`{"a":1,"b":2}`), []byte(`{"b":2,"a":1}`), []byte(`{"a":[1]}`)}[e.random.IntN(4)]}
	case *[]metav1.ManagedFieldsEntry:
	case *any:
		*p = []any{nil, "a", int64(1), map[string]any{"a": map[string]any{"b": "c"}}, map[string]any{"a": map[string]any{"b": "d"}, "x": []any{"y"}}}[e.random.IntN(5)]
	default:
		return false
	}
	return true
}
