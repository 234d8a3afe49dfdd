package serializer

import (
	"fmt"
	"math"
	"sync"

	"github.com/typeplane/typeplane/runtime"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
)

// texts have room for the JSON of an object.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// checkJSON refuses an object of a stranger that has no JSON, or one that is nested too deep.
// Protobuf has a form for bytes that should be JSON and are not, and for numbers that are none.
// Nobody could list the objects of the kind as JSON any more. Who owns what is left out, since
// owners that nobody can read are not kept.
func checkJSON(kind *runtime.Kind, obj runtime.Object) error {
	room := texts.Get().(*[]byte)
	defer texts.Put(room)
	meta := runtime.Meta(obj)
	owners := meta.ManagedFields
	meta.ManagedFields = nil
	text, err := kind.AppendJSON((*room)[:0], obj)
	meta.ManagedFields = owners
	if err != nil {
		return fmt.Errorf("it can't be shown as JSON: %w", err)
	}
	*room = text
	r := runtimejson.NewReader(text).Limit(math.MaxInt)
	r.Raw()
	return r.Err()
}
