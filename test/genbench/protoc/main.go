// Command protoc stands in for Google's compiler, which cannot be had from a Go module. It reads
// .proto files with protocompile and gives them to protoc-gen-gogo, as protoc does with --gogo_out.
// It knows the flags that go-to-protobuf passes, and no others.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "protoc:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var imports, files []string
	var out string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-I" && i+1 < len(args):
			i++
			imports = append(imports, args[i])
		case strings.HasPrefix(args[i], "--gogo_out="):
			out = strings.TrimPrefix(args[i], "--gogo_out=")
		case strings.HasPrefix(args[i], "-"):
			return fmt.Errorf("%s is not a flag that this knows", args[i])
		default:
			files = append(files, filepath.ToSlash(filepath.Clean(args[i])))
		}
	}
	request, err := compile(imports, files)
	if err != nil {
		return err
	}
	return generate(request, out)
}

// compile makes what a plug-in gets: the files and all that they import, importees first.
func compile(imports, files []string) (*pluginpb.CodeGeneratorRequest, error) {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: imports}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	linked, err := compiler.Compile(context.Background(), files...)
	if err != nil {
		return nil, err
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: files}
	seen := map[string]bool{}
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		request.ProtoFile = append(request.ProtoFile, description(f))
	}
	for _, f := range linked {
		add(f)
	}
	return request, nil
}

func description(f protoreflect.FileDescriptor) *descriptorpb.FileDescriptorProto {
	if f, ok := f.(protoreflect.FileImport); ok {
		return description(f.FileDescriptor)
	}
	if r, ok := f.(linker.Result); ok {
		return r.FileDescriptorProto()
	}
	return protodesc.ToFileDescriptorProto(f)
}

// generate runs the plug-in and writes the files that it answers with.
func generate(request *pluginpb.CodeGeneratorRequest, out string) error {
	in, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	cmd := exec.Command("protoc-gen-gogo")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	answer, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("protoc-gen-gogo: %w", err)
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(answer, &response); err != nil {
		return err
	}
	if response.Error != nil {
		return fmt.Errorf("protoc-gen-gogo: %s", *response.Error)
	}
	for _, f := range response.File {
		name := filepath.Join(out, f.GetName())
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
