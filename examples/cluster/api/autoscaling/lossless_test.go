package autoscaling_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/randfill"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/examples/cluster/api/autoscaling"
	v1 "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v1"
	v2 "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v2"
	"github.com/typeplane/typeplane/examples/cluster/api/extensions/v1beta1"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest"
)

func scheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	b := runtime.NewBuilder()
	hub := runtime.AddHub(b, schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"},
		func() *autoscaling.HorizontalPodAutoscaler { return new(autoscaling.HorizontalPodAutoscaler) })
	runtime.AddVersion(hub, runtime.Version[*v2.HorizontalPodAutoscaler, *autoscaling.HorizontalPodAutoscaler]{
		GroupVersion: schema.GroupVersion{Group: "autoscaling", Version: "v2"},
		New:          func() *v2.HorizontalPodAutoscaler { return new(v2.HorizontalPodAutoscaler) },
		NewList:      func() apiruntime.Object { return new(v2.HorizontalPodAutoscalerList) },
		ToHub:        runtime.Unscoped(v2.LosslessConvert_v2_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler),
		FromHub:      runtime.Unscoped(v2.LosslessConvert_autoscaling_HorizontalPodAutoscaler_To_v2_HorizontalPodAutoscaler),
	})
	runtime.AddVersion(hub, runtime.Version[*v1.HorizontalPodAutoscaler, *autoscaling.HorizontalPodAutoscaler]{
		GroupVersion: schema.GroupVersion{Group: "autoscaling", Version: "v1"},
		New:          func() *v1.HorizontalPodAutoscaler { return new(v1.HorizontalPodAutoscaler) },
		NewList:      func() apiruntime.Object { return new(v1.HorizontalPodAutoscalerList) },
		ToHub:        runtime.Unscoped(v1.LosslessConvert_v1_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler),
		FromHub:      runtime.Unscoped(v1.LosslessConvert_autoscaling_HorizontalPodAutoscaler_To_v1_HorizontalPodAutoscaler),
	})
	runtime.AddVersion(hub, runtime.Version[*v1beta1.HorizontalPodAutoscaler, *autoscaling.HorizontalPodAutoscaler]{
		GroupVersion: schema.GroupVersion{Group: "extensions", Version: "v1beta1"},
		New:          func() *v1beta1.HorizontalPodAutoscaler { return new(v1beta1.HorizontalPodAutoscaler) },
		NewList:      func() apiruntime.Object { return new(v1beta1.HorizontalPodAutoscalerList) },
		ToHub:        runtime.Unscoped(v1beta1.LosslessConvert_v1beta1_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler),
		FromHub:      runtime.Unscoped(v1beta1.LosslessConvert_autoscaling_HorizontalPodAutoscaler_To_v1beta1_HorizontalPodAutoscaler),
	})
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill makes autoscalers of which the older versions show something: every other has one metric of
// the CPU's use among the others, and every other has seen it.
var fill = []any{
	func(spec *autoscaling.HorizontalPodAutoscalerSpec, c randfill.Continue) {
		c.FillNoCustom(spec)
		if c.Bool() {
			spec.Metrics = slices.Insert(spec.Metrics, c.Intn(len(spec.Metrics)+1), autoscaling.NewCPUMetric(c.Int31()))
		}
	},
	func(status *autoscaling.HorizontalPodAutoscalerStatus, c randfill.Continue) {
		c.FillNoCustom(status)
		if c.Bool() {
			cpu := autoscaling.NewCPUStatus(c.Int31())
			cpu.Resource.Current.AverageValue = resource.NewQuantity(c.Int63n(1e6), resource.DecimalSI)
			status.CurrentMetrics = slices.Insert(status.CurrentMetrics, c.Intn(len(status.CurrentMetrics)+1), cpu)
		}
	},
}

func TestLossless(t *testing.T) {
	runtimetest.RunLossless(t, scheme(t), runtimetest.Options{Fill: fill})
}

