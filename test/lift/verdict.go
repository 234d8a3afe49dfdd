package lift

import (
	"encoding/json"
	"fmt"

	"github.com/google/go-cmp/cmp"
)

// verdict is what somebody makes of a write.
type verdict struct {
	accepted bool
	object   map[string]any // what is stored, if it is accepted
	message  string         // why not, for people
	wrong    []string       // the fields that it is about
	code     int            // of the status then
}

// difference says where two verdicts differ; "" if they are equal. It compares all of the objects
// except what a server adds by itself.
func difference(theirs, ours verdict) string {
	switch {
	case theirs.accepted && !ours.accepted:
		return "refused only here: " + ours.message
	case !theirs.accepted && ours.accepted:
		return "accepted only here: " + theirs.message
	case !theirs.accepted && theirs.code != ours.code:
		return fmt.Sprintf("refused with %d, not %d: %s; theirs: %s", ours.code, theirs.code, ours.message, theirs.message)
	case !theirs.accepted:
		return ""
	}
	if diff := cmp.Diff(plain(theirs.object), plain(ours.object)); diff != "" {
		return "another object (-theirs +ours):\n" + diff
	}
	return ""
}

// plain is an object as JSON has it, without what each server gives to it.
func plain(object map[string]any) map[string]any {
	data, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(data, &out); err != nil {
		panic(err)
	}
	if meta, ok := out["metadata"].(map[string]any); ok {
		for _, key := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
			delete(meta, key)
		}
	}
	return out
}
