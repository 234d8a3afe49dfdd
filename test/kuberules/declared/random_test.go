package declared

import (
	"math/rand"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"
)

// words are texts of which each is valid in some places and wrong in others.
var words = []string{
	"", "a", "a", "b", "Bad text!", "example.com", "example.com/a", "kubernetes.io/a", "10.0.0.1", "10.0.0.0/8", "fd00::1",
	"rbac.authorization.k8s.io", "Role", "ClusterRole", "User", "Approved", "Denied", "Failed", "True", "False",
	"Queue", "Reject", "Limited", "Exempt", "IPv4", "IPv6", "FQDN", "Exists", "Equal", "NoSchedule", "NoExecute", "None",
	"ExactCount", "All", "example.com/a/b", "8a7b7c1e-5b0c-4c39-9d57-1f8a3f3f9a10",
	strings.Repeat("a", 64), strings.Repeat("a", 300), strings.Repeat("a.", 40) + "a", strings.Repeat("é", 2000),
}

// source makes random objects.
type source struct {
	*rand.Rand
	*randfill.Filler
}

func newSource(seed int64) source {
	fill := randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).MaxDepth(30)
	fill.Funcs(
		func(s *string, c randfill.Continue) { *s = words[c.Intn(len(words))] },
		func(n *int32, c randfill.Continue) { *n = int32(number(c)) },
		func(n *int64, c randfill.Continue) { *n = number(c) },
		func(m *metav1.ObjectMeta, c randfill.Continue) {
			c.Fill(&m.Name)
			c.Fill(&m.Namespace)
		},
		func(t *metav1.Time, c randfill.Continue) { *t = metav1.Unix(1_700_000_000+c.Int63n(3), 0) },
		func(*metav1.FieldsV1, randfill.Continue) {},
		func(raw *runtime.RawExtension, c randfill.Continue) { raw.Raw = []byte(`{}`) },
	)
	return source{rand.New(rand.NewSource(seed)), fill}
}

func number(c randfill.Continue) int64 {
	return []int64{-1, 0, 0, 1, 1, 2, 16, 33, 129, 1001, 100_001, 1 << 30}[c.Intn(12)]
}

// fill makes a new object. Lists are long now and then.
func (s source) fill(obj runtime.Object) {
	s.NumElements(0, 3)
	if s.Intn(10) == 0 {
		s.NumElements(0, 5)
	}
	s.Fill(obj)
	s.say(reflect.ValueOf(obj).Elem())
	if s.Intn(3) == 0 {
		s.lengthen(reflect.ValueOf(obj).Elem())
	}
}

// say gives texts of declared types, like enums, one of the words: a filler knows string alone.
func (s source) say(v reflect.Value) {
	walk(v, func(v reflect.Value) {
		if v.Kind() == reflect.String {
			v.SetString(words[s.Intn(len(words))])
		}
	})
}

// lengthen makes one list of an object so long that a limit on items is passed. Long lists in long
// lists would be gigabytes of one object.
func (s source) lengthen(v reflect.Value) {
	var lists []reflect.Value
	walk(v, func(v reflect.Value) {
		if v.Kind() == reflect.Slice && v.Len() > 0 && v.Type().Elem().Kind() != reflect.Uint8 {
			lists = append(lists, v)
		}
	})
	if len(lists) == 0 {
		return
	}
	list := lists[s.Intn(len(lists))]
	for want := []int{11, 11, 17, 21, 33, 70, 130}[s.Intn(7)]; list.Len() < want; {
		list.Set(reflect.Append(list, list.Index(s.Intn(list.Len()))))
	}
}

// change makes another object of one: some of what is in it is filled anew, moved, or taken out.
func (s source) change(obj runtime.Object) {
	walk(reflect.ValueOf(obj).Elem(), func(v reflect.Value) {
		if s.Intn(12) > 0 || !v.CanAddr() {
			return
		}
		if v.Kind() == reflect.Slice && v.Len() > 1 && s.Intn(2) == 0 {
			a, b := v.Index(s.Intn(v.Len())), v.Index(s.Intn(v.Len()))
			was := reflect.New(a.Type()).Elem()
			was.Set(a)
			a.Set(b)
			b.Set(was)
			return
		}
		s.Fill(v.Addr().Interface())
		s.say(v)
	})
}

// walk visits what is in a value, the outer before the inner.
func walk(v reflect.Value, visit func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			visit(v.Elem())
			walk(v.Elem(), visit)
		}
	case reflect.Struct:
		if v.Type().PkgPath() == "time" || v.Type() == reflect.TypeFor[metav1.Time]() {
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "TypeMeta" && f.Type.Kind() != reflect.Interface {
				visit(v.Field(i))
				walk(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i))
			walk(v.Index(i), visit)
		}
	}
}
