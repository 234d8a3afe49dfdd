package defaults

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// words are texts on which some default depends, and others.
var words = []string{
	"a", "b", "User", "Group", "ServiceAccount", "10.0.0.1", "fd00::1", "http", "Bad text!", "cpu", "memory", "hugepages-2Mi", "example.com/gpu",
	"nginx", "nginx:1.2", "nginx:latest", "host:5000/nginx", "host:5000/nginx:latest", "a/b/c:v1", "nginx:", "Nginx", ":latest",
	"nginx@sha256:" + strings.Repeat("0", 64), "nginx:latest@sha256:" + strings.Repeat("0", 64), "nginx@sha256:0",
}

// quantities are amounts, some of them finer than anybody counts.
var quantities = []string{"0", "1", "100m", "100n", "1500u", "1.0001", "1Gi", "512Mi", "10M", "-1", "1e3"}

// source makes random objects.
type source struct {
	*rand.Rand
	enums enums
	// fullness is the part of the optional fields that have a value.
	fullness float64
}

// fill fills a value in, as far as the source's fullness says.
func (s *source) fill(v reflect.Value) {
	if s.special(v.Addr().Interface()) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); field.Kind() == reflect.Struct || s.Float64() < s.fullness {
				s.fill(field)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		s.fill(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(s.word()))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), s.Intn(3), 2))
		for i := range v.Len() {
			s.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range s.Intn(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			s.fill(key)
			s.fill(value)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString(s.text(v.Type()))
	case reflect.Bool:
		v.SetBool(s.Intn(2) == 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{-1, 0, 0, 1, 2, 10, 600}[s.Intn(7)])
	default:
		panic(fmt.Sprintf("no way to fill a %s", v.Type()))
	}
}

// special fills in what is more than its fields, and says whether it has.
func (s *source) special(p any) bool {
	switch p := p.(type) {
	case *metav1.TypeMeta:
	case *metav1.ObjectMeta:
		for _, text := range []any{&p.Name, &p.Namespace, &p.Labels, &p.Annotations} {
			if s.Float64() < s.fullness {
				s.fill(reflect.ValueOf(text).Elem())
			}
		}
	case *metav1.Time:
		*p = metav1.Unix(1_700_000_000+s.Int63n(3), 0)
	case *metav1.MicroTime:
		*p = metav1.NewMicroTime(time.UnixMicro(1_700_000_000_000_000 + s.Int63n(3)))
	case *metav1.Duration:
		p.Duration = time.Duration(s.Intn(3)) * time.Second
	case *resource.Quantity:
		*p = resource.MustParse(quantities[s.Intn(len(quantities))])
	case *intstr.IntOrString:
		*p = []intstr.IntOrString{{}, intstr.FromInt32(80), intstr.FromString(""), intstr.FromString("25%"), intstr.FromString("http")}[s.Intn(5)]
	case *runtime.RawExtension:
		p.Raw = []byte(`{"a":1}`)
	default:
		return false
	}
	return true
}

// text is one of the values that are declared for a type of texts, or any.
func (s *source) text(t reflect.Type) string {
	if values := s.enums[t.PkgPath()+"."+t.Name()]; len(values) > 0 && s.Intn(8) > 0 {
		return values[s.Intn(len(values))]
	}
	return s.word()
}

func (s *source) word() string { return words[s.Intn(len(words))] }
