package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// SubresourceReference names a subresource of an object of the same namespace.
type SubresourceReference struct {
	// kind of the object, like ReplicationController.
	// +optional
	Kind string `json:"kind,omitempty" protobuf:"bytes,1,opt,name=kind"`

	// name of the object.
	// +optional
	Name string `json:"name,omitempty" protobuf:"bytes,2,opt,name=name"`

	// apiVersion is the group and version in which to find the object.
	// +optional
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,3,opt,name=apiVersion"`

	// subresource is what sets the number of replicas: scale.
	// +optional
	// +default="scale"
	Subresource string `json:"subresource,omitempty" protobuf:"bytes,4,opt,name=subresource"`
}

// CPUTargetUtilization is how much CPU pods should use.
type CPUTargetUtilization struct {
	// targetPercentage is how much of the CPU that they request the pods should use on average, in
	// percent.
	TargetPercentage int32 `json:"targetPercentage" protobuf:"varint,1,opt,name=targetPercentage"`
}

// HorizontalPodAutoscalerSpec is what is wanted of an autoscaler.
type HorizontalPodAutoscalerSpec struct {
	// scaleRef names the object whose number of replicas is set.
	ScaleRef SubresourceReference `json:"scaleRef" protobuf:"bytes,1,opt,name=scaleRef"`

	// minReplicas is the least number of replicas. 1 if it is left out.
	// +optional
	// +default=1
	MinReplicas *int32 `json:"minReplicas,omitempty" protobuf:"varint,2,opt,name=minReplicas"`

	// maxReplicas is the greatest number of replicas; it cannot be less than minReplicas.
	MaxReplicas int32 `json:"maxReplicas" protobuf:"varint,3,opt,name=maxReplicas"`

	// cpuUtilization is how much CPU the pods should use. An autoscaler that names no metric in any
	// version aims at 80 %.
	// +optional
	CPUUtilization *CPUTargetUtilization `json:"cpuUtilization,omitempty" protobuf:"bytes,4,opt,name=cpuUtilization"`
}

// HorizontalPodAutoscalerStatus is what an autoscaler saw last.
type HorizontalPodAutoscalerStatus struct {
	// observedGeneration is the generation of the autoscaler that this status is about.
	// +optional
	ObservedGeneration *int64 `json:"observedGeneration,omitempty" protobuf:"varint,1,opt,name=observedGeneration"`

	// lastScaleTime is when the number of replicas was changed last; how soon it may change again
	// depends on it.
	// +optional
	LastScaleTime *metav1.Time `json:"lastScaleTime,omitempty" protobuf:"bytes,2,opt,name=lastScaleTime"`

	// currentReplicas is how many replicas there are.
	CurrentReplicas int32 `json:"currentReplicas" protobuf:"varint,3,opt,name=currentReplicas"`

	// desiredReplicas is how many replicas there should be.
	DesiredReplicas int32 `json:"desiredReplicas" protobuf:"varint,4,opt,name=desiredReplicas"`

	// currentCPUUtilizationPercentage is how much of the CPU that they request the pods use on
	// average, in percent: 70 means that the average pod uses 70 % of what it requests.
	// +optional
	CurrentCPUUtilizationPercentage *int32 `json:"currentCPUUtilizationPercentage,omitempty" protobuf:"varint,5,opt,name=currentCPUUtilizationPercentage"`
}

// HorizontalPodAutoscaler keeps the number of replicas of something scalable between two bounds, by
// the use of CPU.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:resource:shortName=hpa,categories=all
// +kubebuilder:subresource:status
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
