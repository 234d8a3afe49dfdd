package validation_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/apiserver"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/validation"
	"github.com/typeplane/typeplane/generators/internal/validation/cel"

	"golang.org/x/tools/txtar"
)

const dependency = `
-- main.go --
// +typeplane:apiserver
package main

func main() {}
-- v1/doc.go --
// +groupName=example.com
package v1
-- v1/types.go --
package v1

import "example.org/dependency"

type Thing = dependency.Thing

type ThingList = dependency.ThingList
-- dependency/go.mod --
module example.org/dependency

go 1.26.0
-- dependency/types.go --
package dependency

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
type Thing struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	// +kubebuilder:validation:XValidation:rule="isURL(self)"
	Link string ` + "`json:\"link,omitempty\"`" + `
}

// +kubebuilder:object:root=true
type ThingList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `

	Items []Thing ` + "`json:\"items\"`" + `
}
`

// TestRuleOfADependency: a rule that is not compiled, in a type of another module, is not left out:
// gen wants the module that evaluates it.
func TestRuleOfADependency(t *testing.T) {
	dir := gentest.Module(t, txtar.Parse([]byte(dependency)))
	name := filepath.Join(dir, "go.mod")
	mod, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	mod = append(mod, "\nrequire example.org/dependency v0.0.0\n\nreplace example.org/dependency => ./dependency\n"...)
	if err := os.WriteFile(name, mod, 0o644); err != nil {
		t.Fatal(err)
	}
	result, err := generators.Run(generators.Config{
		Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."},
		Plugins: []generators.Plugin{validation.Plugin()}, Known: []generators.Plugin{apiserver.Plugin()},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range result.Problems {
		if strings.Contains(p.String(), "Thing.Link: +kubebuilder:validation:XValidation: the rule is not compiled to Go") && strings.Contains(p.String(), "go get "+cel.Module) && p.Pos.Line > 0 {
			return
		}
	}
	t.Errorf("nothing is told: %v, %v", result.Problems, result.Warnings)
}
