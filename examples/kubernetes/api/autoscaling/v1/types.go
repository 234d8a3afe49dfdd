package v1

import autoscalingv1 "k8s.io/api/autoscaling/v1"

// HorizontalPodAutoscaler scales what it names, by the CPU that pods use.
//
// +kubebuilder:resource:shortName=hpa,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Reference,type=string,JSONPath=.spec.scaleTargetRef.name
// +kubebuilder:printcolumn:name=Minpods,type=integer,JSONPath=.spec.minReplicas
// +kubebuilder:printcolumn:name=Maxpods,type=integer,JSONPath=.spec.maxReplicas
// +kubebuilder:printcolumn:name=Replicas,type=integer,JSONPath=.status.currentReplicas
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type HorizontalPodAutoscaler = autoscalingv1.HorizontalPodAutoscaler

// HorizontalPodAutoscalerList is a list of them.
type HorizontalPodAutoscalerList = autoscalingv1.HorizontalPodAutoscalerList
