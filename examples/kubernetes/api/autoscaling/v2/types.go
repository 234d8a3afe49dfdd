package v2

import autoscalingv2 "k8s.io/api/autoscaling/v2"

// HorizontalPodAutoscaler scales what it names, by metrics.
//
// +kubebuilder:resource:shortName=hpa,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Reference,type=string,JSONPath=.spec.scaleTargetRef.name
// +kubebuilder:printcolumn:name=Minpods,type=integer,JSONPath=.spec.minReplicas
// +kubebuilder:printcolumn:name=Maxpods,type=integer,JSONPath=.spec.maxReplicas
// +kubebuilder:printcolumn:name=Replicas,type=integer,JSONPath=.status.currentReplicas
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +typeplane:validation:enabled=HPAScaleToZero
type HorizontalPodAutoscaler = autoscalingv2.HorizontalPodAutoscaler

// HorizontalPodAutoscalerList is a list of them.
type HorizontalPodAutoscalerList = autoscalingv2.HorizontalPodAutoscalerList
