package protobuf_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/emit"
	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/protobuf"
)

// A package lives: fields come, go, come back and change. No number is ever used twice.
func TestNumbersOverTime(t *testing.T) {
	dir := gentest.Module(t, &txtar.Archive{})
	gen := func(fields string) string {
		t.Helper()
		write(t, filepath.Join(dir, "v1/types.go"), "// +k8s:protobuf-gen=package\n\npackage v1\n\ntype Book struct {\n"+fields+"}\n")
		return run(t, dir)
	}
	for _, step := range []struct{ name, fields, want string }{
		{"in Go order", "A string\nB string\nC string\n", "a=1 b=2 c=3"},
		{"nothing new", "A string\nB string\nC string\n", "a=1 b=2 c=3"},
		{"the last one goes", "A string\nB string\n", "a=1 b=2 reserved 3"},
		{"another comes", "A string\nNew string\nB string\n", "a=1 new=4 b=2 reserved 3"},
		{"the last one comes back", "C string\nA string\nNew string\nB string\n", "c=5 a=1 new=4 b=2 reserved 3"},
		{"all go", "", "reserved 1 to 5"},
		{"a new start", "A int32\n", "a=6 reserved 1 to 5"},
		{"a new name for the same number", "B int32 `protobuf:\"varint,6,opt,name=b\"`\n", "b=6 reserved 1 to 5"},
		{"another type cannot have the number", "C string `protobuf:\"bytes,6,opt,name=c\"`\n", "6 was that of b, which is optional int32; use 7"},
		{"nor can the type of a field change", "B string\n", "it was optional int32 and is now optional string"},
		{"a reserved number is refused", "B int32\nD int32 `protobuf:\"varint,2,opt,name=d\"`\n", "its number 2 was that of a field that is gone; use 7"},
		{"and nothing was written in between", "B int64\n", "b=6 reserved 1 to 5"},
	} {
		if got := gen(step.fields); !strings.Contains(got, step.want) {
			t.Errorf("%s: got %s, want %s", step.name, got, step.want)
		}
	}
}

var fieldLine = regexp.MustCompile(`(?m)^  (?:optional \w+ (\w+) = (\d+)|(reserved .*));$`)

// run generates twice, so that the second run finds what the first one wrote; it returns the numbers or the problems.
func run(t *testing.T, dir string) string {
	t.Helper()
	cfg := generators.Config{Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Plugins: []generators.Plugin{protobuf.Plugin()}}
	result, err := generators.Run(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Problems) > 0 {
		return result.Problems[0].String()
	}
	again, err := generators.Run(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range again.Changes {
		if c.State != emit.Unchanged {
			t.Errorf("the second run finds %s %s", c.Path, c.State)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "v1/generated.proto"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range fieldLine.FindAllStringSubmatch(string(data), -1) {
		if m[3] != "" {
			out = append(out, m[3])
		} else {
			out = append(out, m[1]+"="+m[2])
		}
	}
	return strings.Join(out, " ")
}

// What a package has of its own stays when it stops being generated: generated.pb.go goes, the memory of numbers stays.
func TestTagGone(t *testing.T) {
	dir := gentest.Module(t, &txtar.Archive{})
	source := filepath.Join(dir, "v1/types.go")
	write(t, source, "// +k8s:protobuf-gen=package\n\npackage v1\n\ntype Book struct {\n\tA string\n}\n")
	run(t, dir)
	write(t, source, "// +k8s:protobuf-gen=false\n\npackage v1\n\ntype Book struct {\n\tA string\n}\n")
	run(t, dir)
	entries, err := filepath.Glob(filepath.Join(dir, "v1/*"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, filepath.Base(e))
	}
	if diff := cmp.Diff([]string{"generated.proto", "types.go"}, names); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
