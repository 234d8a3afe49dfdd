package v2

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MetricSourceType says where a metric comes from.
//
// +enum
type MetricSourceType string

const (
	// ObjectMetricSourceType is a metric of another object, like requests per second of an ingress.
	ObjectMetricSourceType MetricSourceType = "Object"
	// PodsMetricSourceType is a metric that each of the pods has; the average counts.
	PodsMetricSourceType MetricSourceType = "Pods"
	// ResourceMetricSourceType is a resource that pods request, like CPU or memory.
	ResourceMetricSourceType MetricSourceType = "Resource"
	// ContainerResourceMetricSourceType is a resource that one container of each pod requests.
	ContainerResourceMetricSourceType MetricSourceType = "ContainerResource"
	// ExternalMetricSourceType is a metric that belongs to no object, like the length of a queue
	// elsewhere.
	ExternalMetricSourceType MetricSourceType = "External"
)

// MetricSpec is one metric and its target. Exactly the field that type names is set.
type MetricSpec struct {
	// type says where the metric comes from, and thus which of the other fields is set.
	Type MetricSourceType `json:"type" protobuf:"bytes,1,name=type"`

	// object is a metric of one other object, like requests per second of an ingress.
	// +optional
	Object *ObjectMetricSource `json:"object,omitempty" protobuf:"bytes,2,opt,name=object"`

	// pods is a metric that each of the pods has, like transactions per second; the average counts.
	// +optional
	Pods *PodsMetricSource `json:"pods,omitempty" protobuf:"bytes,3,opt,name=pods"`

	// resource is a resource that the pods request, like CPU or memory.
	// +optional
	Resource *ResourceMetricSource `json:"resource,omitempty" protobuf:"bytes,4,opt,name=resource"`

	// containerResource is a resource that one container of each pod requests.
	// +optional
	ContainerResource *ContainerResourceMetricSource `json:"containerResource,omitempty" protobuf:"bytes,7,opt,name=containerResource"`

	// external is a metric that belongs to no object of the cluster, like the length of a queue
	// elsewhere.
	// +optional
	External *ExternalMetricSource `json:"external,omitempty" protobuf:"bytes,5,opt,name=external"`
}

// ObjectMetricSource is a metric of another object, and its target.
type ObjectMetricSource struct {
	// describedObject names the object.
	DescribedObject CrossVersionObjectReference `json:"describedObject" protobuf:"bytes,1,name=describedObject"`

	// target is what the metric should be.
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`

	// metric finds the metric.
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,3,name=metric"`
}

// PodsMetricSource is a metric that each of the pods has, and the target of its average.
type PodsMetricSource struct {
	// metric finds the metric.
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`

	// target is what the metric should be.
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`
}

// ResourceMetricSource is a resource that the pods request, and the target of its use.
type ResourceMetricSource struct {
	// name of the resource, like cpu.
	Name string `json:"name" protobuf:"bytes,1,name=name"`

	// target is what the use should be.
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`
}

// ContainerResourceMetricSource is a resource that one container of each pod requests, and the
// target of its use.
type ContainerResourceMetricSource struct {
	// name of the resource, like cpu.
	Name string `json:"name" protobuf:"bytes,1,name=name"`

	// target is what the use should be.
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`

	// container is the container's name in the pods.
	Container string `json:"container" protobuf:"bytes,3,opt,name=container"`
}

// ExternalMetricSource is a metric that belongs to no object, and its target.
type ExternalMetricSource struct {
	// metric finds the metric.
	Metric MetricIdentifier `json:"metric" protobuf:"bytes,1,name=metric"`

	// target is what the metric should be.
	Target MetricTarget `json:"target" protobuf:"bytes,2,name=target"`
}

// MetricIdentifier finds a metric by name and labels.
type MetricIdentifier struct {
	// name of the metric.
	Name string `json:"name" protobuf:"bytes,1,name=name"`

	// selector narrows the metric down by its labels, at the server of metrics. Without it, only
	// the name counts.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty" protobuf:"bytes,2,name=selector"`
}

// MetricTargetType says which field of a target counts.
//
// +enum
type MetricTargetType string

const (
	// UtilizationMetricType is a percentage of what is requested.
	UtilizationMetricType MetricTargetType = "Utilization"
	// ValueMetricType is a value as it is.
	ValueMetricType MetricTargetType = "Value"
	// AverageValueMetricType is a value divided by the number of pods.
	AverageValueMetricType MetricTargetType = "AverageValue"
)

// MetricTarget is what a metric should be.
type MetricTarget struct {
	// type says which of the other fields counts.
	Type MetricTargetType `json:"type" protobuf:"bytes,1,name=type"`

	// value is the metric as it is.
	// +optional
	Value *resource.Quantity `json:"value,omitempty" protobuf:"bytes,2,opt,name=value"`

	// averageValue is the metric's average over the pods.
	// +optional
	AverageValue *resource.Quantity `json:"averageValue,omitempty" protobuf:"bytes,3,opt,name=averageValue"`

	// averageUtilization is a resource's average use over the pods, in percent of what they
	// request. Only for resources.
	// +optional
	AverageUtilization *int32 `json:"averageUtilization,omitempty" protobuf:"bytes,4,opt,name=averageUtilization"`
}
