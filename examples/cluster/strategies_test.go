package main

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/examples/cluster/api/autoscaling"
	v1 "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
)

// wantErrors compares errors with the beginnings of their texts, joined by |.
func wantErrors(t *testing.T, about string, errs field.ErrorList, want string) {
	t.Helper()
	var wants []string
	if want != "" {
		wants = strings.Split(want, "|")
	}
	if len(errs) != len(wants) {
		t.Errorf("%s: %v, want %q", about, errs, wants)
		return
	}
	for i, w := range wants {
		if !strings.HasPrefix(errs[i].Error(), w) {
			t.Errorf("%s: %v, want %s", about, errs[i], w)
		}
	}
}

func aController(t *testing.T, text string) *corev1.ReplicationController {
	t.Helper()
	rc := new(corev1.ReplicationController)
	if err := yaml.UnmarshalStrict([]byte(text), rc); err != nil {
		t.Fatal(err)
	}
	v1.SetObjectDefaults_ReplicationController(rc)
	return rc
}

func TestReplicationControllers(t *testing.T) {
	const template = "{metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: a}]}}"
	for spec, want := range map[string]string{
		"{template: " + template + "}":                                    "",
		"{replicas: -1, minReadySeconds: -1, template: " + template + "}": "spec.replicas: Invalid value: -1|spec.minReadySeconds: Invalid value: -1",
		"{}": "spec.selector: Required value|spec.template: Required value",
		"{selector: {app: b}, template: " + template + "}":                                                   "spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`",
		"{template: {metadata: {labels: {app: a}}, spec: {restartPolicy: Never, containers: [{image: a}]}}}": `spec.template.spec.containers[0].name: Required value|spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"`,
	} {
		wantErrors(t, spec, ReplicationControllerStrategy{}.Validate(context.Background(), aController(t, "spec: "+spec)), want)
	}
	for status, want := range map[string]string{
		"{replicas: 3, readyReplicas: 2}":                        "",
		"{replicas: 1, readyReplicas: 2, availableReplicas: -1}": "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas|status.availableReplicas: Invalid value: -1",
	} {
		rc := aController(t, "status: "+status)
		wantErrors(t, status, ReplicationControllerStrategy{}.ValidateStatusUpdate(context.Background(), rc, rc), want)
	}
	rc := aController(t, "spec: {replicas: 3, selector: {b: c, a: b}, template: {spec: {containers: [{name: a, image: x}, {name: b, image: z}]}}}\nstatus: {replicas: 2, readyReplicas: 1}")
	want := []any{int64(3), int64(2), int64(1), metav1.Time{}, "a,b", "x,z", "a=b,b=c"}
	if diff := cmp.Diff(want, ReplicationControllerStrategy{}.Cells(rc)); diff != "" {
		t.Errorf("cells (-want +got)\n%s", diff)
	}
	if n := len(ReplicationControllerStrategy{}.Columns()); n != len(want) {
		t.Errorf("there are %d columns, want %d", n, len(want))
	}
	if got := (ReplicationControllerStrategy{}).Cells(&corev1.ReplicationController{}); got[0] != int64(0) || got[6] != none {
		t.Errorf("cells of nothing: %v", got)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{"a": true, "a.b": true, "A": false, strings.Repeat("a", 64): true} {
		if got := len(ReplicationControllerStrategy{}.ValidateName(name, false)) == 0; got != want {
			t.Errorf("a replication controller called %s: %v", name, got)
		}
	}
}

func TestAutoscalers(t *testing.T) {
	valid := func() *autoscaling.HorizontalPodAutoscaler {
		least := int32(2)
		return &autoscaling.HorizontalPodAutoscaler{Spec: autoscaling.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscaling.CrossVersionObjectReference{Kind: "ReplicationController", Name: "rcex"},
			MinReplicas:    &least, MaxReplicas: 5, Metrics: []autoscaling.MetricSpec{autoscaling.NewCPUMetric(80)},
		}}
	}
	for name, tc := range map[string]struct {
		change func(*autoscaling.HorizontalPodAutoscalerSpec)
		want   string
	}{
		"valid": {func(s *autoscaling.HorizontalPodAutoscalerSpec) {}, ""},
		"of nothing": {func(s *autoscaling.HorizontalPodAutoscalerSpec) {
			s.ScaleTargetRef = autoscaling.CrossVersionObjectReference{}
		}, "spec.scaleTargetRef.kind: Required value|spec.scaleTargetRef.name: Required value"},
		"to nothing":            {func(s *autoscaling.HorizontalPodAutoscalerSpec) { *s.MinReplicas, s.MaxReplicas = 0, 0 }, "spec.minReplicas: Invalid value: 0|spec.maxReplicas: Invalid value: 0: must be greater than 0"},
		"upside down":           {func(s *autoscaling.HorizontalPodAutoscalerSpec) { s.MaxReplicas = 1 }, "spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`"},
		"by an unknown metric":  {func(s *autoscaling.HorizontalPodAutoscalerSpec) { s.Metrics[0].Type = "Mood" }, `spec.metrics[0].type: Unsupported value: "Mood"`},
		"by a metric not given": {func(s *autoscaling.HorizontalPodAutoscalerSpec) { s.Metrics[0].Type = "Pods" }, "spec.metrics[0].pods: Required value"},
	} {
		hpa := valid()
		tc.change(&hpa.Spec)
		wantErrors(t, name, HorizontalPodAutoscalerStrategy{}.Validate(context.Background(), hpa), tc.want)
	}
	hpa := valid()
	want := []any{"ReplicationController/rcex", "cpu: <unknown>/80%", "2", int64(5), int64(0), metav1.Time{}}
	if diff := cmp.Diff(want, HorizontalPodAutoscalerStrategy{}.Cells(hpa)); diff != "" || len(HorizontalPodAutoscalerStrategy{}.Columns()) != len(want) {
		t.Errorf("cells (-want +got)\n%s", diff)
	}
	hpa.Status.CurrentMetrics = []autoscaling.MetricStatus{autoscaling.NewCPUStatus(63)}
	hpa.Spec.Metrics = append(hpa.Spec.Metrics, hpa.Spec.Metrics[0], hpa.Spec.Metrics[0])
	if got := (HorizontalPodAutoscalerStrategy{}).Cells(hpa)[1]; got != "cpu: 63%/80%, cpu: <unknown>/80%, 1 more..." {
		t.Errorf("targets: %s", got)
	}
	if got := (HorizontalPodAutoscalerStrategy{}).Cells(&autoscaling.HorizontalPodAutoscaler{}); got[1] != none || got[2] != "<unset>" {
		t.Errorf("cells of nothing: %v", got)
	}
}
