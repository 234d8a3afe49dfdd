package registry_test

import (
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
	hooks := reflect.TypeFor[registry.Strategy[*widget.Widget]]()
	for i := range hooks.NumField() {
		if name := hooks.Field(i).Name; !strings.Contains(string(page), "`"+name+"(") {
			t.Errorf("docs/strategies.md does not list %s", name)
		}
	}
}
