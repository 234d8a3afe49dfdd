package main

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
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
			ScaleTargetRef: autoscaling.CrossVersionObjectReference{Kind: "ReplicationController", Name: "rcex", APIVersion: "v1"},
			MinReplicas:    &least, MaxReplicas: 5, Metrics: []autoscaling.MetricSpec{autoscaling.NewCPUMetric(80)},
		}}
	}
	nothing, week, wrong := int32(0), int32(7*24*3600), autoscaling.ScalingPolicySelect("Some")
	q := resource.MustParse("0")
	for name, tc := range map[string]struct {
		change func(*autoscaling.HorizontalPodAutoscalerSpec)
		want   string
	}{
		"valid": {func(s *autoscaling.HorizontalPodAutoscalerSpec) {}, ""},
		"of nothing": {func(s *autoscaling.HorizontalPodAutoscalerSpec) {
			s.ScaleTargetRef = autoscaling.CrossVersionObjectReference{}
		}, "spec.scaleTargetRef.kind: Required value|spec.scaleTargetRef.name: Required value|spec.scaleTargetRef.apiVersion: Invalid value: \"\": apiVersion must specify API group"},
		"of a path": {func(s *autoscaling.HorizontalPodAutoscalerSpec) { s.ScaleTargetRef.Name = "../a" }, "spec.scaleTargetRef.name: Invalid value: \"../a\": may not contain '/'"},
		"of a version of nothing": {func(s *autoscaling.HorizontalPodAutoscalerSpec) { s.ScaleTargetRef.APIVersion = "a/b/c" },
			"spec.scaleTargetRef.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string"},
		"to nothing": {func(s *autoscaling.HorizontalPodAutoscalerSpec) { *s.MinReplicas, s.MaxReplicas = 0, 0 },
			"spec.maxReplicas: Required value: must be set and greater than 0|spec.metrics: Forbidden: must specify at least one Object or External metric"},
		"to less than nothing": {func(s *autoscaling.HorizontalPodAutoscalerSpec) { *s.MinReplicas = -1 }, "spec.minReplicas: Invalid value: -1: must be greater than or equal to 0"},
		"upside down":          {func(s *autoscaling.HorizontalPodAutoscalerSpec) { s.MaxReplicas = 1 }, "spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`"},
		"by an unknown metric": {func(s *autoscaling.HorizontalPodAutoscalerSpec) { s.Metrics[0].Type = "Mood" }, `spec.metrics[0].type: Unsupported value: "Mood"`},
		"by a metric not given": {func(s *autoscaling.HorizontalPodAutoscalerSpec) {
			s.Metrics = []autoscaling.MetricSpec{{Type: autoscaling.PodsMetricSourceType}}
		}, "spec.metrics[0].pods: Required value: must populate information for the given metric source"},
		"by two at once": {func(s *autoscaling.HorizontalPodAutoscalerSpec) {
			s.Metrics[0].Pods = &autoscaling.PodsMetricSource{}
		}, "spec.metrics[0].pods.metric.name: Required value|spec.metrics[0].pods.target.type: Required value|spec.metrics[0].pods.target.type: Invalid value|spec.metrics[0].pods.target.averageValue: Required value|spec.metrics[0].pods: Forbidden: must populate the given metric source only"},
		"by nothing of it": {func(s *autoscaling.HorizontalPodAutoscalerSpec) {
			s.Metrics[0].Resource.Target.AverageUtilization = &nothing
		}, "spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0"},
		"of a container's": {func(s *autoscaling.HorizontalPodAutoscalerSpec) {
			s.Metrics[0] = autoscaling.MetricSpec{Type: autoscaling.ContainerResourceMetricSourceType, ContainerResource: &autoscaling.ContainerResourceMetricSource{
				Name: "mood", Container: "A", Target: autoscaling.MetricTarget{Type: autoscaling.AverageValueMetricType, AverageValue: &q},
			}}
		}, "spec.metrics[0].containerResource.name: Invalid value: \"mood\": must be a standard resource type or fully qualified|spec.metrics[0].containerResource.name: Invalid value: \"mood\": must be a standard resource for containers|" +
			"spec.metrics[0].containerResource.container: Invalid value: \"A\"|spec.metrics[0].containerResource.target.averageValue: Invalid value: \"0\": must be positive"},
		"too slowly": {func(s *autoscaling.HorizontalPodAutoscalerSpec) {
			s.Behavior = &autoscaling.HorizontalPodAutoscalerBehavior{ScaleUp: &autoscaling.HPAScalingRules{
				StabilizationWindowSeconds: &week, SelectPolicy: &wrong, Policies: []autoscaling.HPAScalingPolicy{{Type: "Some", PeriodSeconds: week}},
			}, ScaleDown: &autoscaling.HPAScalingRules{}}
		}, `spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 604800: must be less than or equal to 3600|spec.behavior.scaleUp.selectPolicy: Unsupported value: "Some"|` +
			`spec.behavior.scaleUp.policies[0].type: Unsupported value: "Some"|spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero|` +
			`spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 604800: must be less than or equal to 1800|spec.behavior.scaleDown.policies: Required value`},
	} {
		hpa := valid()
		tc.change(&hpa.Spec)
		wantErrors(t, name, HorizontalPodAutoscalerStrategy{}.Validate(context.Background(), hpa), tc.want)
	}
	// What was stored before the rule about versions was made may stay.
	old := valid()
	old.Spec.ScaleTargetRef = autoscaling.CrossVersionObjectReference{Kind: "Deployment", Name: "d", APIVersion: "v1"}
	wantErrors(t, "unchanged", HorizontalPodAutoscalerStrategy{}.ValidateUpdate(context.Background(), old, old), "")
	wantErrors(t, "changed", HorizontalPodAutoscalerStrategy{}.ValidateUpdate(context.Background(), old, valid()), "spec.scaleTargetRef.apiVersion: Invalid value: \"v1\"")
	// The controller of Kubernetes writes a metric without a type while it can't read it.
	seen, before := valid(), int64(-1)
	seen.Status = autoscaling.HorizontalPodAutoscalerStatus{
		CurrentMetrics: []autoscaling.MetricStatus{{}},
		Conditions:     []autoscaling.HorizontalPodAutoscalerCondition{{Type: "ScalingActive", Status: "Perhaps"}, {Type: "ScalingActive"}},
	}
	wantErrors(t, "a metric that can't be read", HorizontalPodAutoscalerStrategy{}.ValidateStatusUpdate(context.Background(), seen, valid()), "")
	seen.Status.CurrentReplicas, seen.Status.DesiredReplicas, seen.Status.Conditions[1].ObservedGeneration = -5, -6, &before
	wantErrors(t, "less than nothing", HorizontalPodAutoscalerStrategy{}.ValidateStatusUpdate(context.Background(), seen, valid()),
		"status.conditions[1].observedGeneration: Invalid value: -1: must be greater than or equal to 0|status.currentReplicas: Invalid value: -5: must be greater than or equal to 0|status.desiredReplicas: Invalid value: -6")
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
