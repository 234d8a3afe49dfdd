package apiserver_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/apiserver"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

// A run that does not name all packages of a server must not take the others' kinds out of it.
// It does not find those by itself that are in a folder which "..." leaves out.
func TestPartialRun(t *testing.T) {
	dir := gentest.Module(t, txtar.Parse([]byte(strings.ReplaceAll(`
-- testdata/shop/main.go --
// +typeplane:apiserver
package main

func main() {}
-- testdata/shop/v1/doc.go --
// +groupName=shop.example.com
package v1
-- testdata/shop/v1/types.go --
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Order struct {
	metav1.TypeMeta
	metav1.ObjectMeta 'json:"metadata,omitempty"'
}

type OrderList struct {
	metav1.TypeMeta
	metav1.ListMeta 'json:"metadata,omitempty"'
	Items []Order 'json:"items"'
}
-- testdata/shop/v1alpha1/doc.go --
// +groupName=shop.example.com
package v1alpha1
-- testdata/shop/testdata/doc.go --
// +groupName=shop.example.com
package testdata
-- testdata/shop/other/go.mod --
module other
-- testdata/shop/other/doc.go --
// +groupName=shop.example.com
package other
`, "'", "`"))))
	result, err := generators.Run(generators.Config{
		Dir: dir, Env: gentest.Env(), Patterns: []string{"./testdata/shop", "./testdata/shop/v1"}, Plugins: []generators.Plugin{apiserver.Plugin()},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Problems) != 1 {
		t.Fatalf("want one problem, got %v", result.Problems)
	}
	got := result.Problems[0].String()
	if !strings.Contains(got, "v1alpha1 has a +groupName= and is not part of this run; name all packages of the server to gen, as ./...") {
		t.Error(got)
	}
}
