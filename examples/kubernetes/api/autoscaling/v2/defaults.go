package v2

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/examples/kubernetes/api/internal/absent"
)

// SetDefaults_HorizontalPodAutoscalerSpec keeps one pod at least, and 80 % of the CPU that pods
// request.
func SetDefaults_HorizontalPodAutoscalerSpec(in *autoscalingv2.HorizontalPodAutoscalerSpec) {
	absent.Set(&in.MinReplicas, 1)
	if len(in.Metrics) == 0 {
		target := autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: new(int32(80))}
		in.Metrics = []autoscalingv2.MetricSpec{{
			Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceCPU, Target: target},
		}}
	}
}

// SetDefaults_HorizontalPodAutoscalerBehavior fills in what is not said about a direction. The
// window for scaling down is left to the controller.
func SetDefaults_HorizontalPodAutoscalerBehavior(in *autoscalingv2.HorizontalPodAutoscalerBehavior) {
	fill(&in.ScaleUp,
		autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PodsScalingPolicy, Value: 4, PeriodSeconds: 15},
		autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15})
	absent.Set(&in.ScaleUp.StabilizationWindowSeconds, 0)
	fill(&in.ScaleDown, autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15})
}

// fill gives rules a way to select, and policies.
func fill(rules **autoscalingv2.HPAScalingRules, policies ...autoscalingv2.HPAScalingPolicy) {
	absent.Set(rules, autoscalingv2.HPAScalingRules{})
	absent.Set(&(*rules).SelectPolicy, autoscalingv2.MaxChangePolicySelect)
	if (*rules).Policies == nil {
		(*rules).Policies = policies
	}
}
