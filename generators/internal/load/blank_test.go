package load

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBlankBodies parses files of the standard library with and without function bodies. The cases
// of Go's own parser and type checker are among them. Declarations and their positions are the
// same.
func TestBlankBodies(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	files, bodies := 0, 0
	for _, dir := range []string{"go/parser/testdata", "internal/types/testdata/check", "internal/types/testdata/fixedbugs", "net/http", "reflect"} {
		names, _ := filepath.Glob(filepath.Join(root, dir, "*.go"))
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
			if err != nil {
				continue // a case of what is wrong
			}
			files++
			blankBodies(text)
			got, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
			if err != nil {
				t.Errorf("%s: without bodies: %v", name, err)
				continue
			}
			for _, decl := range got.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil && len(fn.Body.List) == 0 {
					bodies++
				} else if ok && fn.Body != nil {
					t.Errorf("%s: %s has its body", name, fn.Name.Name)
				}
			}
			if a, b := declarations(want), declarations(got); a != b {
				t.Errorf("%s:\n%s\nwithout bodies:\n%s", name, a, b)
			}
		}
	}
	t.Logf("%d files, %d bodies", files, bodies)
	if files < 300 || bodies < 3000 {
		t.Error("few files were compared")
	}
}

// declarations prints the syntax of a file with its positions, without function bodies.
func declarations(f *ast.File) string {
	trim(f)
	var out bytes.Buffer
	_ = ast.Fprint(&out, nil, f.Decls, nil)
	return out.String()
}

// TestBlankBodiesForms has forms that the standard library has not.
func TestBlankBodiesForms(t *testing.T) {
	for source, want := range map[string]string{
		"func f() { x }":                            "func f() {   }",
		"func f() {\n\tx\n}\nvar y = 1":             "func f() {\n  \n}\nvar y = 1",
		"func f() struct{ a int } { x }":            "func f() struct{ a int } {   }",
		"func f() interface{} { x }":                "func f() interface{} {   }",
		"func f[T interface{ ~int }](t T) T { x }":  "func f[T interface{ ~int }](t T) T {   }",
		"func f()\nvar x = T{ 1 }":                  "func f()\nvar x = T{ 1 }",
		"func f() T // no body\nvar x = T{ 1 }":     "func f() T // no body\nvar x = T{ 1 }",
		"func f() T /* no\nbody */ var x = T{ 1 }":  "func f() T /* no\nbody */ var x = T{ 1 }",
		"var x = []func(){ a }":                     "var x = []func(){ a }",
		"var x =\n\tfunc() int { x }()":             "var x =\n\tfunc() int { x }()",
		"type F func()\nvar x = T{ 1 }":             "type F func()\nvar x = T{ 1 }",
		"func f() { '}'; \"}\"; `}`; /*}*/ {} }; x": "func f() {                         }; x",
		"func f() { // }\n}":                        "func f() {     \n}",
		"func f() { '\\'' }":                        "func f() {      }",
		"func f() { \"a":                            "func f() { \"a",
		"func f() {":                                "func f() {",
		"func f() { x )":                            "func f() { x )",
		"func f() { /* x":                           "func f() { /* x",
		"func":                                      "func",
		"// func f() { x }":                         "// func f() { x }",
		"/* ":                                       "/* ",
		"`":                                         "`",
		"'\\":                                       "'\\",
		"}":                                         "}",
	} {
		text := []byte(source)
		blankBodies(text)
		if string(text) != want {
			t.Errorf("%q: %q, want %q", source, text, want)
		}
	}
}

func FuzzBlankBodies(f *testing.F) {
	f.Add([]byte("package p\n\nfunc f() interface{} { return `}` }\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		blankBodies(text)
		if bytes.Count(before, []byte("\n")) != bytes.Count(text, []byte("\n")) {
			t.Error("line ends are lost")
		}
		want, err := parser.ParseFile(token.NewFileSet(), "", before, parser.SkipObjectResolution)
		if err != nil {
			return
		}
		got, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := declarations(want), declarations(got); a != b {
			t.Errorf("%s\nwithout bodies:\n%s", a, b)
		}
	})
}
