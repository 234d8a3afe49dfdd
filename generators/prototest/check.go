// Package prototest compares printed protobuf code with its generated.proto: another implementation
// reads what the code writes and the other way round. It uses only the descriptors of that file.
//
// Start reading at Check. The package is for tests only.
package prototest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"sigs.k8s.io/randfill"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Message is what printed code can do.
type Message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// Decoder reads a message; Message.Unmarshal is one.
type Decoder func([]byte, Message) error

// Compile makes the descriptors of one of some .proto files, which are given by their import paths.
func Compile(ctx context.Context, files map[string]string, name string) (protoreflect.FileDescriptor, error) {
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(files),
	})}
	compiled, err := compiler.Compile(ctx, name)
	if err != nil {
		return nil, err
	}
	return compiled.FindFileByPath(name), nil
}

// Pack is a file with all that it imports, as a message for Unpack.
func Pack(file protoreflect.FileDescriptor) ([]byte, error) {
	set := &descriptorpb.FileDescriptorSet{}
	added := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if added[f.Path()] {
			return
		}
		added[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
	}
	add(file)
	return proto.MarshalOptions{Deterministic: true}.Marshal(set)
}

// Unpack is the file that Pack was given.
func Unpack(data []byte) (protoreflect.FileDescriptor, error) {
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(data, set); err != nil {
		return nil, err
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, err
	}
	return files.FindFileByPath(set.File[len(set.File)-1].GetName())
}

// Check fills messages like m with anything, and compares what both implementations make of them,
// by the names of fields and as bytes. m is not changed. Each of the decoders, besides that of m
// itself, must read the same.
func Check(t *testing.T, descriptor protoreflect.MessageDescriptor, m Message, decoders ...Decoder) {
	t.Helper()
	check(t, descriptor, m, true, decoders)
}

// CheckBytes is Check for messages that hold others with code by hand: these may not write what
// their fields are.
func CheckBytes(t *testing.T, descriptor protoreflect.MessageDescriptor, m Message) {
	t.Helper()
	check(t, descriptor, m, false, nil)
}

func check(t *testing.T, descriptor protoreflect.MessageDescriptor, m Message, fields bool, decoders []Decoder) {
	t.Helper()
	if holdsFunc(reflect.TypeOf(m), map[reflect.Type]bool{}) {
		t.Skip("it holds functions, which have no random value")
	}
	filler := NewFiller(1)
	decoders = append(decoders, func(data []byte, m Message) error { return m.Unmarshal(data) })
	for range 100 {
		sent := Fresh(m)
		filler.Fill(sent)
		dropNils(reflect.ValueOf(sent).Elem())
		data, err := sent.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		read := dynamicpb.NewMessage(descriptor)
		if err := proto.Unmarshal(data, read); err != nil {
			t.Fatal(err)
		}
		if v := reflect.ValueOf(sent).Elem(); fields && v.Kind() == reflect.Struct {
			sameFields(t, v.Type().Name(), v, read)
		}
		written, err := proto.MarshalOptions{Deterministic: true}.Marshal(read)
		if err != nil || !bytes.Equal(written, data) {
			t.Fatalf("%v: written from the .proto file\n%x\nby the printed code\n%x", err, written, data)
		}
		for _, decode := range decoders {
			back := Fresh(m)
			if err := decode(written, back); err != nil {
				t.Fatal(err)
			}
			if again, err := back.Marshal(); err != nil || !bytes.Equal(again, data) {
				t.Fatalf("%v: read and written again\n%x\nwas\n%x\nof %+v", err, again, data, sent)
			}
		}
	}
}

// Fresh is an empty message of the same type.
func Fresh(m Message) Message { return reflect.New(reflect.TypeOf(m).Elem()).Interface().(Message) }

// handWritten are the messages of apimachinery whose fields in Go are others than in the .proto
// file.
var handWritten = map[reflect.Type]bool{
	reflect.TypeFor[resource.Quantity](): true, reflect.TypeFor[metav1.Time](): true, reflect.TypeFor[metav1.MicroTime](): true,
	reflect.TypeFor[intstr.IntOrString](): true, reflect.TypeFor[metav1.FieldsV1](): true,
}

// dropNils takes nil out of lists of pointers, for protobuf can't tell it from an empty message. It
// takes empty bytes out of maps, for Kubernetes leaves out the value of such an entry, and others
// don't.
func dropNils(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			dropNils(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				dropNils(v.Field(i))
			}
		}
	case reflect.Slice:
		kept := v.Slice(0, 0)
		for i := range v.Len() {
			if e := v.Index(i); e.Kind() != reflect.Pointer || !e.IsNil() {
				dropNils(e)
				kept = reflect.Append(kept, e)
			}
		}
		v.Set(kept)
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if e := entries.Value(); e.Kind() == reflect.Slice && e.Len() == 0 {
				v.SetMapIndex(entries.Key(), reflect.Value{})
			}
		}
	}
}

func holdsFunc(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Func, reflect.Chan:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
		return holdsFunc(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() && holdsFunc(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
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
		if !handWritten[v.Type()] {
			sameFields(t, path, v, got.Message())
		}
	}
}

// protoName is how the .proto file calls a field.
func protoName(f reflect.StructField) string {
	for _, part := range strings.Split(f.Tag.Get("protobuf"), ",") {
		if name, ok := strings.CutPrefix(part, "name="); ok {
			return name
		}
	}
	if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); protoreflect.Name(name).IsValid() {
		return name
	}
	return strings.ToLower(f.Name[:1]) + f.Name[1:]
}

// NewFiller makes values of all sorts, also of recursive types; those of apimachinery that have a
// form of their own are sound.
func NewFiller(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).MaxDepth(12).RandSource(rand.NewSource(seed)).Funcs(
		func(*metav1.TypeMeta, randfill.Continue) {}, // not part of the message
		func(q *resource.Quantity, c randfill.Continue) { *q = resource.MustParse(fmt.Sprint(c.Int31(), "m")) },
		func(at *metav1.Time, c randfill.Continue) { *at = metav1.Unix(c.Int63n(1<<32), 0) },
		func(at *metav1.MicroTime, c randfill.Continue) {
			*at = metav1.NewMicroTime(time.Unix(c.Int63n(1<<32), 0))
		},
		func(v *intstr.IntOrString, c randfill.Continue) { *v = intstr.FromInt32(c.Int31()) },
		func(o *runtime.RawExtension, c randfill.Continue) { o.Raw = []byte(`{"kind":"Any"}`) },
		func(f *metav1.FieldsV1, c randfill.Continue) { f.SetRawBytes([]byte(`{"f:spec":{}}`)) },
	)
}
