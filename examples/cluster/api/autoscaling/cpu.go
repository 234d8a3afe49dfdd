package autoscaling

// CPU is the resource that the versions before v2 scale by, and the only one.
const CPU = "cpu"

// NewCPUMetric is the metric that a version before v2 means by a percentage.
func NewCPUMetric(percent int32) MetricSpec {
	return MetricSpec{Type: ResourceMetricSourceType, Resource: &ResourceMetricSource{
		Name: CPU, Target: MetricTarget{Type: UtilizationMetricType, AverageUtilization: &percent},
	}}
}

// CPUPercent returns what versions before v2 show of metrics: the target of the first that is the
// CPU's utilization, nil if there is none.
func CPUPercent(metrics []MetricSpec) *int32 {
	for _, m := range metrics {
		if m.Type == ResourceMetricSourceType && m.Resource != nil && m.Resource.Name == CPU &&
			m.Resource.Target.Type == UtilizationMetricType && m.Resource.Target.AverageUtilization != nil {
			return m.Resource.Target.AverageUtilization
		}
	}
	return nil
}

// NewCPUStatus is what a version before v2 means by the current percentage.
func NewCPUStatus(percent int32) MetricStatus {
	return MetricStatus{Type: ResourceMetricSourceType, Resource: &ResourceMetricStatus{
		Name: CPU, Current: MetricValueStatus{AverageUtilization: &percent},
	}}
}

// CurrentCPUPercent returns what versions before v2 show of current metrics: the utilization of the
// CPU, nil if it is not known.
func CurrentCPUPercent(metrics []MetricStatus) *int32 {
	for _, m := range metrics {
		if m.Type == ResourceMetricSourceType && m.Resource != nil && m.Resource.Name == CPU && m.Resource.Current.AverageUtilization != nil {
			return m.Resource.Current.AverageUtilization
		}
	}
	return nil
}
