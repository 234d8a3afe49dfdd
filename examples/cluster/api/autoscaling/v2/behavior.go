package v2

import "k8s.io/apimachinery/pkg/api/resource"

// HorizontalPodAutoscalerBehavior says how fast to scale, each way.
type HorizontalPodAutoscalerBehavior struct {
	// scaleUp limits how the number of replicas grows. Without it, it grows by at most 4 pods or to
	// twice as many within 15 seconds, whichever is more, and at once.
	// +optional
	ScaleUp *HPAScalingRules `json:"scaleUp,omitempty" protobuf:"bytes,1,opt,name=scaleUp"`

	// scaleDown limits how the number of replicas shrinks. Without it, it may shrink to
	// minReplicas, to the highest number that seemed right within the last 300 seconds.
	// +optional
	ScaleDown *HPAScalingRules `json:"scaleDown,omitempty" protobuf:"bytes,2,opt,name=scaleDown"`
}

// ScalingPolicySelect says which of several policies counts.
//
// +enum
type ScalingPolicySelect string

const (
	// MaxChangePolicySelect selects the policy that allows the greatest change.
	MaxChangePolicySelect ScalingPolicySelect = "Max"
	// MinChangePolicySelect selects the policy that allows the least change.
	MinChangePolicySelect ScalingPolicySelect = "Min"
	// DisabledPolicySelect allows no scaling in this direction.
	DisabledPolicySelect ScalingPolicySelect = "Disabled"
)

// HPAScalingRules limit scaling in one direction. Policies limit the steps. Of the recommendations
// in a window the most careful one is taken, so that the number doesn't flap. Below a tolerance a
// metric changes nothing.
type HPAScalingRules struct {
	// stabilizationWindowSeconds is how far to look back for recommendations, 0 to 3600. Without
	// it, 0 when scaling up and 300 when scaling down.
	// +optional
	StabilizationWindowSeconds *int32 `json:"stabilizationWindowSeconds,omitempty" protobuf:"varint,3,opt,name=stabilizationWindowSeconds"`

	// selectPolicy says which of the policies counts: Max, if it is left out.
	// +optional
	SelectPolicy *ScalingPolicySelect `json:"selectPolicy,omitempty" protobuf:"bytes,1,opt,name=selectPolicy"`

	// policies limit the change within a time. Without any, those that are described at scaleUp and
	// scaleDown are used.
	// +listType=atomic
	// +optional
	Policies []HPAScalingPolicy `json:"policies,omitempty" listType:"atomic" protobuf:"bytes,2,rep,name=policies"`

	// tolerance is by which part a metric may differ from its target before the number of replicas
	// changes, like 0.01 for 1 %; at least 0. Without it, the cluster's own is used: 10 %.
	// +optional
	Tolerance *resource.Quantity `json:"tolerance,omitempty" protobuf:"bytes,4,opt,name=tolerance"`
}

// HPAScalingPolicyType is the unit of a policy.
//
// +enum
type HPAScalingPolicyType string

const (
	// PodsScalingPolicy counts pods.
	PodsScalingPolicy HPAScalingPolicyType = "Pods"
	// PercentScalingPolicy counts percents of the number of replicas that there are.
	PercentScalingPolicy HPAScalingPolicyType = "Percent"
)

// HPAScalingPolicy limits the change within a period.
type HPAScalingPolicy struct {
	// type is the unit of value.
	Type HPAScalingPolicyType `json:"type" protobuf:"bytes,1,opt,name=type,casttype=HPAScalingPolicyType"`

	// value is the greatest change, more than 0.
	Value int32 `json:"value" protobuf:"varint,2,opt,name=value"`

	// periodSeconds is the time in which the change is counted, 1 to 1800.
	PeriodSeconds int32 `json:"periodSeconds" protobuf:"varint,3,opt,name=periodSeconds"`
}
