package printer

import (
	"github.com/typeplane/typeplane/generators/internal/copied"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/runtime/rules"
)

var ruleSource = copied.New("runtime/rules", rules.Source, copiedRule)

// copiedRule is the name that a declaration of the runtime has in a copy.
func copiedRule(name string) string { return "rules_" + name }

// copyRules prints what the file names of the runtime.
func copyRules(f *emit.File, has func(name string) bool) error {
	return ruleSource.Print(f, f.Copied(plan.RulesPath), has)
}
