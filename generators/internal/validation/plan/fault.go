package plan

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// Fault says what is wrong with a tag, and the cure.
type Fault struct {
	Message, Cure string
	// Misfit says that the tag can't be about what it stands on. For a marker of controller-gen
	// that is a warning, since no CRD has it.
	Misfit bool
	// Needed says that the rule is one, and something is missing that would enforce it: that is no
	// rule to be left out, wherever it stands.
	Needed bool
	// Anywhere says that the cure holds in other modules, too: it is not about the tag.
	Anywhere bool
}

func (f Fault) Error() string {
	if f.Cure == "" {
		return f.Message
	}
	return f.Message + "; " + f.Cure
}

// NoSuchField says that a struct lacks a field of a name in JSON.
func NoSuchField(t *types.Type, name string) error {
	known := model.JSONNames(t)
	cure := "it has " + strings.Join(known, ", ")
	if near := tag.Nearest(name, known); near != "" {
		cure = "did you mean " + near + "?"
	}
	return Fault{Message: fmt.Sprintf("%s has no field called %s in JSON", t.Name.Name, name), Cure: cure}
}
