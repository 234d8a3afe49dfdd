package registry_test

import (
	"cmp"
	"os"
	"reflect"
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
	methods := map[string]string{
		"NoGeneration":         "HasGeneration",
		"StatusUpdate.Prepare": "PrepareForStatusUpdate", "StatusUpdate.Validate": "ValidateStatusUpdate", "StatusUpdate.Warnings": "WarningsOnStatusUpdate",
	}
	functions := 0
	for prefix, part := range map[string]reflect.Type{
		"":              reflect.TypeFor[registry.Strategy[*widget.Widget]](),
		"StatusUpdate.": reflect.TypeFor[registry.StatusUpdate[*widget.Widget]](),
		"Deletion.":     reflect.TypeFor[registry.Deletion[*widget.Widget]](),
	} {
		for _, f := range reflect.VisibleFields(part) {
			if f.Type.Kind() == reflect.Struct {
				continue
			}
			if f.Type.Kind() == reflect.Func {
				functions++
			}
			name := cmp.Or(methods[prefix+f.Name], f.Name)
			if !strings.Contains(string(page), "`"+name+"(") {
				t.Errorf("docs/strategies.md does not list %s", name)
			}
		}
	}
	if functions > 14+3+5 {
		t.Errorf("a strategy has %d functions, with those about the status and deletion: what is constant is a value, what is rare has a struct of its own", functions)
	}
}
