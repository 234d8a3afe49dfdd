package check

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
)

// TestMessages: people are told what does not fit.
func TestMessages(t *testing.T) {
	for rule, want := range map[string]string{
		"size(1) == 1":                    "size(1): there is no size of int",
		"self.a.startsWith(1)":            "self.a.startsWith(1): there is no startsWith of dyn and int",
		"self.a + 1 == self.b":            "",
		"1 + 1":                           "1 + 1 is of type int, and must be bool",
		"ip('1.1.1.1') + 1 == 1":          "ip('1.1.1.1') + 1: there is no + of ip and int",
		"[1].all(i, i.name == 'a')":       "i.name: a int has no fields",
		"oldSelf.hasValue() && oldSelf.x": "oldSelf.hasValue() && oldSelf.x: there is no && of bool and optional_type(dyn)",
	} {
		e, err := ast.Parse(rule)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		if err := Types(e, "bool", true); err != nil {
			said = err.Error()
		}
		if said != want {
			t.Errorf("%s: %q, want %q", rule, said, want)
		}
	}
}
