// Package examples tests what the examples have in common.
package examples

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"sigs.k8s.io/randfill"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	autoscalingv1 "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v1"
	autoscalingv2 "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v2"
	extensionsv1beta1 "github.com/typeplane/typeplane/examples/cluster/api/extensions/v1beta1"
	libraryv1 "github.com/typeplane/typeplane/examples/library/api/v1"
	libraryv1alpha1 "github.com/typeplane/typeplane/examples/library/api/v1alpha1"
)

// message is what generated types can do.
type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// kinds are those whose messages the examples declare, with the functions that share memory.
var kinds = []struct {
	message message
	shared  func([]byte, message) error
}{
	kind(libraryv1.UnmarshalShared_Book), kind(libraryv1.UnmarshalShared_BookList),
	kind(libraryv1.UnmarshalShared_Shelf), kind(libraryv1.UnmarshalShared_ShelfList),
	kind(libraryv1alpha1.UnmarshalShared_Book), kind(libraryv1alpha1.UnmarshalShared_BookList),
	kind(autoscalingv1.UnmarshalShared_HorizontalPodAutoscaler), kind(autoscalingv1.UnmarshalShared_HorizontalPodAutoscalerList),
	kind(autoscalingv2.UnmarshalShared_HorizontalPodAutoscaler), kind(autoscalingv2.UnmarshalShared_HorizontalPodAutoscalerList),
	kind(extensionsv1beta1.UnmarshalShared_HorizontalPodAutoscaler), kind(extensionsv1beta1.UnmarshalShared_HorizontalPodAutoscalerList),
}

func kind[T any, P interface {
	*T
	message
}](shared func([]byte, P) error) (k struct {
	message message
	shared  func([]byte, message) error
}) {
	k.message = P(new(T))
	k.shared = func(data []byte, m message) error { return shared(data, m.(P)) }
	return k
}

// TestAgainstProto compiles the .proto files and lets another implementation read what the generated code writes, and
// the other way round, by nothing but those files.
func TestAgainstProto(t *testing.T) {
	for _, k := range kinds {
		goType := reflect.TypeOf(k.message).Elem()
		t.Run(strings.TrimPrefix(goType.PkgPath(), module+"/examples/")+"."+goType.Name(), func(t *testing.T) {
			descriptor := compile(t, goType)
			filler := newFiller(1)
			for range 100 {
				sent := fresh(k.message)
				filler.Fill(sent)
				data, err := sent.Marshal()
				if err != nil {
					t.Fatal(err)
				}
				read := dynamicpb.NewMessage(descriptor)
				if err := proto.Unmarshal(data, read); err != nil {
					t.Fatal(err)
				}
				sameFields(t, goType.Name(), reflect.ValueOf(sent).Elem(), read)
				written, err := proto.MarshalOptions{Deterministic: true}.Marshal(read)
				if err != nil || !bytes.Equal(written, data) {
					t.Fatalf("%v: written from the .proto file\n%x\nby the generated code\n%x", err, written, data)
				}
				for _, unmarshal := range []func([]byte, message) error{k.shared, func(data []byte, m message) error { return m.Unmarshal(data) }} {
					back := fresh(k.message)
					if err := unmarshal(written, back); err != nil {
						t.Fatal(err)
					}
					if again, err := back.Marshal(); err != nil || !bytes.Equal(again, data) {
						t.Fatalf("%v: read and written again\n%x\nwas\n%x", err, again, data)
					}
				}
			}
		})
	}
}

// sameFields compares a Go struct with a message by the names of fields.
func sameFields(t *testing.T, path string, v reflect.Value, m protoreflect.Message) {
	t.Helper()
	if len(m.GetUnknown()) > 0 {
		t.Fatalf("%s: the .proto file does not know %x", path, m.GetUnknown())
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := protoName(f)
		field := m.Descriptor().Fields().ByName(protoreflect.Name(name))
		if f.Type == reflect.TypeFor[metav1.TypeMeta]() || !f.IsExported() {
			continue
		}
		if field == nil {
			t.Fatalf("%s: the .proto file has no field %s", path, name)
		}
		sameValue(t, path+"."+f.Name, v.Field(i), m.Has(field), m.Get(field), field)
	}
}

func sameValue(t *testing.T, path string, v reflect.Value, has bool, got protoreflect.Value, field protoreflect.FieldDescriptor) {
	t.Helper()
	if v.Kind() == reflect.Pointer {
		if has == v.IsNil() {
			t.Fatalf("%s: there is %v, in the .proto's message %v", path, !v.IsNil(), has)
		}
		if v = v.Elem(); !has {
			return
		}
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		n := 1
		if field.IsList() {
			n = got.List().Len()
		} else if field.IsMap() {
			n = got.Map().Len()
		}
		if has && (field.IsList() || field.IsMap()) && n != v.Len() {
			t.Fatalf("%s: %d values, want %d", path, n, v.Len())
		}
		for i := 0; field.IsList() && i < n; i++ {
			sameOne(t, fmt.Sprintf("%s[%d]", path, i), v.Index(i), got.List().Get(i))
		}
	default:
		sameOne(t, path, v, got)
	}
}

