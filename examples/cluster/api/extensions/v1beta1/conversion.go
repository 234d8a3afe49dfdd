package v1beta1

import (
	"k8s.io/apimachinery/pkg/conversion"

	"github.com/typeplane/typeplane/examples/cluster/api/autoscaling"
)

const scale = "scale"

// What is one number here is one of many metrics in the hub, and the target has another name and
// type.

// Convert_v1beta1_HorizontalPodAutoscalerSpec_To_autoscaling_HorizontalPodAutoscalerSpec makes a
// metric of the percentage.
func Convert_v1beta1_HorizontalPodAutoscalerSpec_To_autoscaling_HorizontalPodAutoscalerSpec(in *HorizontalPodAutoscalerSpec, out *autoscaling.HorizontalPodAutoscalerSpec, s conversion.Scope) error {
	out.ScaleTargetRef = autoscaling.CrossVersionObjectReference{Kind: in.ScaleRef.Kind, Name: in.ScaleRef.Name, APIVersion: in.ScaleRef.APIVersion}
	if out.ScaleSubresource = in.ScaleRef.Subresource; out.ScaleSubresource == scale {
		out.ScaleSubresource = ""
	}
	if in.CPUUtilization != nil {
		out.Metrics = []autoscaling.MetricSpec{autoscaling.NewCPUMetric(in.CPUUtilization.TargetPercentage)}
	}
	return autoConvert_v1beta1_HorizontalPodAutoscalerSpec_To_autoscaling_HorizontalPodAutoscalerSpec(in, out, s)
}

// Convert_autoscaling_HorizontalPodAutoscalerSpec_To_v1beta1_HorizontalPodAutoscalerSpec finds the
// percentage.
func Convert_autoscaling_HorizontalPodAutoscalerSpec_To_v1beta1_HorizontalPodAutoscalerSpec(in *autoscaling.HorizontalPodAutoscalerSpec, out *HorizontalPodAutoscalerSpec, s conversion.Scope) error {
	ref := in.ScaleTargetRef
	out.ScaleRef = SubresourceReference{Kind: ref.Kind, Name: ref.Name, APIVersion: ref.APIVersion, Subresource: scale}
	if in.ScaleSubresource != "" {
		out.ScaleRef.Subresource = in.ScaleSubresource
	}
	if percent := autoscaling.CPUPercent(in.Metrics); percent != nil {
		out.CPUUtilization = &CPUTargetUtilization{TargetPercentage: *percent}
	}
	return autoConvert_autoscaling_HorizontalPodAutoscalerSpec_To_v1beta1_HorizontalPodAutoscalerSpec(in, out, s)
}

// Convert_v1beta1_HorizontalPodAutoscalerStatus_To_autoscaling_HorizontalPodAutoscalerStatus makes
// a metric of the percentage.
func Convert_v1beta1_HorizontalPodAutoscalerStatus_To_autoscaling_HorizontalPodAutoscalerStatus(in *HorizontalPodAutoscalerStatus, out *autoscaling.HorizontalPodAutoscalerStatus, s conversion.Scope) error {
	if in.CurrentCPUUtilizationPercentage != nil {
		out.CurrentMetrics = []autoscaling.MetricStatus{autoscaling.NewCPUStatus(*in.CurrentCPUUtilizationPercentage)}
	}
	return autoConvert_v1beta1_HorizontalPodAutoscalerStatus_To_autoscaling_HorizontalPodAutoscalerStatus(in, out, s)
}

// Convert_autoscaling_HorizontalPodAutoscalerStatus_To_v1beta1_HorizontalPodAutoscalerStatus finds
// the percentage.
func Convert_autoscaling_HorizontalPodAutoscalerStatus_To_v1beta1_HorizontalPodAutoscalerStatus(in *autoscaling.HorizontalPodAutoscalerStatus, out *HorizontalPodAutoscalerStatus, s conversion.Scope) error {
	out.CurrentCPUUtilizationPercentage = autoscaling.CurrentCPUPercent(in.CurrentMetrics)
	return autoConvert_autoscaling_HorizontalPodAutoscalerStatus_To_v1beta1_HorizontalPodAutoscalerStatus(in, out, s)
}
