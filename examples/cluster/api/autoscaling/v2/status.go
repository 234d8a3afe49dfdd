package v2

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
	// +optional
	CurrentReplicas int32 `json:"currentReplicas,omitempty" protobuf:"varint,3,opt,name=currentReplicas"`

	// desiredReplicas is how many replicas there should be.
	DesiredReplicas int32 `json:"desiredReplicas" protobuf:"varint,4,opt,name=desiredReplicas"`

	// currentMetrics is what the metrics were.
	// +listType=atomic
	// +optional
	CurrentMetrics []MetricStatus `json:"currentMetrics" protobuf:"bytes,5,rep,name=currentMetrics"`

	// conditions say what works, one entry for each type of thing.
	// +listType=map
	// +listMapKey=type
	// +patchStrategy=merge
	// +patchMergeKey=type
	// +optional
	Conditions []HorizontalPodAutoscalerCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" listType:"map" protobuf:"bytes,6,rep,name=conditions"`
}

// HorizontalPodAutoscalerConditionType is what a condition is about.
type HorizontalPodAutoscalerConditionType string

const (
	// ScalingActive says that the metrics can be read and the target is scaled.
	ScalingActive HorizontalPodAutoscalerConditionType = "ScalingActive"
	// AbleToScale says that nothing keeps the number of replicas from being changed, like having
	// just been changed.
	AbleToScale HorizontalPodAutoscalerConditionType = "AbleToScale"
	// ScalingLimited says that a bound keeps the number from being what the metrics ask for.
	ScalingLimited HorizontalPodAutoscalerConditionType = "ScalingLimited"
	// ScaledToZero says that the autoscaler, and not somebody else, set the number of replicas
	// to 0.
	ScaledToZero HorizontalPodAutoscalerConditionType = "ScaledToZero"
)

// HorizontalPodAutoscalerCondition is one thing that is true of an autoscaler or not.
type HorizontalPodAutoscalerCondition struct {
	// type is what this is about.
	Type HorizontalPodAutoscalerConditionType `json:"type" protobuf:"bytes,1,name=type"`

	// status is True, False or Unknown.
	Status metav1.ConditionStatus `json:"status" protobuf:"bytes,2,name=status"`

	// lastTransitionTime is when status changed last.
	// +optional
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt,name=lastTransitionTime"`

	// reason is one word, for programs, that says why status changed.
	// +optional
	Reason string `json:"reason,omitempty" protobuf:"bytes,4,opt,name=reason"`

	// message says the same to people.
	// +optional
	Message string `json:"message,omitempty" protobuf:"bytes,5,opt,name=message"`

	// observedGeneration is the generation of the autoscaler that this condition is about.
	// +optional
	ObservedGeneration *int64 `json:"observedGeneration,omitempty" protobuf:"varint,6,opt,name=observedGeneration"`
}

// MetricStatus is what a metric was. Exactly the field that type names is set.
type MetricStatus struct {
	// type says where the metric comes from, and thus which of the other fields is set.
	Type MetricSourceType `json:"type" protobuf:"bytes,1,name=type"`

	// object is a metric of one other object.
	// +optional
	Object *ObjectMetricStatus `json:"object,omitempty" protobuf:"bytes,2,opt,name=object"`

	// pods is a metric that each of the pods has.
	// +optional
	Pods *PodsMetricStatus `json:"pods,omitempty" protobuf:"bytes,3,opt,name=pods"`

	// resource is a resource that the pods request.
	// +optional
	Resource *ResourceMetricStatus `json:"resource,omitempty" protobuf:"bytes,4,opt,name=resource"`

	// containerResource is a resource that one container of each pod requests.
	// +optional
	ContainerResource *ContainerResourceMetricStatus `json:"containerResource,omitempty" protobuf:"bytes,7,opt,name=containerResource"`

	// external is a metric that belongs to no object of the cluster.
	// +optional
	External *ExternalMetricStatus `json:"external,omitempty" protobuf:"bytes,5,opt,name=external"`
}

// ObjectMetricStatus is what a metric of another object was.
type ObjectMetricStatus struct {
	// metric finds the metric.
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`

	// current is what it was.
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`

	// describedObject names the object.
	DescribedObject CrossVersionObjectReference `json:"describedObject" protobuf:"bytes,3,name=describedObject"`
}

// PodsMetricStatus is what a metric of the pods was.
type PodsMetricStatus struct {
	// metric finds the metric.
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`

	// current is what it was.
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`
}

// ResourceMetricStatus is what the pods used of a resource.
type ResourceMetricStatus struct {
	// name of the resource, like cpu.
	Name string `json:"name" protobuf:"bytes,1,name=name"`

	// current is what was used.
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`
}

// ContainerResourceMetricStatus is what one container of each pod used of a resource.
type ContainerResourceMetricStatus struct {
	// name of the resource, like cpu.
	Name string `json:"name" protobuf:"bytes,1,name=name"`

	// current is what was used.
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`

	// container is the container's name in the pods.
	Container string `json:"container" protobuf:"bytes,3,opt,name=container"`
}

// ExternalMetricStatus is what a metric that belongs to no object was.
type ExternalMetricStatus struct {
	// metric finds the metric.
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`

	// current is what it was.
	Current MetricValueStatus `json:"current" protobuf:"bytes,2,name=current"`
}

// MetricValueStatus is a value that was seen.
type MetricValueStatus struct {
	// value is the metric as it is.
	// +optional
	Value *resource.Quantity `json:"value,omitempty" protobuf:"bytes,1,opt,name=value"`

	// averageValue is the metric's average over the pods.
	// +optional
	AverageValue *resource.Quantity `json:"averageValue,omitempty" protobuf:"bytes,2,opt,name=averageValue"`

	// averageUtilization is a resource's average use over the pods, in percent of what they
	// request.
	// +optional
	AverageUtilization *int32 `json:"averageUtilization,omitempty" protobuf:"bytes,3,opt,name=averageUtilization"`
}