// sameOne compares a single value; messages that are written by hand are left to the bytes.
func sameOne(t *testing.T, path string, v reflect.Value, got protoreflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		if v.String() != got.String() {
			t.Fatalf("%s: %q, want %q", path, got, v)
		}
	case reflect.Bool:
		if v.Bool() != got.Bool() {
			t.Fatalf("%s: %v, want %v", path, got, v)
		}
	case reflect.Int32, reflect.Int64:
		if v.Int() != got.Int() {
			t.Fatalf("%s: %v, want %v", path, got, v)
		}
	case reflect.Struct:
		if strings.HasPrefix(v.Type().PkgPath(), module) || v.Type() == reflect.TypeFor[metav1.ObjectMeta]() {
			sameFields(t, path, v, got.Message())
		}
	}
}

const module = "github.com/typeplane/typeplane"

// protoName is how the .proto file calls a field.
func protoName(f reflect.StructField) string {
	for _, part := range strings.Split(f.Tag.Get("protobuf"), ",") {
		if name, ok := strings.CutPrefix(part, "name="); ok {
			return name
		}
	}
	if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
		return name
	}
	return strings.ToLower(f.Name[:1]) + f.Name[1:]
}

// compile makes the descriptor of a type from the generated.proto of its package.
func compile(t *testing.T, goType reflect.Type) protoreflect.MessageDescriptor {
	t.Helper()
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(protoFiles(t)),
	})}
	name := goType.PkgPath() + "/generated.proto"
	files, err := compiler.Compile(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	m := files.FindFileByPath(name).Messages().ByName(protoreflect.Name(goType.Name()))
	if m == nil {
		t.Fatalf("%s has no message %s", name, goType.Name())
	}
	return m
}

// protoFiles are the .proto files of the examples and of apimachinery, by import path.
func protoFiles(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{.Dir}}", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		path, dir, _ := strings.Cut(line, " ")
		if data, err := os.ReadFile(filepath.Join(dir, "generated.proto")); err == nil {
			files[path+"/generated.proto"] = string(data)
		}
	}
	return files
}

func fresh(m message) message { return reflect.New(reflect.TypeOf(m).Elem()).Interface().(message) }

// newFiller makes values of all sorts; those of apimachinery that have a form of their own are sound.
func newFiller(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).RandSource(rand.NewSource(seed)).Funcs(
		func(*metav1.TypeMeta, randfill.Continue) {}, // not part of the message
		func(q *resource.Quantity, c randfill.Continue) { *q = resource.MustParse(fmt.Sprint(c.Int31(), "m")) },
		func(at *metav1.Time, c randfill.Continue) { *at = metav1.Unix(c.Int63n(1<<32), 0) },
		func(at *metav1.MicroTime, c randfill.Continue) {
			*at = metav1.NewMicroTime(time.Unix(c.Int63n(1<<32), 0))
		},
		func(v *intstr.IntOrString, c randfill.Continue) { *v = intstr.FromInt32(c.Int31()) },
		func(f *metav1.FieldsV1, c randfill.Continue) { f.SetRawBytes([]byte(`{"f:spec":{}}`)) },
	)
}

// FuzzUnmarshal feeds the decoders of all kinds with anything: they may refuse it, but what they accept is written and
// read again, alike in both modes.
func FuzzUnmarshal(f *testing.F) {
	filler := newFiller(2)
	for i, k := range kinds {
		m := fresh(k.message)
		filler.Fill(m)
		data, err := m.Marshal()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(i), data)
		f.Add(byte(i), data[:len(data)/2])
	}
	f.Add(byte(0), []byte("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"))
	f.Add(byte(0), bytes.Repeat([]byte{0x0b}, 1000))
	f.Add(byte(0), bytes.Repeat([]byte{0x12, 0}, 1000))
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		k := kinds[int(which)%len(kinds)]
		plain, shared := fresh(k.message), fresh(k.message)
		err := plain.Unmarshal(data)
		if sharedErr := k.shared(data, shared); fmt.Sprint(err) != fmt.Sprint(sharedErr) {
			t.Fatalf("%v, sharing memory %v", err, sharedErr)
		}
		if err != nil {
			return
		}
		first, err := plain.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if second, err := shared.Marshal(); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%v: sharing memory\n%x\nnot\n%x", err, second, first)
		}
		again := fresh(k.message)
		if err := again.Unmarshal(first); err != nil {
			t.Fatalf("%v: what was written cannot be read: %x", err, first)
		}
	})
}
