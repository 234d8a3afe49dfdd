package quota

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// Limited says what objects of a resource may not use unless a quota of their namespace covers it,
// as the configuration of Kubernetes' plug-in does.
type Limited struct {
	// APIGroup and Resource name the objects, as clients do.
	APIGroup string `json:"apiGroup,omitempty"`
	Resource string `json:"resource"`
	// MatchContains are parts of names: of what an object uses whose name has one of them in it, a
	// quota has to limit every one.
	MatchContains []string `json:"matchContains,omitempty"`
	// MatchScopes are scopes: an object that is in one of them needs a quota that is about that
	// scope.
	MatchScopes []corev1.ScopedResourceSelectorRequirement `json:"matchScopes,omitempty"`
}

var (
	scopeNames = []corev1.ResourceQuotaScope{
		corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating, corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort,
		corev1.ResourceQuotaScopePriorityClass, corev1.ResourceQuotaScopeCrossNamespacePodAffinity, corev1.ResourceQuotaScopeVolumeAttributesClass,
	}
	scopeOperators = []corev1.ScopeSelectorOperator{
		corev1.ScopeSelectorOpIn, corev1.ScopeSelectorOpNotIn, corev1.ScopeSelectorOpExists, corev1.ScopeSelectorOpDoesNotExist,
	}
)

// limit gives each limit to its kind, or says what is wrong with it.
func (q *quotas) limit(limits []Limited) error {
	var errs []error
	for i, l := range limits {
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("limitedResources[%d]"+format, append([]any{i}, args...)...))
		}
		name := schema.GroupResource{Group: l.APIGroup, Resource: l.Resource}
		k := q.kinds[name]
		switch {
		case l.Resource == "":
			bad(".resource: want the name of a resource, like pods")
			continue
		case k == nil:
			bad(": this server has no quotas for %s: it serves none, or they are in no namespace, or expire", name)
			continue
		case len(l.MatchContains)+len(l.MatchScopes) == 0:
			bad(": it limits nothing: want matchContains or matchScopes")
		}
		for j, scope := range l.MatchScopes {
			if !slices.Contains(scopeNames, scope.ScopeName) {
				bad(".matchScopes[%d].scopeName: %q: want one of %v", j, scope.ScopeName, scopeNames)
			}
			if !slices.Contains(scopeOperators, scope.Operator) {
				bad(".matchScopes[%d].operator: %q: want one of %v", j, scope.Operator, scopeOperators)
			}
		}
		k.limits = append(k.limits, l)
	}
	return errors.Join(errs...)
}

// demand is what quotas have to cover if a change shall be allowed.
type demand struct {
	names  []corev1.ResourceName
	scopes []corev1.ScopedResourceSelectorRequirement
}

// demands returns the demand of a change: the resources that it asks more of, and the scopes in
// which it asks for more or into which it moves. An object needs no cover for what it had before.
func (k *kind) demands(c change) (d demand) {
	if len(k.limits) == 0 || c.onlyLess() {
		return d
	}
	more := c.more()
	for _, l := range k.limits {
		for _, name := range more {
			if slices.ContainsFunc(l.MatchContains, func(part string) bool { return strings.Contains(string(name), part) }) {
				d.names = append(d.names, name)
			}
		}
		for _, scope := range l.MatchScopes {
			if c.after.in(scope) && (len(more) > 0 || !c.before.in(scope)) {
				d.scopes = append(d.scopes, scope)
			}
		}
	}
	slices.Sort(d.names)
	d.names = slices.Compact(d.names)
	return d
}

func (d demand) none() bool { return len(d.names)+len(d.scopes) == 0 }

// covered says, for the client, what of a demand of an object no quota covers.
func (d demand) covered(by []quota, u *usage) error {
	byName := func(name corev1.ResourceName) bool {
		return slices.ContainsFunc(by, func(q quota) bool {
			_, limits := q.Status.Hard[name]
			return limits && q.matches(u)
		})
	}
	byScope := func(scope corev1.ScopedResourceSelectorRequirement) bool {
		return slices.ContainsFunc(by, func(q quota) bool { return q.isAbout(scope.ScopeName, u) })
	}
	names, scopes := slices.DeleteFunc(slices.Clone(d.names), byName), slices.DeleteFunc(slices.Clone(d.scopes), byScope)
	var missingNames, missingScopes error
	if len(names) > 0 {
		missingNames = fmt.Errorf("insufficient quota to consume: %s", joined(names))
	}
	if len(scopes) > 0 {
		missingScopes = fmt.Errorf("insufficient quota to match these scopes: %v", scopes)
	}
	return cmp.Or(missingNames, missingScopes)
}

// isAbout says whether the quota has a scope of a name that an object is in.
func (q quota) isAbout(name corev1.ResourceQuotaScope, u *usage) bool {
	if slices.Contains(q.Spec.Scopes, name) && u.in(corev1.ScopedResourceSelectorRequirement{ScopeName: name, Operator: corev1.ScopeSelectorOpExists}) {
		return true
	}
	return q.Spec.ScopeSelector != nil && slices.ContainsFunc(q.Spec.ScopeSelector.MatchExpressions, func(want corev1.ScopedResourceSelectorRequirement) bool {
		return want.ScopeName == name && u.in(want)
	})
}

func joined(names []corev1.ResourceName) string {
	var parts []string
	for _, name := range names {
		parts = append(parts, string(name))
	}
	return strings.Join(parts, ",")
}

// quotaConfig is the configuration of the plug-in ResourceQuota, as Kubernetes has it.
type quotaConfig struct {
	APIVersion       string    `json:"apiVersion"`
	Kind             string    `json:"kind"`
	LimitedResources []Limited `json:"limitedResources"`
}

// limitedResources reads a configuration, which may be nil.
func limitedResources(config []byte) ([]Limited, error) {
	if config == nil {
		return nil, nil
	}
	var c quotaConfig
	if err := yaml.UnmarshalStrict(config, &c); err != nil {
		return nil, err
	}
	switch said := c.APIVersion + " " + c.Kind; said {
	case "apiserver.config.k8s.io/v1 ResourceQuotaConfiguration",
		"resourcequota.admission.k8s.io/v1beta1 Configuration", "resourcequota.admission.k8s.io/v1alpha1 Configuration":
	default:
		return nil, fmt.Errorf("it is a %q, want a ResourceQuotaConfiguration of apiserver.config.k8s.io/v1", said)
	}
	return c.LimitedResources, nil
}
