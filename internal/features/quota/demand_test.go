package quota

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
)

// TestDemands: what of a pod has to be covered, and by which quotas it is.
func TestDemands(t *testing.T) {
	priority := func(op corev1.ScopeSelectorOperator, values ...string) corev1.ScopedResourceSelectorRequirement {
		return corev1.ScopedResourceSelectorRequirement{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: op, Values: values}
	}
	quotaWith := func(hard string, scopes ...corev1.ScopedResourceSelectorRequirement) quota {
		q := &corev1.ResourceQuota{Spec: corev1.ResourceQuotaSpec{Hard: amounts(hard)}, Status: corev1.ResourceQuotaStatus{Hard: amounts(hard)}}
		if scopes != nil {
			q.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: scopes}
		}
		return quota{ResourceQuota: q}
	}
	of := func(class, requests string) *corev1.Pod {
		return podWith(func(p *corev1.Pod) { p.Spec.PriorityClassName = class }, container("c", requests, ""))
	}
	cpu := []Limited{{Resource: "pods", MatchContains: []string{"cpu", "memory"}}}
	vip := []Limited{{Resource: "pods", MatchScopes: []corev1.ScopedResourceSelectorRequirement{priority(corev1.ScopeSelectorOpIn, "vip")}}}
	bestEffort := quotaWith("cpu=9,requests.cpu=9")
	bestEffort.Spec.Scopes = []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}
	for name, tt := range map[string]struct {
		limits []Limited
		old    *corev1.Pod
		pod    *corev1.Pod
		quotas []quota
		want   string
	}{
		"nothing is limited":              {pod: of("", "cpu=1")},
		"nothing of what is limited":      {limits: cpu, pod: of("", "ephemeral-storage=1")},
		"no quota":                        {limits: cpu, pod: of("", "cpu=1"), want: "insufficient quota to consume: cpu,requests.cpu"},
		"a quota for a part of it":        {limits: cpu, pod: of("", "cpu=1"), quotas: []quota{quotaWith("cpu=9")}, want: "insufficient quota to consume: requests.cpu"},
		"two quotas":                      {limits: cpu, pod: of("", "cpu=1"), quotas: []quota{quotaWith("cpu=9"), quotaWith("requests.cpu=9")}},
		"a quota for other pods":          {limits: cpu, pod: of("", "cpu=1"), quotas: []quota{bestEffort}, want: "insufficient quota to consume: cpu,requests.cpu"},
		"an update that asks for less":    {limits: cpu, old: of("", "cpu=2"), pod: of("", "cpu=1")},
		"an update that asks for more":    {limits: cpu, old: of("", "cpu=1,memory=1"), pod: of("", "cpu=2,memory=1"), want: "insufficient quota to consume: cpu,requests.cpu"},
		"an update into the scope":        {limits: vip, old: of("other", ""), pod: of("vip", ""), want: "insufficient quota to match these scopes: [{PriorityClass In [vip]}]"},
		"an update within the scope":      {limits: vip, old: of("vip", ""), pod: of("vip", "")},
		"an update out of the scope":      {limits: vip, old: of("vip", ""), pod: of("other", "")},
		"in the scope":                    {limits: vip, pod: of("vip", ""), want: "insufficient quota to match these scopes: [{PriorityClass In [vip]}]"},
		"not in the scope":                {limits: vip, pod: of("other", "")},
		"a quota that is about the scope": {limits: vip, pod: of("vip", ""), quotas: []quota{quotaWith("pods=9", priority(corev1.ScopeSelectorOpExists))}},
		"a quota that is about others of the scope": {
			limits: vip, pod: of("vip", ""), quotas: []quota{quotaWith("pods=9", priority(corev1.ScopeSelectorOpIn, "other"))},
			want: "insufficient quota to match these scopes: [{PriorityClass In [vip]}]",
		},
	} {
		k := kindOf("", "pods")
		q := &quotas{kinds: map[schema.GroupResource]*kind{{Resource: "pods"}: k}}
		if err := q.limit(tt.limits); err != nil {
			t.Fatal(err)
		}
		r := &admission.Request{Operation: admission.Create, Object: tt.pod}
		if tt.old != nil {
			r.Operation, r.Old = admission.Update, apiruntime.Object(tt.old)
		}
		c := k.change(r)
		got := ""
		if err := c.demand.covered(tt.quotas, c.after); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestLimitedMistakes: a limit that would have no effect is refused.
func TestLimitedMistakes(t *testing.T) {
	q := &quotas{kinds: map[schema.GroupResource]*kind{{Resource: "pods"}: kindOf("", "pods")}}
	err := q.limit([]Limited{
		{MatchContains: []string{"cpu"}},
		{APIGroup: "example.com", Resource: "pods", MatchContains: []string{"cpu"}},
		{Resource: "pods"},
		{Resource: "pods", MatchScopes: []corev1.ScopedResourceSelectorRequirement{{ScopeName: "Priority", Operator: "in"}}},
	})
	const want = `limitedResources[0].resource: want the name of a resource, like pods
limitedResources[1]: this server has no quotas for pods.example.com: it serves none, or they are in no namespace, or expire
limitedResources[2]: it limits nothing: want matchContains or matchScopes
limitedResources[3].matchScopes[0].scopeName: "Priority": want one of [Terminating NotTerminating BestEffort NotBestEffort PriorityClass CrossNamespacePodAffinity VolumeAttributesClass]
limitedResources[3].matchScopes[0].operator: "in": want one of [In NotIn Exists DoesNotExist]`
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
}
