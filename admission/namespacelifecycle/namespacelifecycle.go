// Package namespacelifecycle is the admission plug-in NamespaceLifecycle: nothing is created in a namespace that is missing or
// on its way out, and the namespaces that every cluster has are not deleted.
//
// Start reading at New. What a cache says of a namespace that is there is good enough, unless somebody has just deleted it;
// before a create is refused because the namespace is missing, the store is asked. The package empties no namespaces: that
// is control/namespace.
package namespacelifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
)

// Name is what flags call the plug-in.
const Name = "NamespaceLifecycle"

// Standing are the namespaces that are never deleted.
var Standing = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic}

// distrust is for how long a cache is not believed that a namespace is there, after somebody deleted it.
const distrust = 30 * time.Second

var (
	namespaces = schema.GroupResource{Resource: "namespaces"}
	// accessReviews tell what somebody may do, in namespaces too of whose existence they are not to know.
	accessReviews = schema.GroupResource{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"}
)

// Config is what the plug-in needs.
type Config struct {
	// Terminating says whether a namespace is on its way out. It fails with NotFound if there is none. live asks the store;
	// otherwise the answer may be a little old.
	Terminating func(ctx context.Context, name string, live bool) (bool, error)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// New returns the plug-in.
func New(config Config) admission.Plugin {
	p := &plugin{Config: config, doubted: map[string]time.Time{}}
	if p.Now == nil {
		p.Now = time.Now
	}
	return admission.Plugin{Name: Name, Wants: wants, Mutate: p.judge}
}

type plugin struct {
	Config
	mu      sync.Mutex
	doubted map[string]time.Time // until when the cache is not believed about a namespace
}

// wants is for what is created in a namespace, and for namespaces that are deleted.
func wants(r *admission.Request) bool {
	switch resource := r.Resource.GroupResource(); {
	case resource == namespaces:
		return r.Operation == admission.Delete && r.Subresource == ""
	case resource == accessReviews:
		return false
	}
	return r.Operation == admission.Create && r.Namespace != ""
}

// judge is a Mutate that changes nothing: nobody else need see what has no place to be.
func (p *plugin) judge(ctx context.Context, r *admission.Request) error {
	if r.Operation == admission.Delete {
		return p.deleted(r)
	}
	terminating, err := p.Terminating(ctx, r.Namespace, false)
	if apierrors.IsNotFound(err) || err == nil && !terminating && p.doubts(r.Namespace) {
		terminating, err = p.Terminating(ctx, r.Namespace, true)
	}
	switch {
	case err != nil:
		return unreadable(err)
	case terminating:
		return tooLate(r)
	}
	return nil
}

// deleted keeps what has to stay, and remembers what is about to go.
func (p *plugin) deleted(r *admission.Request) error {
	if slices.Contains(Standing, r.Name) {
		return apierrors.NewForbidden(namespaces, r.Name, errors.New("this namespace may not be deleted"))
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

func (p *plugin) doubts(name string) bool {
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

// tooLate has the cause by which controllers know that there is no use in trying again.
func tooLate(r *admission.Request) error {
	err := admission.Forbidden(r, fmt.Errorf("unable to create new content in namespace %s because it is being terminated", r.Namespace))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type:    corev1.NamespaceTerminatingCause,
		Message: fmt.Sprintf("namespace %s is being terminated", r.Namespace),
		Field:   "metadata.namespace",
	})
	return err
}
