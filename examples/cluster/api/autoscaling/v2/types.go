package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// HorizontalPodAutoscaler keeps the number of replicas of something scalable between two bounds, by
// metrics.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:resource:shortName=hpa,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type HorizontalPodAutoscaler struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the metadata that every object has.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// spec is what is wanted.
	// +optional
	Spec HorizontalPodAutoscalerSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`

	// status is what was seen last.
	// +optional
	Status HorizontalPodAutoscalerStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// HorizontalPodAutoscalerSpec is what is wanted of an autoscaler.
type HorizontalPodAutoscalerSpec struct {
	// scaleTargetRef names the object whose number of replicas is set, through its scale
	// subresource.
	ScaleTargetRef CrossVersionObjectReference `json:"scaleTargetRef" protobuf:"bytes,1,opt,name=scaleTargetRef"`

	// minReplicas is the least number of replicas. 1 if it is left out.
	// +optional
	// +default=1
	MinReplicas *int32 `json:"minReplicas,omitempty" protobuf:"varint,2,opt,name=minReplicas"`

	// maxReplicas is the greatest number of replicas; it cannot be less than minReplicas.
	MaxReplicas int32 `json:"maxReplicas" protobuf:"varint,3,opt,name=maxReplicas"`

	// metrics are what the number of replicas is worked out from: each gives a number, and the
	// greatest counts. Without any, the pods should use 80 % of the CPU that they request.
	// +listType=atomic
	// +optional
	Metrics []MetricSpec `json:"metrics,omitempty" protobuf:"bytes,4,rep,name=metrics"`

	// behavior says how fast to scale, each way.
	// +optional
	Behavior *HorizontalPodAutoscalerBehavior `json:"behavior,omitempty" protobuf:"bytes,5,opt,name=behavior"`
}

// CrossVersionObjectReference names an object of the same namespace, in any version.
type CrossVersionObjectReference struct {
	// kind of the object, like ReplicationController.
	Kind string `json:"kind" protobuf:"bytes,1,opt,name=kind"`

	// name of the object.
	Name string `json:"name" protobuf:"bytes,2,opt,name=name"`

	// apiVersion is the group and version in which to find the object.
	// +optional
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,3,opt,name=apiVersion"`
}

// HorizontalPodAutoscalerList is a list of autoscalers.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type HorizontalPodAutoscalerList struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the metadata that every list has.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// items are the autoscalers.
	Items []HorizontalPodAutoscaler `json:"items" protobuf:"bytes,2,rep,name=items"`
}
