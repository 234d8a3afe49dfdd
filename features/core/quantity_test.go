package core

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/typeplane/typeplane/features/core/v1"
)

func TestLimitRanges(t *testing.T) {
	for text, want := range map[string]string{
		"{type: Container, min: {cpu: 1m}, max: {cpu: 2}, default: {cpu: 1}, defaultRequest: {cpu: 500m}, maxLimitRequestRatio: {cpu: 4}}": "",
		"{type: Container, max: {cpu: 2}}":                                          "",
		"{type: example.com/thing, max: {example.com/size: 2}}":                     "",
		"{type: PersistentVolumeClaim, max: {storage: 1Gi}}":                        "",
		"{type: PersistentVolumeClaim}":                                             "spec.limits[0].limits: Required value: either minimum or maximum storage value is required",
		"{type: Node}":                                                              `spec.limits[0].type: Invalid value: "Node": must be a standard limit type or fully qualified`,
		"{type: ''}":                                                                "spec.limits[0].type: Invalid value: \"\": name part must be non-empty|name part must consist of",
		"{type: Pod, default: {cpu: 1}, defaultRequest: {cpu: 1}}":                  "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'|spec.limits[0].defaultRequest: Forbidden",
		"{type: Pod, max: {cpu: 1}, min: {cpu: 1500m}}":                             `spec.limits[0].min[cpu]: Invalid value: "1500m": min value 1500m is greater than max value 1`,
		"{type: Pod, max: {pods: 1}}":                                               `spec.limits[0].max[pods]: Invalid value: "pods": must be a standard resource for containers`,
		"{type: Pod, max: {size: 1}}":                                               "must be a standard resource type or fully qualified|must be a standard resource for containers",
		"{type: Pod, max: {requests.example.com/gpu: 1}}":                           "doesn't follow extended resource name standard",
		"{type: Pod, maxLimitRequestRatio: {cpu: 500m}}":                            "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"500m\": ratio 500m is less than 1",
		"{type: Pod, min: {cpu: 1}, max: {cpu: 2}, maxLimitRequestRatio: {cpu: 3}}": "ratio 3 is greater than max/min = 2.000000",
		"{type: Container, min: {cpu: 2}, max: {cpu: 3}, default: {cpu: 1}, defaultRequest: {cpu: 2}}": "default value 1|default request value 2 is greater than default limit value 1",
		"{type: Container, min: {cpu: 2}, max: {cpu: 3}, default: {cpu: 3}, defaultRequest: {cpu: 1}}": "spec.limits[0].defaultRequest[cpu]: Invalid value: \"1\": min value 2 is greater than default request value 1",
		"{type: Container, max: {cpu: 3}, default: {cpu: 4}, defaultRequest: {cpu: 4}}":                "default request value 4 is greater than max value 3|default value 4 is greater than max value 3",
		"{type: Container, default: {example.com/gpu: 2}, defaultRequest: {example.com/gpu: 1}}":       "default value 2 must equal to defaultRequest value 1 in example.com/gpu",
		"{type: Container, default: {cpu: 2}, defaultRequest: {cpu: 1}}, {type: Container}":            "spec.limits[1].type: Duplicate value: \"Container\"",
	} {
		limits := read[corev1.LimitRange](t, "{spec: {limits: ["+text+"]}}")
		v1.SetObjectDefaults_LimitRange(limits)
		wantErrors(t, text, LimitRangeStrategy{}.Validate(t.Context(), limits), want)
	}
}

func TestDefaultsOfLimitRanges(t *testing.T) {
	for text, want := range map[string]string{
		"{type: Container, max: {cpu: 2}}":                    "{type: Container, max: {cpu: 2}, default: {cpu: 2}, defaultRequest: {cpu: 2}}",
		"{type: Container, min: {cpu: 1}}":                    "{type: Container, min: {cpu: 1}, defaultRequest: {cpu: 1}}",
		"{type: Container, min: {cpu: 1}, max: {cpu: 2}}":     "{type: Container, min: {cpu: 1}, max: {cpu: 2}, default: {cpu: 2}, defaultRequest: {cpu: 2}}",
		"{type: Container, max: {cpu: 2}, default: {cpu: 1}}": "{type: Container, max: {cpu: 2}, default: {cpu: 1}, defaultRequest: {cpu: 1}}",
		"{type: Container}":                                   "{type: Container}",
		"{type: Pod, max: {cpu: 2}}":                          "{type: Pod, max: {cpu: 2}}",
		"{type: Pod, max: {cpu: 0.0001}}":                     "{type: Pod, max: {cpu: 1m}}",
	} {
		got := read[corev1.LimitRange](t, "{spec: {limits: ["+text+"]}}")
		v1.SetObjectDefaults_LimitRange(got)
		if diff := cmp.Diff(read[corev1.LimitRange](t, "{spec: {limits: ["+want+"]}}"), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

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
		wantErrors(t, text, ResourceQuotaStrategy{}.Validate(t.Context(), read[corev1.ResourceQuota](t, "{spec: "+text+"}")), want)
	}
	for change, want := range map[string]string{
		"{spec: {hard: {pods: 1}}} to {spec: {hard: {pods: 2}}}":                                     "",
		"{spec: {scopes: [Terminating, BestEffort]}} to {spec: {scopes: [BestEffort, Terminating]}}": "",
		"{spec: {scopes: [Terminating]}} to {spec: {}}":                                              "spec.scopes: Invalid value: null: field is immutable",
		"{} to {spec: {hard: {pods: -2}}}":                                                           "must be greater than or equal to 0",
	} {
		before, after, _ := strings.Cut(change, " to ")
		wantErrors(t, change, ResourceQuotaStrategy{}.ValidateUpdate(t.Context(), read[corev1.ResourceQuota](t, after), read[corev1.ResourceQuota](t, before)), want)
	}
	bad := read[corev1.ResourceQuota](t, "{status: {hard: {pods: -1}, used: {pods: 0.5, books: 1}}}")
	wantErrors(t, "status", ResourceQuotaStrategy{}.ValidateStatusUpdate(t.Context(), bad, bad),
		"status.hard[pods]: Invalid value: \"-1\"|status.used[pods]: Invalid value: \"500m\": must be an integer|status.used[books]: Invalid value: \"books\": must be a standard resource type|must be a standard resource for quota")
}

func TestQuotaColumns(t *testing.T) {
	quota := read[corev1.ResourceQuota](t, "{status: {hard: {pods: 4, limits.cpu: 2, cpu: 1, limits.memory: 1Gi}, used: {pods: 1, cpu: 250m}}}")
	s := ResourceQuotaStrategy{}
	if got := s.Cells(quota); len(got) != len(s.Columns()) || got[0] != "cpu: 250m/1, pods: 1/4" || got[1] != "limits.cpu: 0/2, limits.memory: 0/1Gi" {
		t.Errorf("%q", got)
	}
}

func TestLimitRangeColumns(t *testing.T) {
	limits := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Unix(0, 0)}}
	if got := (LimitRangeStrategy{}).Cells(limits); !slices.Equal(got, []any{"1970-01-01T00:00:00Z"}) {
		t.Errorf("%q", got)
	}
}
