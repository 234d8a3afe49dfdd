// Package examples tests what the examples have in common.
package examples

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	autoscalingv1 "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v1"
	autoscalingv2 "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v2"
	extensionsv1beta1 "github.com/typeplane/typeplane/examples/cluster/api/extensions/v1beta1"
	libraryv1 "github.com/typeplane/typeplane/examples/library/api/v1"
	libraryv1alpha1 "github.com/typeplane/typeplane/examples/library/api/v1alpha1"
	"github.com/typeplane/typeplane/generators/prototest"
)

type message = prototest.Message

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

// TestAgainstProto compiles the .proto files and lets another implementation read what the
// generated code writes, and the other way round, by nothing but those files.
func TestAgainstProto(t *testing.T) {
	for _, k := range kinds {
		goType := reflect.TypeOf(k.message).Elem()
		t.Run(strings.TrimPrefix(goType.PkgPath(), module+"/examples/")+"."+goType.Name(), func(t *testing.T) {
			descriptor := compile(t, goType)
			prototest.Check(t, descriptor, k.message, k.shared)
		})
	}
}

const module = "github.com/typeplane/typeplane"

// compile makes the descriptor of a type from the generated.proto of its package.
func compile(t *testing.T, goType reflect.Type) protoreflect.MessageDescriptor {
	t.Helper()
	name := goType.PkgPath() + "/generated.proto"
	file, err := prototest.Compile(t.Context(), protoFiles(t), name)
	if err != nil {
		t.Fatal(err)
	}
	m := file.Messages().ByName(protoreflect.Name(goType.Name()))
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

// FuzzUnmarshal feeds the decoders of all kinds with anything: they may refuse it, but what they
// accept is written and read again, alike in both modes.
func FuzzUnmarshal(f *testing.F) {
	filler := prototest.NewFiller(2)
	for i, k := range kinds {
		m := prototest.Fresh(k.message)
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
		plain, shared := prototest.Fresh(k.message), prototest.Fresh(k.message)
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
		again := prototest.Fresh(k.message)
		if err := again.Unmarshal(first); err != nil {
			t.Fatalf("%v: what was written cannot be read: %x", err, first)
		}
	})
}
