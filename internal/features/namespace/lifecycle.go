package namespace

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/storage"
)

// PluginName is what flags call the plug-in.
const PluginName = "NamespaceLifecycle"

// distrust is for how long a cache is not believed that a namespace is there, after somebody
// deleted it.
const distrust = 30 * time.Second

// accessReviews tell what somebody may do, in namespaces too of whose existence they are not to
// know.
var accessReviews = schema.GroupResource{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"}

// lifecycleConfig is what the plug-in needs.
type lifecycleConfig struct {
	// Namespace looks at a namespace. It fails with NotFound if there is none. live asks the store;
	// otherwise the answer may be a little old.
	Namespace func(ctx context.Context, name string, live bool) (state, error)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// state is what there is to know of a namespace.
type state struct {
	// Terminating says that it is on its way out.
	Terminating bool
	// Unchanged makes a transaction depend on what was seen.
	Unchanged storage.Op
}

// newLifecycle returns the plug-in NamespaceLifecycle: nothing is created in a namespace that is
// missing or on its way out, and the namespaces that every cluster has are not deleted.
//
// What a cache says of a namespace that is there is good enough, unless somebody has just deleted
// it. Before a create is refused because the namespace is missing, the store is asked. In the end
// it is the transaction of the create that depends on the namespace. So whoever empties one that is
// on its way out finds all that was made in it.
func newLifecycle(config lifecycleConfig) admission.Plugin {
	p := &lifecycle{lifecycleConfig: config, doubted: map[string]time.Time{}}
	if p.Now == nil {
		p.Now = time.Now
	}
	return admission.Plugin{Name: PluginName, Wants: wants, Mutate: p.judge, Transact: p.stillOpen, OnlyExpects: true}
}

type lifecycle struct {
	lifecycleConfig
	mu      sync.Mutex
	doubted map[string]time.Time // until when the cache is not believed about a namespace
}

// wants is for what is created in a namespace, and for namespaces that are deleted.
func wants(r *admission.Request) bool {
	switch resource := r.Resource.GroupResource(); {
	case resource == namespaces.GroupResource():
		return r.Operation == admission.Delete && r.Subresource == ""
	case resource == accessReviews:
		return false
	}
	return r.Operation == admission.Create && r.Namespace != ""
}

// judge is a Mutate that changes nothing: nobody else need see what has no place to be.
func (p *lifecycle) judge(ctx context.Context, r *admission.Request) error {
	if r.Operation == admission.Delete {
		return p.deleted(r)
	}
	_, err := p.look(ctx, r, false)
	return err
}

// stillOpen makes the create depend on the namespace: one that was deleted since, or is another one
// of that name, is looked at again.
func (p *lifecycle) stillOpen(ctx context.Context, r *admission.Request) ([]storage.Op, error) {
	if r.Operation == admission.Delete {
		return nil, nil
	}
	ns, err := p.look(ctx, r, r.Attempt.Again())
	if err != nil || r.DryRun {
		return nil, err
	}
	return []storage.Op{ns.Unchanged}, nil
}

// look returns the namespace of a request, unless nothing can be created there.
func (p *lifecycle) look(ctx context.Context, r *admission.Request, live bool) (state, error) {
	ns, err := p.Namespace(ctx, r.Namespace, live)
	if !live && (apierrors.IsNotFound(err) || err == nil && !ns.Terminating && p.doubts(r.Namespace)) {
		ns, err = p.Namespace(ctx, r.Namespace, true)
	}
	switch {
	case err != nil:
		return ns, unreadable(err)
	case ns.Terminating:
		return ns, admission.TooLate(r)
	}
	return ns, nil
}

// deleted keeps what has to stay, and remembers what is about to go.
func (p *lifecycle) deleted(r *admission.Request) error {
	if slices.Contains(Standing, r.Name) {
		return apierrors.NewForbidden(namespaces.GroupResource(), r.Name, errors.New("this namespace may not be deleted"))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Now()
	for name, until := range p.doubted {
		if until.Before(now) {
			delete(p.doubted, name)
		}
	}
	p.doubted[r.Name] = now.Add(distrust)
	return nil
}

func (p *lifecycle) doubts(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Now().Before(p.doubted[name])
}

// unreadable is why nobody knows whether the namespace is there.
func unreadable(err error) error {
	var status apierrors.APIStatus
	if errors.As(err, &status) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return apierrors.NewInternalError(err)
}
