package v2

// SetDefaults_HorizontalPodAutoscalerSpec sets the metric of an autoscaler that has none: 80 % of
// the CPU that its pods request. No older version has this default: there, no percentage may also
// mean that metrics which the version cannot show are set. Clients of an older version get it when
// the object is stored in this version.
func SetDefaults_HorizontalPodAutoscalerSpec(spec *HorizontalPodAutoscalerSpec) {
	if len(spec.Metrics) > 0 {
		return
	}
	percent := int32(80)
	spec.Metrics = []MetricSpec{{Type: ResourceMetricSourceType, Resource: &ResourceMetricSource{
		Name: "cpu", Target: MetricTarget{Type: UtilizationMetricType, AverageUtilization: &percent},
	}}}
}

// SetDefaults_HorizontalPodAutoscalerBehavior fills in what is not said about a direction. Without
// a behavior nothing is filled in: then the controller's own rules hold. So does its window for
// scaling down, which can be configured.
func SetDefaults_HorizontalPodAutoscalerBehavior(behavior *HorizontalPodAutoscalerBehavior) {
	behavior.ScaleUp = fill(behavior.ScaleUp,
		HPAScalingPolicy{Type: PodsScalingPolicy, Value: 4, PeriodSeconds: 15},
		HPAScalingPolicy{Type: PercentScalingPolicy, Value: 100, PeriodSeconds: 15})
	if behavior.ScaleUp.StabilizationWindowSeconds == nil {
		behavior.ScaleUp.StabilizationWindowSeconds = new(int32)
	}
	behavior.ScaleDown = fill(behavior.ScaleDown,
		HPAScalingPolicy{Type: PercentScalingPolicy, Value: 100, PeriodSeconds: 15})
}

// fill returns the rules with a way to select and policies.
func fill(rules *HPAScalingRules, policies ...HPAScalingPolicy) *HPAScalingRules {
	if rules == nil {
		rules = new(HPAScalingRules)
	}
	if rules.SelectPolicy == nil {
		most := MaxChangePolicySelect
		rules.SelectPolicy = &most
	}
	if rules.Policies == nil {
		rules.Policies = policies
	}
	return rules
}
