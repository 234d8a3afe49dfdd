package protobuf_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
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
		{"the last one goes", "A string\nB string\n", `a=1 b=2 reserved 3 reserved "c"`},
		{"another comes", "A string\nNew string\nB string\n", `a=1 new=4 b=2 reserved 3 reserved "c"`},
		{"the last one cannot just come back", "C string\nA string\nNew string\nB string\n", "its name c was that of a field that is gone"},
		{"nor with its number", "C string `protobuf:\"bytes,3,opt,name=c\"`\nA string\nNew string\nB string\n", "its number 3 was that of a field that is gone; use 5"},
		{"another name can", "C2 string\nA string\nNew string\nB string\n", `c2=5 a=1 new=4 b=2 reserved 3 reserved "c"`},
		{"a Go name changes", "C2 string\nAlpha string `json:\"a\"`\nNew string\nB string\n", `c2=5 a=1 new=4 b=2 reserved 3 reserved "c"`},
		{"all go", "", `reserved 1 to 5 reserved "a", "b", "c", "c2", "new"`},
		{"a new start", "D int32\n", `d=6 reserved 1 to 5 reserved "a", "b", "c", "c2", "new"`},
		{"a new name for the same number", "E int32 `protobuf:\"varint,6,opt,name=e\"`\n", `e=6 reserved 1 to 5 reserved "a", "b", "c", "c2", "new"`},
		{"another type cannot have the number", "F string `protobuf:\"bytes,6,opt,name=f\"`\n", "6 was that of e, which is optional int32; use 7"},
		{"nor can the type of a field change", "E string\n", "it was optional int32 and is now optional string"},
		{"a reserved number is refused", "E int32\nG int32 `protobuf:\"varint,2,opt,name=g\"`\n", "its number 2 was that of a field that is gone; use 7"},
		{"and nothing was written in between", "E int64\n", `e=6 reserved 1 to 5 reserved "a", "b", "c", "c2", "new"`},
		{"a comment remembers too", "E int64\n\n// +k8s:deprecated=tomb,protobuf=9\n", `e=6 reserved 1 to 5`},
		{"its number", "E int64\nH string `protobuf:\"bytes,9,opt,name=h\"`\n\n// +k8s:deprecated=tomb,protobuf=9\n", "its number 9 was that of a field that is gone; use 10"},
		{"and its name", "E int64\nTomb string\n\n// +k8s:deprecated=tomb,protobuf=9\n", "its name tomb was that of a field that is gone"},
		{"so what comes goes behind it", "E int64\nH string\n\n// +k8s:deprecated=tomb,protobuf=9\n", `e=6 h=10 reserved 1 to 5`},
	} {
		if got := gen(step.fields); !strings.Contains(got, step.want) {
			t.Errorf("%s: got %s, want %s", step.name, got, step.want)
		}
	}
}

var fieldLine = regexp.MustCompile(`(?m)^  (?:optional \w+ (\w+) = (\d+)|(reserved .*));$`)

// run generates twice, so that the second run finds what the first one wrote; it returns the
// numbers or the problems.
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

// What a package has of its own stays when it stops being generated: generated.pb.go goes, the
// memory of numbers stays.
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
