package roundtrip_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/roundtrip"

	"golang.org/x/tools/txtar"
)

const book = `// +typeplane:roundtrip-gen=true
package v1

import (
	"bytes"
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type Book struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `

	Title string   ` + "`json:\"title\"`" + `
	Names []string ` + "`json:\"names\"`" + `
}

func (in *Book) DeepCopy() *Book {
	out := *in
	out.Names = slices.Clone(in.Names)
	return &out
}

func (in *Book) Marshal() ([]byte, error)    { return json.Marshal(in) }
func (in *Book) Unmarshal(data []byte) error { return json.NewDecoder(bytes.NewReader(data)).Decode(in) }

func SetObjectDefaults_Book(in *Book) {
	if in.Title == "" {
		in.Title = "none"
	}
}
`

// faults are what may be wrong with generated code, and what the test says about it.
var faults = []struct{ name, old, new, says string }{
	{"copy shares", "out.Names = slices.Clone(in.Names)", "_ = slices.Clone(in.Names)", "the copy shares memory with the original at .Names"},
	{"copy loses", "	return &out", "	out.Title = \"\"\n	return &out", "DeepCopy changes the value"},
	{"encoding loses", "return json.Marshal(in) }", "return json.Marshal(&Book{Title: in.Title}) }", "protobuf: encoding and decoding changes the value"},
	{"sharing loses", "func SetObjectDefaults_Book", "func UnmarshalShared_Book(data []byte, in *Book) error { return nil }\n\nfunc SetObjectDefaults_Book", "protobuf, sharing memory: encoding and decoding changes the value"},
	{"decoding fails", "Decode(in) }", "Decode(new(int)) }", "protobuf: decode what was encoded"},
	{"json loses", "`json:\"names\"`", "`json:\"-\"`", "JSON: encoding and decoding changes the value"},
	{"json of a type of its own", "func (in *Book) DeepCopy()", "func (in *Book) UnmarshalJSON([]byte) error { return bytes.ErrTooLarge }\n\nfunc (in *Book) DeepCopy()", "JSON: decode what was encoded: bytes.Buffer: too large"},
	{"defaults go on", "if in.Title == \"\" {", "if in.Title != \"x\" {\n		in.Names = append(in.Names, \"x\")", "defaults that are set a second time change the value"},
	{"field never set", "Names []string", "Never struct{} `json:\"never\"`\n	Names []string", "was zero in all 100 values: the checks say nothing about it"},
	{"nothing is wrong", "", "", ""},
}

// TestFaults runs the generated test against code with one fault each.
func TestFaults(t *testing.T) {
	var files txtar.Archive
	for i, f := range faults {
		files.Files = append(files.Files, txtar.File{Name: fmt.Sprintf("f%d/v1/types.go", i), Data: []byte(strings.Replace(book, f.old, f.new, 1))})
	}
	dir := gentest.Module(t, &files)
	run(t, dir)
	for i, f := range faults {
		cmd := exec.Command("go", "test", fmt.Sprintf("./f%d/v1", i))
		cmd.Dir, cmd.Env = dir, gentest.Env()
		out, err := cmd.CombinedOutput()
		if (err == nil) != (f.says == "") || !strings.Contains(string(out), f.says) {
			t.Errorf("%s: %v, want %q in\n%s", f.name, err, f.says, out)
		}
	}
}

func run(t *testing.T, dir string, more ...generators.Plugin) generators.Result {
	t.Helper()
	result, err := generators.Run(generators.Config{
		Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Plugins: append([]generators.Plugin{roundtrip.Plugin()}, more...),
	})
	if err != nil || len(result.Problems) > 0 {
		t.Fatal(err, result.Problems)
	}
	return result
}

// TestJSON names functions that another plug-in prints. What they need is not part of this module
// yet, so it is only read.
func TestJSON(t *testing.T) {
	dir := gentest.Module(t, &txtar.Archive{Files: []txtar.File{{Name: "v1/types.go", Data: []byte(book)}}})
	printer := generators.Plugin{
		Name:    "json",
		Outputs: []emit.Output{{Name: "zz_generated.json.go", Generator: "json-gen"}},
		Generate: func(pass *generators.Pass) {
			f := pass.File(pass.Packages[0], "zz_generated.json.go", "json-gen")
			f.P("func AppendJSON_Book(dst []byte, in *Book) ([]byte, error) { return dst, nil }")
			f.P("func ReadJSON_Book(r any, out *Book) {}")
		},
	}
	run(t, dir, printer)
	got := strings.Fields(read(t, dir, "v1/zz_generated.roundtrip_test.go"))
	for _, want := range []string{"AppendJSON_Book,", "json.NewReader(data)", "ReadJSON_Book(r,", "r.Err()"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

// TestPartialRun refuses to say what a package has when not all was generated.
func TestPartialRun(t *testing.T) {
	dir := gentest.Module(t, &txtar.Archive{Files: []txtar.File{{Name: "v1/types.go", Data: []byte(book)}}})
	result, err := generators.Run(generators.Config{
		Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."},
		Plugins: []generators.Plugin{roundtrip.Plugin()}, Known: []generators.Plugin{{Name: "deepcopy"}},
	})
	if err != nil || len(result.Problems) != 1 || !strings.Contains(result.Problems[0].String(), "so it needs a run of all; leave --generators out") {
		t.Errorf("%v %v", err, result.Problems)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
