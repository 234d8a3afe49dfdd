package judge

import (
	"context"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/rules"
)

// presence is what there is of an object: what was sent, with its defaults and, except for versions
// with protobuf, what was changed since. Go can't tell that of a value that is zero. It is for one
// goroutine.
type presence struct {
	read   func() (document.Document, error)
	kept   bool   // the document is stored
	within string // all that is asked for elsewhere was sent; "": everything is looked up
	of     document.Document
	tree   map[string]any   // of that document; nil if it can't be read
	lookup *document.Lookup // made for the first rule that asks
}

// presenceOf is for hub, which was read of text and made of from; nil for an object of which nobody
// has sent a text.
func (j *Judge) presenceOf(text []byte, hub runtime.Object, from *canonical.Origin) *presence {
	if from != nil && j.ShowsDocuments() {
		return &presence{kept: true, read: func() (document.Document, error) {
			obj, err := j.Codec.FromHub(hub)
			if err != nil {
				return document.Document{}, err
			}
			return j.Document(obj, from)
		}}
	}
	if text == nil {
		return nil
	}
	return &presence{within: j.Subresource, read: func() (document.Document, error) { return j.sentDocument(text, hub) }}
}

// sentDocument is what there is of an object that was read of text, has become hub, and is not
// stored as it was sent.
func (j *Judge) sentDocument(text []byte, hub runtime.Object) (doc document.Document, err error) {
	obj := j.Kind.New()
	if _, err := j.Kind.ReadJSON(text, obj); err != nil {
		return doc, err
	}
	obj, from, err := canonical.DocumentsOf(j.Kind).Received(obj, text)
	switch {
	case err != nil:
		return doc, err
	case j.Documents == nil:
		return from.Document, nil
	}
	sent, err := j.Default(j.Kind, obj)
	if err != nil {
		return doc, err
	}
	if from.Printed, err = j.printed(sent); err != nil {
		return doc, err
	}
	now, err := j.printed(hub)
	if err != nil {
		return doc, err
	}
	doc, err = from.Document.Change(from.Printed, now, j.Documents.Shape)
	return j.written(doc, now), err
}

// printed is the document that an object of the hub writes in the endpoint's version.
func (j *Judge) printed(hub runtime.Object) (document.Document, error) {
	obj, err := j.Kind.FromHub(hub)
	if err != nil {
		return document.Document{}, err
	}
	return j.Documents.Print(obj)
}

// look reads the document once. In one that can't be written there is everything: the error is told
// when it is.
func (p *presence) look() *document.Lookup {
	if p.lookup != nil {
		return p.lookup
	}
	var err error
	if p.of, err = p.read(); err == nil {
		p.tree, _ = p.of.Tree()
	}
	p.lookup = document.NewLookup(p.tree)
	return p.lookup
}

// inform lets rules ask.
func (p *presence) inform(ctx context.Context) context.Context {
	if p == nil {
		return ctx
	}
	ctx = rules.WithNull(ctx, p.null)
	if !p.kept {
		return rules.WithSentOnce(ctx, p.has)
	}
	return rules.WithDocument(rules.WithSent(ctx, p.has), p.value)
}

// informOfChange lets rules about a change ask what there was in current, a canonical value. It is
// about documents that are kept: where Go values are stored nobody knows.
func (j *Judge) informOfChange(ctx context.Context, sent *presence, current []byte) context.Context {
	if sent == nil || !sent.kept || current == nil {
		return ctx
	}
	lookup := sync.OnceValue(func() *document.Lookup {
		_, old, err := j.Parts(current)
		if err != nil {
			return document.NewLookup(nil)
		}
		tree, _ := old.Tree() // of nil nobody knows
		return document.NewLookup(tree)
	})
	return rules.WithBefore(ctx, func(path *field.Path) (there, known bool) { return lookup().Had(path) })
}

func (p *presence) has(path *field.Path) bool {
	if p.within != "" && !document.Within(path.String(), p.within) {
		return true
	}
	return p.look().Has(path)
}

func (p *presence) null(path *field.Path) bool { return p.look().Null(path) }

func (p *presence) value(path *field.Path) (any, bool) { return p.look().Value(path) }

// err is an API status if rules asked for more than there is room for.
func (p *presence) err() error {
	if p == nil || p.lookup == nil || !p.lookup.Exhausted() {
		return nil
	}
	return apierrors.NewRequestEntityTooLargeError("the keys of maps are too long, with too much below them, for the rules of the kind to look at it")
}