// TestStory is what a user of v1 does to an autoscaler of v2.
func TestStory(t *testing.T) {
	percent, window := int32(50), int32(60)
	quantity := resource.MustParse("100")
	made := &v2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}, Spec: v2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: v2.CrossVersionObjectReference{Kind: "ReplicationController", Name: "web"},
		MaxReplicas:    5,
		Metrics: []v2.MetricSpec{
			{Type: v2.PodsMetricSourceType, Pods: &v2.PodsMetricSource{Metric: v2.MetricIdentifier{Name: "hits"}, Target: v2.MetricTarget{Type: v2.AverageValueMetricType, AverageValue: &quantity}}},
			{Type: v2.ResourceMetricSourceType, Resource: &v2.ResourceMetricSource{Name: "cpu", Target: v2.MetricTarget{Type: v2.UtilizationMetricType, AverageUtilization: &percent}}},
			{Type: v2.ExternalMetricSourceType, External: &v2.ExternalMetricSource{Metric: v2.MetricIdentifier{Name: "queue"}, Target: v2.MetricTarget{Type: v2.ValueMetricType, Value: &quantity}}},
		},
		Behavior: &v2.HorizontalPodAutoscalerBehavior{ScaleDown: &v2.HPAScalingRules{StabilizationWindowSeconds: &window}},
	}}
	for name, change := range map[string]func(old *v1.HorizontalPodAutoscaler, want *v2.HorizontalPodAutoscaler){
		"maxReplicas": func(old *v1.HorizontalPodAutoscaler, want *v2.HorizontalPodAutoscaler) {
			old.Spec.MaxReplicas, want.Spec.MaxReplicas = 7, 7
		},
		"percentage": func(old *v1.HorizontalPodAutoscaler, want *v2.HorizontalPodAutoscaler) {
			*old.Spec.TargetCPUUtilizationPercentage, *want.Spec.Metrics[1].Resource.Target.AverageUtilization = 70, 70
		},
		"no percentage": func(old *v1.HorizontalPodAutoscaler, want *v2.HorizontalPodAutoscaler) {
			old.Spec.TargetCPUUtilizationPercentage = nil
			want.Spec.Metrics = slices.Delete(want.Spec.Metrics, 1, 2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := made.DeepCopy()
			old := convert(t, made.DeepCopy(), "v1").DeepCopyObject().(*v1.HorizontalPodAutoscaler)
			if _, ok := old.Annotations[runtime.LosslessAnnotation]; !ok {
				t.Errorf("the runtime doesn't know the annotation by its name: %v", old.Annotations)
			}
			change(old, want)
			if diff := cmp.Diff(want, convert(t, old, "v2")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func convert(t testing.TB, obj runtime.Object, version string) runtime.Object {
	t.Helper()
	out, err := scheme(t).Convert(obj, schema.GroupVersionKind{Group: "autoscaling", Version: version, Kind: "HorizontalPodAutoscaler"})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// FuzzAnnotation sends whatever as the annotation: that is never an error, and never changes what
// the version says.
func FuzzAnnotation(f *testing.F) {
	old := &v1.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	old.Spec.TargetCPUUtilizationPercentage, old.Spec.MaxReplicas = new(int32), 3
	for _, text := range []string{
		``, `null`, `{"name":"web","fields":{"Spec":{"fields":{"MaxReplicas":{"said":"x","kept":7},"Behavior":{"kept":{}}}}}}`,
		`{"name":"web","fields":{"Spec":{"fields":{"Metrics":{"items":[{"kept":{"Type":"Pods"}},{"after":"x","at":9,"kept":{"Type":"Resource"}},{"of":"x","said":"x"}]}}}}}`,
		`{"name":"web","fields":{"Status":{"kept":{"Conditions":[{}]}},"Spec":{"items":[{}],"fields":{"Metrics":null}}}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sent := old.DeepCopy()
		sent.Annotations = map[string]string{runtime.LosslessAnnotation: text}
		var hub autoscaling.HorizontalPodAutoscaler
		if err := v1.LosslessConvert_v1_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler(sent, &hub, nil); err != nil {
			t.Fatal(err)
		}
		var back v1.HorizontalPodAutoscaler
		if err := v1.Convert_autoscaling_HorizontalPodAutoscaler_To_v1_HorizontalPodAutoscaler(&hub, &back, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(old, &back); diff != "" {
			t.Errorf("-sent +said:\n%s", diff)
		}
	})
}

func TestDefaults(t *testing.T) {
	var made v2.HorizontalPodAutoscaler
	v2.SetObjectDefaults_HorizontalPodAutoscaler(&made)
	old := convert(t, &made, "v1").(*v1.HorizontalPodAutoscaler)
	if *old.Spec.MinReplicas != 1 || *old.Spec.TargetCPUUtilizationPercentage != 80 {
		t.Errorf("got %v", old.Spec)
	}
	behaved := v2.HorizontalPodAutoscaler{Spec: v2.HorizontalPodAutoscalerSpec{
		Metrics:  []v2.MetricSpec{{Type: v2.PodsMetricSourceType}},
		Behavior: new(v2.HorizontalPodAutoscalerBehavior),
	}}
	v2.SetObjectDefaults_HorizontalPodAutoscaler(&behaved)
	most := v2.MaxChangePolicySelect
	want := v2.HorizontalPodAutoscalerBehavior{
		ScaleUp: &v2.HPAScalingRules{StabilizationWindowSeconds: new(int32), SelectPolicy: &most, Policies: []v2.HPAScalingPolicy{
			{Type: v2.PodsScalingPolicy, Value: 4, PeriodSeconds: 15}, {Type: v2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15},
		}},
		ScaleDown: &v2.HPAScalingRules{SelectPolicy: &most, Policies: []v2.HPAScalingPolicy{{Type: v2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15}}},
	}
	if diff := cmp.Diff(&want, behaved.Spec.Behavior); diff != "" || len(behaved.Spec.Metrics) != 1 {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// BenchmarkOlder is what conversion to a version costs that shows everything, and to one that
// doesn't.
func BenchmarkOlder(b *testing.B) {
	kinds := map[string]string{"all is said": "v2", "something is kept": "v1"}
	hub := &autoscaling.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: autoscaling.HorizontalPodAutoscalerSpec{
		Metrics:  []autoscaling.MetricSpec{{Type: autoscaling.PodsMetricSourceType, Pods: &autoscaling.PodsMetricSource{}}, autoscaling.NewCPUMetric(50)},
		Behavior: &autoscaling.HorizontalPodAutoscalerBehavior{},
	}}
	for name, version := range kinds {
		kind, _ := scheme(b).Kind(schema.GroupVersionKind{Group: "autoscaling", Version: version, Kind: "HorizontalPodAutoscaler"})
		old, err := kind.FromHub(hub)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/down", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = kind.FromHub(hub)
			}
		})
		b.Run(name+"/up", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = kind.ToHub(old)
			}
		})
	}
	cpu := &autoscaling.HorizontalPodAutoscaler{Spec: autoscaling.HorizontalPodAutoscalerSpec{Metrics: []autoscaling.MetricSpec{autoscaling.NewCPUMetric(50)}}}
	kind, _ := scheme(b).Kind(schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "HorizontalPodAutoscaler"})
	b.Run("nothing is lost/down", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = kind.FromHub(cpu)
		}
	})
	b.Run("nothing is lost/down, plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = v1.Convert_autoscaling_HorizontalPodAutoscaler_To_v1_HorizontalPodAutoscaler(cpu, new(v1.HorizontalPodAutoscaler), nil)
		}
	})
}
