package quota

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/internal/features/internal/strategytest"
)

func TestResourceQuotas(t *testing.T) {
	for text, want := range map[string]string{
		"{hard: {cpu: 1500m, limits.memory: 1Gi, pods: 4, count/deployments.apps: 2, requests.example.com/gpu: 1, hugepages-2Mi: 4Mi, requests.hugepages-2Mi: 4Mi}}": "",
		"{hard: {pods: -1}}":                      `spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0`,
		"{hard: {pods: 1500m}}":                   `spec.hard[pods]: Invalid value: "1500m": must be an integer`,
		"{hard: {count/secrets: 1500m}}":          `spec.hard[count/secrets]: Invalid value: "1500m": must be an integer`,
		"{hard: {books: 1}}":                      "must be a standard resource type or fully qualified|must be a standard resource for quota",
		"{hard: {storage: 1}}":                    `spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota`,
		"{hard: {a/b/c: 1}}":                      "spec.hard[a/b/c]: Invalid value",
		"{hard: {pods: 1}, scopes: [BestEffort]}": "",
		"{hard: {pods: 1}, scopes: [Best]}":       "spec.scopes: Invalid value: [\"Best\"]: unsupported scope",
		"{hard: {cpu: 1, secrets: 1, count/secrets: 1}, scopes: [BestEffort]}":                                                             "unsupported scope applied to resource|unsupported scope applied to resource",
		"{hard: {pods: 1}, scopes: [BestEffort, NotBestEffort]}":                                                                           "conflicting scopes",
		"{hard: {pods: 1}, scopes: [Terminating, NotTerminating]}":                                                                         "conflicting scopes",
		"{hard: {pods: 1}, scopes: [VolumeAttributesClass]}":                                                                               "unsupported scope applied to resource",
		"{hard: {requests.storage: 1}, scopes: [VolumeAttributesClass]}":                                                                   "",
		"{scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}}":                                  "",
		"{scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In}]}}":                                                  "spec.scopeSelector.matchExpressions.values: Required value",
		"{scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: Exists, values: [a]}]}}":                                 "must be no value when `operator` is 'Exist' or 'DoesNotExist'",
		"{scopeSelector: {matchExpressions: [{scopeName: Terminating, operator: In, values: [a]}]}}":                                       "spec.scopeSelector.matchExpressions.operator: Invalid value: \"In\": must be 'Exist' when scope is any of",
		"{scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: Is}]}}":                                                  "not a valid selector operator",
		"{scopeSelector: {matchExpressions: [{scopeName: Class, operator: Exists}]}}":                                                      "spec.scopeSelector.matchExpressions.scopeName: Invalid value: \"Class\": unsupported scope",
		"{hard: {secrets: 1}, scopeSelector: {matchExpressions: [{scopeName: Terminating, operator: Exists}]}}":                            "unsupported scope applied to resource",
		"{scopeSelector: {matchExpressions: [{scopeName: Terminating, operator: Exists}, {scopeName: NotTerminating, operator: Exists}]}}": "conflicting scopes",
	} {
		strategytest.WantErrors(t, text, ResourceQuotaStrategy{}.Validate(t.Context(), strategytest.Read[corev1.ResourceQuota](t, "{spec: "+text+"}")), want)
	}
	for change, want := range map[string]string{
		"{spec: {hard: {pods: 1}}} to {spec: {hard: {pods: 2}}}":                                     "",
		"{spec: {scopes: [Terminating, BestEffort]}} to {spec: {scopes: [BestEffort, Terminating]}}": "",
		"{spec: {scopes: [Terminating]}} to {spec: {}}":                                              "spec.scopes: Invalid value: null: field is immutable",
		"{} to {spec: {hard: {pods: -2}}}":                                                           "must be greater than or equal to 0",
	} {
		before, after, _ := strings.Cut(change, " to ")
		strategytest.WantErrors(t, change, ResourceQuotaStrategy{}.ValidateUpdate(t.Context(), strategytest.Read[corev1.ResourceQuota](t, after), strategytest.Read[corev1.ResourceQuota](t, before)), want)
	}
	bad := strategytest.Read[corev1.ResourceQuota](t, "{status: {hard: {pods: -1}, used: {pods: 0.5, books: 1}}}")
	strategytest.WantErrors(t, "status", ResourceQuotaStrategy{}.ValidateStatusUpdate(t.Context(), bad, bad),
		"status.hard[pods]: Invalid value: \"-1\"|status.used[pods]: Invalid value: \"500m\": must be an integer|status.used[books]: Invalid value: \"books\": must be a standard resource type|must be a standard resource for quota")
}

func TestQuotaWarnings(t *testing.T) {
	for hard, want := range map[string]string{
		"{cpu: 1, limits.cpu: 1, requests.storage: 1, limits.memory: 1}": "",
		"{cpu: 2, limits.cpu: 1}":                                          "ResourceQuota cpu (2) should be less than limits.cpu (1)",
		"{cpu: 1, requests.cpu: 2, limits.cpu: 1}":                         "ResourceQuota requests.cpu (2) should be less than limits.cpu (1)",
		"{requests.ephemeral-storage: 2Gi, limits.ephemeral-storage: 1Gi}": "ResourceQuota requests.ephemeral-storage (2Gi) should be less than limits.ephemeral-storage (1Gi)",
		"{ephemeral-storage: 2Gi, limits.ephemeral-storage: 1Gi}":          "",
	} {
		quota := strategytest.Read[corev1.ResourceQuota](t, "{spec: {hard: "+hard+"}}")
		if got := (ResourceQuotaStrategy{}).WarningsOnCreate(t.Context(), quota); strings.Join(got, "|") != want {
			t.Errorf("%s: %q, want %q", hard, got, want)
		}
	}
}

func TestQuotaColumns(t *testing.T) {
	quota := strategytest.Read[corev1.ResourceQuota](t, "{status: {hard: {pods: 4, limits.cpu: 2, cpu: 1, limits.memory: 1Gi}, used: {pods: 1, cpu: 250m}}}")
	s := ResourceQuotaStrategy{}
	if got := s.Cells(quota); len(got) != len(s.Columns()) || got[0] != "cpu: 250m/1, pods: 1/4" || got[1] != "limits.cpu: 0/2, limits.memory: 0/1Gi" {
		t.Errorf("%q", got)
	}
}
