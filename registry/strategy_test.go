package registry_test

import (
	"cmp"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// Every hook is in the table that authors read.
func TestHooksAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/strategies.md")
	if err != nil {
		t.Fatal(err)
	}
	methods := map[string]string{"NoGeneration": "HasGeneration", "RefuseUnconditionalUpdate": "AllowUnconditionalUpdate"}
	methods["Prepare"] = "PrepareForStatusUpdate" // and Validate is one of both
	fields := append(reflect.VisibleFields(reflect.TypeFor[registry.Strategy[*widget.Widget]]()), slices.Concat(reflect.VisibleFields(reflect.TypeFor[registry.Deletion[*widget.Widget]]()), reflect.VisibleFields(reflect.TypeFor[registry.StatusUpdate[*widget.Widget]]()))...)
	functions := 0
	for _, f := range fields {
		if f.Type.Kind() == reflect.Func {
			functions++
		}
		if f.Type.Kind() == reflect.Struct {
			continue
		}
		name := cmp.Or(methods[f.Name], f.Name)
		if !strings.Contains(string(page), "`"+name+"(") {
			t.Errorf("docs/strategies.md does not list %s", name)
		}
	}
	if functions > 14+2+5 {
		t.Errorf("a strategy has %d functions, with those about the status and deletion: what is constant is a value, what is rare has a struct of its own", functions)
	}
}
