package v2

import autoscalingv2 "k8s.io/api/autoscaling/v2"

// HorizontalPodAutoscaler scales what it names, by metrics.
//
// +kubebuilder:resource:shortName=hpa,categories=all
// +kubebuilder:subresource:status
type HorizontalPodAutoscaler = autoscalingv2.HorizontalPodAutoscaler

// HorizontalPodAutoscalerList is a list of them.
type HorizontalPodAutoscalerList = autoscalingv2.HorizontalPodAutoscalerList
