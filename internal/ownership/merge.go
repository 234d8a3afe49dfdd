package ownership

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/jsontree"
)

// errUntracked is about a kind of which there is no schema.
var errUntracked = errors.New("there is no OpenAPI schema of the kind, so that nothing can be merged into it")

// Merge returns the JSON of an object with what an apply configuration says of it, whoever owns its
// fields. Both are of one version of the kind. object is right by the schema. An apply
// configuration is refused that has a list, map or struct which is owned as a whole: whoever writes
// one field of it would take the others away. The words are those of Kubernetes. A nil Tracker
// refuses everything.
func (t *Tracker) Merge(gv schema.GroupVersion, object []byte, applied map[string]any) ([]byte, error) {
	if t == nil {
		return nil, errUntracked
	}
	v, ok, err := t.versionOf(gv.String())
	if err == nil && !ok {
		err = errUntracked
	}
	if err != nil {
		return nil, err
	}
	applied = maps.Clone(applied)
	applied["apiVersion"], applied["kind"] = v.GroupVersionKind().ToAPIVersionAndKind()
	if err := checkSize("the apply configuration", applied); err != nil {
		return nil, err
	}
	if err := v.schema.Check(applied, false); err != nil {
		return nil, fmt.Errorf("it is no part of a %s: %w", v.GroupVersionKind().Kind, err)
	}
	if whole := v.schema.Atomic(applied); len(whole) > 0 {
		return nil, fmt.Errorf("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: %s", strings.Join(whole, ", "))
	}
	live, err := jsontree.Read(object, nil)
	if err != nil {
		return nil, err
	}
	return jsontree.Append(nil, v.schema.Merge(live, applied)), nil
}
