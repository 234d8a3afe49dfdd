package protobuf_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/typeplane/typeplane/generators/prototest"
)

// againstProto compiles every .proto file of a case, and writes a test beside it that holds each
// message with code against its descriptor.
func againstProto(t *testing.T, module string) {
	files, own := apimachinery(), map[string]string{}
	err := filepath.WalkDir(module, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".proto" {
			return err
		}
		rel, err := filepath.Rel(module, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		own["example.com/"+filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if own[name] == "" {
			own[name] = text
		}
	}
	for name := range own {
		rel, ok := strings.CutPrefix(name, "example.com/")
		if !ok {
			continue
		}
		file, err := prototest.Compile(t.Context(), own, name)
		if err != nil {
			t.Errorf("%s: %v", rel, err)
			continue
		}
		writeTest(t, filepath.Join(module, filepath.FromSlash(filepath.Dir(rel))), file)
	}
}

// apimachinery are the .proto files that messages of every module may use, by import path.
var apimachinery = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, path := range []string{"api/resource", "apis/meta/v1", "runtime", "runtime/schema", "util/intstr"} {
		path = "k8s.io/apimachinery/pkg/" + path
		dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
		if err != nil {
			panic(err)
		}
		data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "generated.proto"))
		if err != nil {
			panic(err)
		}
		out[path+"/generated.proto"] = string(data)
	}
	return out
})

// writeTest writes the descriptors of a file and a test of its messages into a package.
func writeTest(t *testing.T, dir string, file protoreflect.FileDescriptor) {
	pkg, methods, byHand := declared(t, dir)
	check := "Check"
	if byHand {
		check = "CheckBytes"
	}
	var cases bytes.Buffer
	for i := range file.Messages().Len() {
		name := string(file.Messages().Get(i).Name())
		if methods[name]["Marshal"] && methods[name]["Unmarshal"] {
			fmt.Fprintf(&cases, "\t\t%q: new(%s),\n", name, name)
		}
	}
	if cases.Len() == 0 {
		return // without code, as in a package that asks for the file only
	}
	packed, err := prototest.Pack(file)
	if err != nil {
		t.Fatal(err)
	}
	test := strings.NewReplacer("PACKAGE", pkg, "CHECK", check, "CASES", cases.String()).Replace(againstProtoTest)
	for name, data := range map[string][]byte{"proto.binpb": packed, "proto_test.go": []byte(test)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const againstProtoTest = `package PACKAGE

import (
	"os"
	"testing"

	"github.com/typeplane/typeplane/generators/prototest"

	"google.golang.org/protobuf/reflect/protoreflect"
)

func TestAgainstProto(t *testing.T) {
	data, err := os.ReadFile("proto.binpb")
	if err != nil {
		t.Fatal(err)
	}
	file, err := prototest.Unpack(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]prototest.Message{
CASES	} {
		t.Run(name, func(t *testing.T) {
			prototest.CHECK(t, file.Messages().ByName(protoreflect.Name(name)), m)
		})
	}
}
`

// declared are the methods of a package's types that were printed, by type and name, and whether a
// type marshals itself by a method that was not.
func declared(t *testing.T, dir string) (pkg string, methods map[string]map[string]bool, byHand bool) {
	methods = map[string]map[string]bool{}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		printed := filepath.Base(name) == "generated.pb.go"
		if printed {
			pkg = file.Name.Name
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			if !printed {
				byHand = byHand || fn.Name.Name == "Marshal"
				continue
			}
			of := fn.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if id, ok := of.(*ast.Ident); ok {
				if methods[id.Name] == nil {
					methods[id.Name] = map[string]bool{}
				}
				methods[id.Name][fn.Name.Name] = true
			}
		}
	}
	return pkg, methods, byHand
}
