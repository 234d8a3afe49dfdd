package registry

import (
	"context"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/owners"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// lastPause is the longest one between two attempts to write an object and what goes with it.
const lastPause = 64 * time.Millisecond

// transact begins an attempt to write an object: it returns what admission wants to be written with
// it.
func (e *endpoint) transact(ctx context.Context, r *admission.Request, obj, old runtime.Object) ([]storage.Op, error) {
	if r == nil {
		return nil, nil
	}
	one := about(r, obj, old)
	if obj != nil {
		one.Name = runtime.Meta(obj).Name
		// Plug-ins keep accounts of stored objects, which have the defaults of all fields that
		// admission and the strategy have added.
		e.codec.CompleteHub(obj)
	}
	r.Attempt.Next()
	return e.admission.Transact(ctx, one)
}

// putInTransaction creates the entry of hub, which was made of from, and what admission wants to be
// written with it, or says what would come of it. When another writer was faster with something of
// that, admission is asked anew.
func (e *endpoint) putInTransaction(ctx context.Context, request *admission.Request, key string, hub runtime.Object, from *canonical.Origin, opts metav1.CreateOptions) (entry storage.Entry, err error) {
	defer func() { request.Over(err) }()
	meta := runtime.Meta(hub)
	for pause := time.Millisecond; ; pause = min(2*pause, lastPause) {
		with, err := e.transact(ctx, request, hub, nil)
		if err != nil {
			return storage.Entry{}, err
		}
		// To the storage version, default there, encode.
		if err := ctx.Err(); err != nil {
			return storage.Entry{}, err
		}
		value, err := e.encodeHub(hub, from)
		if err != nil {
			return storage.Entry{}, err
		}
		entry, err = e.put(ctx, key, value, with, opts)
		switch {
		case owners.TooLarge(err) && len(meta.ManagedFields) > 0:
			meta.ManagedFields = nil // rather nobody's fields than no object
		case storage.CodeOf(err) == storage.CodeConflict && len(with) > 0:
			if err := wait.Sleep(ctx, rand.N(pause)); err != nil {
				return storage.Entry{}, err
			}
		default:
			return entry, err
		}
	}
}

// transactFinished is what goes with the removal of old, whose last finalizer is gone: over is
// called when that is done.
func (e *endpoint) transactFinished(w *write, old runtime.Object) (check func(context.Context) ([]storage.Op, error), over func(error)) {
	meta := runtime.Meta(old)
	whole := *e
	whole.subresource = ""
	request := whole.request(w, admission.Delete, rest.Name{Namespace: meta.Namespace, Name: meta.Name}, &metav1.DeleteOptions{}, nil)
	return func(ctx context.Context) ([]storage.Op, error) { return e.transact(ctx, request, nil, old) }, request.Over
}
