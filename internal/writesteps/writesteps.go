// Package writesteps is what a client gets that tries a write (dryRun=All) and wants to see what
// becomes of its object on the way, step by step. It says so as for a Table:
// "as=WriteSteps;v=v1;g=typeplane.io". Start reading at Answer.
package writesteps

import (
	"encoding/json"

	"github.com/typeplane/typeplane/internal/dissect"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// Kind, Group and Version name the answer.
const (
	Kind    = "WriteSteps"
	Group   = "typeplane.io"
	Version = "v1"
)

// WriteSteps is the answer. Nothing is in it that the client could not see otherwise: the object is
// its own.
type WriteSteps struct {
	Kind       string      `json:"kind"`
	APIVersion string      `json:"apiVersion"`
	Steps      []rest.Step `json:"steps"`
	Stored     Stored      `json:"stored"`
	// Object is the answer that the write has without its steps.
	Object json.RawMessage `json:"object"`
}

// Stored is what would lie in the database.
type Stored struct {
	// Key is the object's, without the prefix of the database.
	Key string `json:"key"`
	// Bytes are those before they are encrypted, and Parts the fields in them.
	Bytes []byte          `json:"bytes"`
	Parts []dissect.Field `json:"parts,omitempty"`
}

// Answer makes the answer of the steps of a write, and of the object in JSON that it answers with.
// It fails if what would be stored is damaged.
func Answer(scheme *runtime.Scheme, steps *rest.Steps, object []byte) (*WriteSteps, error) {
	stored := steps.Stored()
	parts, err := dissect.Fields(scheme, stored.Value)
	if err != nil {
		return nil, err
	}
	return &WriteSteps{
		Kind: Kind, APIVersion: Group + "/" + Version, Steps: steps.List(),
		Stored: Stored{stored.Key, stored.Value, parts}, Object: object,
	}, nil
}
