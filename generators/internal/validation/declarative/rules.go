// Package declarative has the tags of declarative validation, +k8s:minLength=1 and the like, as
// Kubernetes has them: a file for each family. Package marker builds its rules on some of them.
package declarative

import (
	"slices"

	"github.com/typeplane/typeplane/generators/internal/validation/rule"
)

// Rules are the tags of declarative validation.
func Rules() []rule.Rule {
	return slices.Concat(
		presenceRules(), lengthRules(), numberRules(), sizeRules(), formatRules(), enumRules(), compareRules(), updateRules(),
		listRules(), eachRules(), itemRules(), subfieldRules(), unionRules(), modeRules(), dependentRules(), optionRules(),
		levelRules(), opaqueRules(), customRules(), fixedRules(),
	)
}
