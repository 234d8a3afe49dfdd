package registry

import (
	"context"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/runtime/rules"
)

// knowing lets rules know what there is of an object that is stored as a document, which is what
// was sent, with its defaults and what was changed since: of a value that is zero Go can't tell.
// hub was made of from. The document is made for the first rule that asks.
func (e *endpoint[T]) knowing(ctx context.Context, hub T, from *origin) context.Context {
	if from == nil || !e.showsDocuments() {
		return ctx
	}
	tree := sync.OnceValue(func() map[string]any {
		obj, err := e.codec.fromHub(hub)
		if err != nil {
			return nil
		}
		doc, err := e.codec.document(obj, from)
		if err != nil {
			return nil
		}
		tree, _ := doc.Tree()
		return tree
	})
	return rules.WithSent(ctx, func(path *field.Path) bool {
		return tree() == nil || document.Has(tree(), path.String()) // what can't be written is told when it is
	})
}

// withoutReset leaves out what is wrong with a status that the write has taken from elsewhere:
// nobody could mend it.
func (e *endpoint[T]) withoutReset(errs field.ErrorList) field.ErrorList {
	if e.def.CopyStatus == nil || e.subresource != "" || e.wholly {
		return errs
	}
	return slices.DeleteFunc(errs, func(err *field.Error) bool {
		rest, ok := strings.CutPrefix(err.Field, "status")
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}
