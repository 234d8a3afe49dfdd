package gen

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// saysField is what gen says about a field of a type.
var saysField = regexp.MustCompile(`(?m)^\S+:\d+:\d+: ([A-Z]\w*)\.(\w+): `)

// TestFieldsHaveGoNames looks at what gen says in the generators' cases: a field is called as in
// Go, not as in JSON.
func TestFieldsHaveGoNames(t *testing.T) {
	files, err := filepath.Glob("../*/testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		declared := goNames(t, a)
		for _, f := range a.Files {
			if f.Name != "error" && f.Name != "warning" {
				continue
			}
			for _, m := range saysField.FindAllStringSubmatch(string(f.Data), -1) {
				if names, ok := declared[m[1]]; ok {
					looked++
					if !slices.Contains(names, m[2]) {
						t.Errorf("%s: %s has no field %s: %s", file, m[1], m[2], m[0])
					}
				}
			}
		}
	}
	if looked < 200 {
		t.Errorf("only %d fields are spoken of", looked)
	}
}

// goNames are the fields of structs, and the methods of types, by the name of the type.
func goNames(t *testing.T, a *txtar.Archive) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, f := range a.Files {
		if isExpectation(f.Name) || !strings.HasSuffix(f.Name, ".go") || broken(f.Data) {
			continue
		}
		s := parse(t, f.Data)
		for _, field := range s.fields() {
			owner := field.spec.Name.Name
			out[owner] = append(out[owner], fieldName(field.field))
			for _, name := range field.field.Names {
				out[owner] = append(out[owner], name.Name)
			}
		}
		for _, m := range method.FindAllStringSubmatch(string(f.Data), -1) {
			out[m[1]] = append(out[m[1]], m[2])
		}
	}
	return out
}

var method = regexp.MustCompile(`(?m)^func \(\w* ?\*?(\w+)\) (\w+)`)

func broken(data []byte) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", data, parser.SkipObjectResolution)
	return err != nil
}
