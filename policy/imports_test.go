package policy_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestImports: of Kubernetes' server the module uses what the functions of expressions are, and
// what these are asked with. Anything else of it would bring the server along.
func TestImports(t *testing.T) {
	allowed := []string{
		"k8s.io/apiserver/pkg/authentication/user", "k8s.io/apiserver/pkg/authorization/authorizer",
		"k8s.io/apiserver/pkg/cel/common", "k8s.io/apiserver/pkg/cel/library", "k8s.io/apiserver/pkg/cel/mutation", "k8s.io/apiserver/pkg/cel/mutation/dynamic",
	}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			ours := (filepath.Dir(file) == "expression" || strings.HasSuffix(file, "_test.go")) && slices.Contains(allowed, path)
			if !ours && (strings.HasPrefix(path, "k8s.io/apiserver/") || strings.HasPrefix(path, "k8s.io/client-go/")) {
				t.Errorf("%s imports %s", file, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
