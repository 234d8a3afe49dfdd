package webhook

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/webhook/match"
)

// The names of the plug-ins.
const (
	MutatingName   = "MutatingAdmissionWebhook"
	ValidatingName = "ValidatingAdmissionWebhook"
)

// Config is what the plug-ins need of the server around them. Its functions are called from any
// goroutine.
type Config struct {
	// Namespaces returns the labels of a namespace, which are not modified. Its error is an API
	// status if there is no such namespace. nil: namespaces are names only, and each has the label
	// kubernetes.io/metadata.name.
	Namespaces match.Labels
	// Resolve returns the address, host:port, at which a service is reached. nil:
	// name.namespace.svc, as the DNS has it.
	Resolve func(ctx context.Context, namespace, name string, port int32) (string, error)
	// Credentials says how webhooks at host:port know the server. nil: they don't.
	Credentials func(hostPort string) Credential
	// Conditions compiles matchConditions. nil: configurations that have some are refused, and
	// where one is there already, it can't be said whether its webhooks want a request.
	Conditions Conditions
	// Authorizer is that of the server, whom conditions may ask. nil: nobody may do anything.
	Authorizer auth.Authorizer
	// Observe is told of every call. nil: nobody is.
	Observe func(Call)
	// Log is told of calls that fail; nil: nobody is.
	Log *slog.Logger
}

// webhooks is what both plug-ins have.
type webhooks struct {
	config  Config
	clients clients
	hooks   atomic.Pointer[[]*hook]
	set     sync.Mutex // held by Set
	known   chan struct{}
	once    sync.Once
}

func newWebhooks(c Config) webhooks {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Observe == nil {
		c.Observe = func(Call) {}
	}
	return webhooks{config: c, clients: newClients(c), known: make(chan struct{})}
}

// Mutating is the plug-in MutatingAdmissionWebhook. Its methods may be called from any goroutine.
type Mutating struct{ webhooks }

// NewMutating returns a plug-in that waits for its first Set.
func NewMutating(c Config) *Mutating { return &Mutating{newWebhooks(c)} }

// Plugin is its place in the chain: behind everybody else who mutates.
func (m *Mutating) Plugin() admission.Plugin {
	return admission.Plugin{
		Name: MutatingName, Mutate: m.mutate, Validate: m.checkConditions,
		Wants: func(r *admission.Request) bool { return m.wants(r) || configures(r, mutatingKind) },
	}
}

// Set replaces the configurations. They have their defaults, and are not modified any more.
// Requests that begin after it has returned are judged by them; connections that no webhook needs
// any more are closed.
func (m *Mutating) Set(configurations []*admissionregistrationv1.MutatingWebhookConfiguration) {
	m.replace(mutatingHooks(configurations))
}

// Validating is the plug-in ValidatingAdmissionWebhook. Its methods may be called from any
// goroutine.
type Validating struct{ webhooks }

// NewValidating returns a plug-in that waits for its first Set.
func NewValidating(c Config) *Validating { return &Validating{newWebhooks(c)} }

// Plugin is its place in the chain: behind everybody else who validates and costs less.
func (v *Validating) Plugin() admission.Plugin {
	return admission.Plugin{
		Name:  ValidatingName,
		Wants: func(r *admission.Request) bool { return v.wants(r) || configures(r, validatingKind) },
		Validate: func(ctx context.Context, r *admission.Request) error {
			if configures(r, validatingKind) {
				return v.checkConditions(ctx, r)
			}
			return v.validate(ctx, r)
		},
	}
}

// Set is as that of Mutating.
func (v *Validating) Set(configurations []*admissionregistrationv1.ValidatingWebhookConfiguration) {
	v.replace(validatingHooks(configurations))
}

func (w *webhooks) replace(specs []spec) {
	w.set.Lock()
	defer w.set.Unlock()
	hooks, keep := make([]*hook, len(specs)), map[place]*connection{}
	for i, s := range specs {
		hooks[i] = w.compile(s, keep)
	}
	w.hooks.Store(&hooks)
	w.clients.keep(keep)
	w.once.Do(func() { close(w.known) })
}

// Close ends connections that are not in use. There must be no Set after it.
func (w *webhooks) Close() {
	w.set.Lock()
	defer w.set.Unlock()
	w.clients.keep(nil)
}

var errUnknown = errors.New("the configurations of webhooks are not known yet")

// Ready is an error until the first Set.
func (w *webhooks) Ready(context.Context) error {
	if w.hooks.Load() == nil {
		return errUnknown
	}
	return nil
}

// patience is how long a write waits for the first Set.
const patience = 10 * time.Second

// current returns the hooks. What the server writes by itself does not wait for them: some of it
// has to be there before the configurations can be read.
func (w *webhooks) current(ctx context.Context, r *admission.Request) ([]*hook, error) {
	if hooks := w.hooks.Load(); hooks != nil {
		return *hooks, nil
	}
	if auth.UserFrom(ctx) == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-w.known:
		return *w.hooks.Load(), nil
	case <-ctx.Done():
		return nil, apierrors.NewForbidden(r.Resource.GroupResource(), r.Name, errUnknown)
	}
}

// wants says whether a webhook has a rule for the request. As long as none are known, they may
// have.
func (w *webhooks) wants(r *admission.Request) bool {
	if match.Exempt(r) {
		return false
	}
	hooks := w.hooks.Load()
	if hooks == nil {
		return true
	}
	for _, h := range *hooks {
		if _, ok := match.Version(h.rules, h.exact, r); ok {
			return true
		}
	}
	return false
}
