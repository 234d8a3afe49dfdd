package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// readers are the names of fields and methods that hold comments and struct tags, with the files
// that may name them anyway. Plug-ins ask package model, so that a marker and a name in JSON mean
// the same to all of them.
var readers = map[string]map[string]string{
	"Comments": {"generators/internal/copied/source.go": "comments of the runtime, which are printed"},
	"StructTag": {
		"generators/internal/protobuf/structtag.go":   "model.StructTag",
		"generators/internal/openapi/plan_markers.go": "model.StructTag",
		"generators/prototest/check.go":               "it is for tests",
	},
	"FieldComments": {}, "AliasComments": {}, "PackageComments": {}, "CommentLines": {}, "SecondClosestCommentLines": {}, "Places": {},
	"Tag()": {
		"generators/internal/json/plan_text.go": "a struct without a name is printed with its tags",
		"generators/prototest/check.go":         "it is for tests",
	},
	"Tags": {
		"generators/internal/emit/types.go":                  "a struct without a name is printed with its tags",
		"generators/internal/generators/uptodate.go":         "the tags that a plug-in reads",
		"generators/internal/generators/tagcheck.go":         "the tags that a plug-in reads",
		"generators/internal/breaking/doc.go":                "the tags that plug-ins read",
		"generators/internal/crd/check.go":                   "the tags that plug-ins read",
		"generators/internal/validation/declarative/enum.go": "the tags of a constant, which model has read",
		"generators/internal/validation/rule/constants.go":   "the tags of a constant, which model has read",
	},
}

// TestOneReader wants the model to be the only one that reads comments and struct tags.
func TestOneReader(t *testing.T) {
	root := moduleRoot(t)
	read := 0
	err := filepath.WalkDir(filepath.Join(root, "generators"), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file := below(t, root, name)
		switch {
		case d.IsDir() && (d.Name() == "testdata" || file == "generators/internal/load" || file == "generators/internal/model" || file == "generators/internal/tag"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return err
		}
		read++
		ast.Inspect(parsed, func(n ast.Node) bool {
			var name string
			switch n := n.(type) {
			case *ast.SelectorExpr:
				name = n.Sel.Name
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok {
					name = s.Sel.Name + "()"
				}
			}
			if except, found := readers[name]; found && except[file] == "" {
				t.Errorf("%s: %s reads comments or struct tags; ask package model", set.Position(n.Pos()), name)
			}
			return true
		})
		return nil
	})
	if err != nil || read < 200 {
		t.Fatalf("%d files, %v", read, err)
	}
}
