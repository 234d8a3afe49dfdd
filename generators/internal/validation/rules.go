package validation

import (
	"slices"

	"github.com/typeplane/typeplane/generators/internal/validation/declarative"
	"github.com/typeplane/typeplane/generators/internal/validation/marker"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
)

func allRules() *rule.Set {
	return rule.NewSet(slices.Concat(runTags, marker.PackageTags), declarative.Rules(), marker.Rules())
}
