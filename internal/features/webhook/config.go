package webhook

import (
	"cmp"
	"slices"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/webhook/match"
	"github.com/typeplane/typeplane/internal/recovery"
)

// spec is what a configuration says of a webhook. A mutating one is a validating one that may be
// called again.
type spec struct {
	configuration string
	admissionregistrationv1.ValidatingWebhook
	again bool
}

// mutatingHooks returns the webhooks in the order in which they are called: by the names of the
// configurations, then as they stand there.
func mutatingHooks(configurations []*admissionregistrationv1.MutatingWebhookConfiguration) (specs []spec) {
	for _, c := range byName(configurations) {
		for _, w := range c.Webhooks {
			again := w.ReinvocationPolicy
			specs = append(specs, spec{c.Name, admissionregistrationv1.ValidatingWebhook{
				Name: w.Name, ClientConfig: w.ClientConfig, Rules: w.Rules, FailurePolicy: w.FailurePolicy, MatchPolicy: w.MatchPolicy,
				NamespaceSelector: w.NamespaceSelector, ObjectSelector: w.ObjectSelector, SideEffects: w.SideEffects, TimeoutSeconds: w.TimeoutSeconds,
				AdmissionReviewVersions: w.AdmissionReviewVersions, MatchConditions: w.MatchConditions,
			}, again != nil && *again == admissionregistrationv1.IfNeededReinvocationPolicy})
		}
	}
	return specs
}

func validatingHooks(configurations []*admissionregistrationv1.ValidatingWebhookConfiguration) (specs []spec) {
	for _, c := range byName(configurations) {
		for _, w := range c.Webhooks {
			specs = append(specs, spec{configuration: c.Name, ValidatingWebhook: w})
		}
	}
	return specs
}

func byName[T metav1.Object](configurations []T) []T {
	return slices.SortedFunc(slices.Values(configurations), func(a, b T) int { return cmp.Compare(a.GetName(), b.GetName()) })
}

// hook is a webhook that is ready to be called. It is not modified.
type hook struct {
	configuration, name string
	rules               []admissionregistrationv1.RuleWithOperations
	// exact matches the resource of the request only, and not the same object in another version.
	exact     bool
	selectors match.Selectors
	match     Match // nil for none
	may       auth.Authorizer
	// ignore goes on without an answer.
	ignore bool
	// again may be called a second time.
	again bool
	// dryRun may be called for what will not be stored.
	dryRun  bool
	timeout time.Duration
	// review is the version of AdmissionReview that it is sent.
	review string
	url    string
	to     *connection
	// broken is why it can't be called.
	broken error
}

// defaultTimeout is for configurations without their defaults.
const defaultTimeout = 10 * time.Second

// compile makes a hook. It takes the connection of an earlier hook or opens one, and puts it into
// keep. A hook that makes this panic cannot be called, so its failure policy decides.
func (w *webhooks) compile(s spec, keep map[place]*connection) *hook {
	h := basic(s)
	err := recovery.Object(w.config.Log, "webhooks", s.configuration+"/"+s.Name, func() { w.complete(h, s, keep) })
	if err != nil {
		h.broken, h.match = err, nil
	}
	return h
}

// basic returns a hook with its rules and its failure policy, without a connection.
func basic(s spec) *hook {
	h := &hook{
		configuration: s.configuration, name: s.Name, rules: s.Rules, again: s.again,
		exact:   s.MatchPolicy != nil && *s.MatchPolicy == admissionregistrationv1.Exact,
		ignore:  s.FailurePolicy != nil && *s.FailurePolicy == admissionregistrationv1.Ignore,
		dryRun:  s.SideEffects != nil && (*s.SideEffects == admissionregistrationv1.SideEffectClassNone || *s.SideEffects == admissionregistrationv1.SideEffectClassNoneOnDryRun),
		timeout: defaultTimeout,
	}
	if t := s.TimeoutSeconds; t != nil {
		h.timeout = time.Duration(*t) * time.Second
	}
	var errs [2]error
	h.review, errs[0] = reviewVersion(s.AdmissionReviewVersions)
	h.selectors, errs[1] = match.NewSelectors(s.NamespaceSelector, s.ObjectSelector)
	h.broken = cmp.Or(errs[:]...)
	return h
}

// complete gives a hook its connection and its conditions.
func (w *webhooks) complete(h *hook, s spec, keep map[place]*connection) {
	var err error
	h.url, h.to, err = w.clients.reach(&s.ClientConfig, keep)
	h.broken = cmp.Or(h.broken, err)
	if len(s.MatchConditions) == 0 {
		return
	}
	meets, problems := w.conditions(s.MatchConditions, nil)
	h.may = w.config.Authorizer
	if h.match = meets; len(problems) > 0 {
		err := problems.ToAggregate()
		h.match = unmatchable(err)
	}
}
