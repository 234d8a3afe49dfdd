package limitrange

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/features/internal/strategytest"
	v1 "github.com/typeplane/typeplane/internal/features/limitrange/v1"
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
		limits := strategytest.Read[corev1.LimitRange](t, "{spec: {limits: ["+text+"]}}")
		v1.SetObjectDefaults_LimitRange(limits)
		strategytest.WantErrors(t, text, LimitRangeStrategy{}.Validate(t.Context(), limits), want)
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
		got := strategytest.Read[corev1.LimitRange](t, "{spec: {limits: ["+text+"]}}")
		v1.SetObjectDefaults_LimitRange(got)
		if diff := cmp.Diff(strategytest.Read[corev1.LimitRange](t, "{spec: {limits: ["+want+"]}}"), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestLimitRangeColumns(t *testing.T) {
	limits := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Unix(0, 0)}}
	if got := (LimitRangeStrategy{}).Cells(limits); !slices.Equal(got, []any{"1970-01-01T00:00:00Z"}) {
		t.Errorf("%q", got)
	}
}
