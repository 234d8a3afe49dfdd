package registry

import (
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/runtime/rules"
)

// presence is what there is of an object that is stored as a document: what was sent, with its
// defaults and what was changed since. Of a value that is zero Go can't tell. It is for one
// goroutine.
type presence struct {
	tree   func() map[string]any
	lookup *document.Lookup // made for the first rule that asks
}

// presenceOf is for hub, which was made of from; nil for an object that is stored otherwise.
func (e *endpoint[T]) presenceOf(hub T, from *origin) *presence {
	if from == nil || !e.showsDocuments() {
		return nil
	}
	return &presence{tree: func() map[string]any {
		obj, err := e.codec.fromHub(hub)
		if err != nil {
			return nil
		}
		doc, err := e.codec.document(obj, from)
		if err != nil {
			return nil
		}
		tree, _ := doc.Tree()
		return tree // nil if it can't be written, which is told when it is
	}}
}

// inform lets rules ask.
func (p *presence) inform(ctx context.Context) context.Context {
	if p == nil {
		return ctx
	}
	return rules.WithDocument(rules.WithSent(ctx, p.has), p.value)
}

func (p *presence) has(path *field.Path) bool { return p.document().Has(path) }

func (p *presence) value(path *field.Path) (any, bool) { return p.document().Value(path) }

func (p *presence) document() *document.Lookup {
	if p.lookup == nil {
		p.lookup = document.NewLookup(p.tree())
	}
	return p.lookup
}

// err is an API status if rules asked for more than there is room for.
func (p *presence) err() error {
	if p == nil || p.lookup == nil || !p.lookup.Exhausted() {
		return nil
	}
	return apierrors.NewRequestEntityTooLargeError("the keys of maps are too long, with too much below them, for the rules of the kind to look at it")
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
