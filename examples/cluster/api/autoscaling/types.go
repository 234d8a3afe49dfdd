package autoscaling

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HorizontalPodAutoscaler keeps the number of replicas of something scalable between two bounds, by
// metrics.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type HorizontalPodAutoscaler struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   HorizontalPodAutoscalerSpec
	Status HorizontalPodAutoscalerStatus
}

// HorizontalPodAutoscalerSpec is what is wanted.
type HorizontalPodAutoscalerSpec struct {
	ScaleTargetRef CrossVersionObjectReference
	MinReplicas    *int32
	MaxReplicas    int32
	Metrics        []MetricSpec
	Behavior       *HorizontalPodAutoscalerBehavior
	// ScaleSubresource is the subresource of the target that sets the number of replicas; scale, if
	// it is "". Only extensions/v1beta1 shows it.
	ScaleSubresource string
}

// CrossVersionObjectReference names an object of the same namespace.
type CrossVersionObjectReference struct {
	Kind, Name, APIVersion string
}

// MetricSpec is one metric and its target; the field that Type names is set.
type MetricSpec struct {
	Type              MetricSourceType
	Object            *ObjectMetricSource
	Pods              *PodsMetricSource
	Resource          *ResourceMetricSource
	ContainerResource *ContainerResourceMetricSource
	External          *ExternalMetricSource
}

// MetricSourceType says where a metric comes from.
type MetricSourceType string

// The sources of metrics.
const (
	ObjectMetricSourceType            MetricSourceType = "Object"
	PodsMetricSourceType              MetricSourceType = "Pods"
	ResourceMetricSourceType          MetricSourceType = "Resource"
	ContainerResourceMetricSourceType MetricSourceType = "ContainerResource"
	ExternalMetricSourceType          MetricSourceType = "External"
)

// HorizontalPodAutoscalerBehavior says how fast to scale, each way.
type HorizontalPodAutoscalerBehavior struct {
	ScaleUp, ScaleDown *HPAScalingRules
}

// ScalingPolicySelect says which of several policies counts.
type ScalingPolicySelect string

// The ways to select a policy.
const (
	MaxChangePolicySelect ScalingPolicySelect = "Max"
	MinChangePolicySelect ScalingPolicySelect = "Min"
	DisabledPolicySelect  ScalingPolicySelect = "Disabled"
)

// HPAScalingRules limit scaling in one direction.
type HPAScalingRules struct {
	StabilizationWindowSeconds *int32
	SelectPolicy               *ScalingPolicySelect
	Policies                   []HPAScalingPolicy
	Tolerance                  *resource.Quantity
}

// HPAScalingPolicyType is the unit of a policy.
type HPAScalingPolicyType string

// The units of policies.
const (
	PodsScalingPolicy    HPAScalingPolicyType = "Pods"
	PercentScalingPolicy HPAScalingPolicyType = "Percent"
)

// HPAScalingPolicy limits the change within a period.
type HPAScalingPolicy struct {
	Type          HPAScalingPolicyType
	Value         int32
	PeriodSeconds int32
}

// ObjectMetricSource is a metric of another object.
type ObjectMetricSource struct {
	DescribedObject CrossVersionObjectReference
	Target          MetricTarget
	Metric          MetricIdentifier
}

// PodsMetricSource is a metric that each of the pods has.
type PodsMetricSource struct {
	Metric MetricIdentifier
	Target MetricTarget
}

// ResourceMetricSource is a resource that the pods use.
type ResourceMetricSource struct {
	Name   string
	Target MetricTarget
}

// ContainerResourceMetricSource is a resource that one container of each pod uses.
type ContainerResourceMetricSource struct {
	Name      string
	Target    MetricTarget
	Container string
}

// ExternalMetricSource is a metric of something outside.
type ExternalMetricSource struct {
	Metric MetricIdentifier
	Target MetricTarget
}

// MetricIdentifier finds a metric.
type MetricIdentifier struct {
	Name     string
	Selector *metav1.LabelSelector
}

// MetricTarget is what a metric should be.
type MetricTarget struct {
	Type               MetricTargetType
	Value              *resource.Quantity
	AverageValue       *resource.Quantity
	AverageUtilization *int32
}

// MetricTargetType says which field of a target counts.
type MetricTargetType string

// The kinds of targets.
const (
	UtilizationMetricType  MetricTargetType = "Utilization"
	ValueMetricType        MetricTargetType = "Value"
	AverageValueMetricType MetricTargetType = "AverageValue"
)

// HorizontalPodAutoscalerStatus is what was seen last.
type HorizontalPodAutoscalerStatus struct {
	ObservedGeneration *int64
	LastScaleTime      *metav1.Time
	CurrentReplicas    int32
	DesiredReplicas    int32
	CurrentMetrics     []MetricStatus
	Conditions         []HorizontalPodAutoscalerCondition
}

// HorizontalPodAutoscalerConditionType is what a condition is about.
type HorizontalPodAutoscalerConditionType string

// The conditions of an autoscaler.
const (
	ScalingActive  HorizontalPodAutoscalerConditionType = "ScalingActive"
	AbleToScale    HorizontalPodAutoscalerConditionType = "AbleToScale"
	ScalingLimited HorizontalPodAutoscalerConditionType = "ScalingLimited"
	ScaledToZero   HorizontalPodAutoscalerConditionType = "ScaledToZero"
)

// HorizontalPodAutoscalerCondition is one thing that is true or not.
type HorizontalPodAutoscalerCondition struct {
	Type               HorizontalPodAutoscalerConditionType
	Status             metav1.ConditionStatus
	LastTransitionTime metav1.Time
	Reason             string
	Message            string
	ObservedGeneration *int64
}

// MetricStatus is what a metric was; the field that Type names is set.
type MetricStatus struct {
	Type              MetricSourceType
	Object            *ObjectMetricStatus
	Pods              *PodsMetricStatus
	Resource          *ResourceMetricStatus
	ContainerResource *ContainerResourceMetricStatus
	External          *ExternalMetricStatus
}

// ObjectMetricStatus is what a metric of another object was.
type ObjectMetricStatus struct {
	Metric          MetricIdentifier
	Current         MetricValueStatus
	DescribedObject CrossVersionObjectReference
}

// PodsMetricStatus is what a metric of the pods was.
type PodsMetricStatus struct {
	Metric  MetricIdentifier
	Current MetricValueStatus
}

// ResourceMetricStatus is what the pods used of a resource.
type ResourceMetricStatus struct {
	Name    string
	Current MetricValueStatus
}

// ContainerResourceMetricStatus is what one container of each pod used of a resource.
type ContainerResourceMetricStatus struct {
	Name      string
	Current   MetricValueStatus
	Container string
}

// ExternalMetricStatus is what a metric of something outside was.
type ExternalMetricStatus struct {
	Metric  MetricIdentifier
	Current MetricValueStatus
}

// MetricValueStatus is a value that was seen.
type MetricValueStatus struct {
	Value              *resource.Quantity
	AverageValue       *resource.Quantity
	AverageUtilization *int32
}
