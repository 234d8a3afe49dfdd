package registry

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/owners"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// Parent is the object that a subresource belongs to, for the time of a request. One that a test
// makes of an Object alone changes that.
type Parent[T runtime.Object] struct {
	Name rest.Name
	// Object is as it was stored when the request came, with its resourceVersion. It belongs to
	// whoever has the Parent.
	Object T
	// DryRun says that nothing may be changed. Update knows that.
	DryRun bool

	store   *endpoint // nil in tests of an author
	request *rest.Request
	manager string
}

func (e *endpoint) newParent(ctx context.Context, req *rest.Request, name rest.Name, manager string, dryRun bool) (*Parent[runtime.Object], error) {
	obj, err := e.parent(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return &Parent[runtime.Object]{Name: name, Object: obj, DryRun: dryRun, store: e, request: req, manager: manager}, nil
}

// typedParent is p with its type.
func typedParent[T runtime.Object](p *Parent[runtime.Object]) *Parent[T] {
	return &Parent[T]{Name: p.Name, Object: p.Object.(T), DryRun: p.DryRun, store: p.store, request: p.request, manager: p.manager}
}

// Read reads the object again and returns it, also in Object. Its error is an API status.
func (p *Parent[T]) Read(ctx context.Context) (T, error) {
	if p.store == nil {
		return p.Object, nil
	}
	return p.take(p.store.parent(ctx, p.Name, metav1.GetOptions{}))
}

// Update writes the object as change makes it. It returns the object as it is stored then, also in
// Object. change gets a copy of what is stored, again when another writer comes first. So it must
// have no effect outside of it. An error of change ends the update and is returned. The rules are
// those of Change. What changes nothing is not written.
func (p *Parent[T]) Update(ctx context.Context, change func(obj T) error) (T, error) {
	if p.store == nil {
		return p.Object, change(p.Object)
	}
	entry, err := p.store.rewrite(ctx, p.request, p.Name, p.manager, p.DryRun, func(obj runtime.Object) error { return change(obj.(T)) })
	if err != nil {
		var none T
		return none, err
	}
	return p.take(p.store.parentOf(entry))
}

// Warn tells the client something that is not an error. In tests of an author nobody is told.
func (p *Parent[T]) Warn(text string) {
	if p.request != nil {
		p.request.Warn(text)
	}
}

// take makes obj the Object, if there is no error.
func (p *Parent[T]) take(obj runtime.Object, err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	p.Object = obj.(T)
	return p.Object, nil
}

// parent reads the object that a subresource belongs to. It belongs to the caller.
func (e *endpoint) parent(ctx context.Context, name rest.Name, opts metav1.GetOptions) (obj runtime.Object, err error) {
	entry, err := e.get(ctx, name, opts)
	if err != nil {
		return obj, err
	}
	return e.parentOf(entry)
}

// parentOf is the object of an entry as an author gets to see it: with its resourceVersion.
func (s *store) parentOf(entry storage.Entry) (runtime.Object, error) {
	obj, err := s.codec.DecodeHub(entry)
	if err == nil {
		runtime.Meta(obj).ResourceVersion = storage.FormatRevision(entry.Revision)
	}
	return obj, err
}

// rewrite changes an object as its author wants it. apply gets a copy of what is stored, again for
// each attempt; its error is returned as it is.
func (e *endpoint) rewrite(ctx context.Context, req *rest.Request, name rest.Name, manager string, dryRun bool, apply func(obj runtime.Object) error) (storage.Entry, error) {
	key, err := e.Key(name)
	if err != nil {
		return storage.Entry{}, err
	}
	var dry []string
	if dryRun {
		dry = []string{metav1.DryRunAll}
	}
	w := e.updating(req, name, &metav1.UpdateOptions{DryRun: dry, FieldManager: manager})
	w.judged = nil // it is the body that was admitted
	var refused error
	entry, err := e.write(ctx, key, dryRun, w.attempted, func(current storage.Entry) ([]byte, []storage.Op, error) {
		old, err := e.parentOf(current)
		if err != nil {
			return nil, nil, err
		}
		next := e.deepCopy(old)
		if refused = apply(next); refused != nil {
			return nil, nil, refused
		}
		e.owners.Keep(w.Request, next, nil, old, current, owners.Author{Manager: manager})
		return e.replace(ctx, w, next, nil, old, current)
	})
	if refused != nil {
		return entry, refused
	}
	return entry, apistatus.Of(err, "update", e.resource, name.Name)
}
