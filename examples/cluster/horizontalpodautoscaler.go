package main

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/examples/cluster/api/autoscaling"
)

// HorizontalPodAutoscalerStrategy holds the rules of autoscalers, and their columns, for all versions: it sees the hub.
type HorizontalPodAutoscalerStrategy struct{}

// Validate says what is wrong with a new or changed autoscaler.
func (HorizontalPodAutoscalerStrategy) Validate(_ context.Context, hpa *autoscaling.HorizontalPodAutoscaler) field.ErrorList {
	var errs field.ErrorList
	spec := field.NewPath("spec")
	target := spec.Child("scaleTargetRef")
	if hpa.Spec.ScaleTargetRef.Kind == "" {
		errs = append(errs, field.Required(target.Child("kind"), ""))
	}
	if hpa.Spec.ScaleTargetRef.Name == "" {
		errs = append(errs, field.Required(target.Child("name"), ""))
	}
	if n := hpa.Spec.MinReplicas; n != nil && *n < 1 {
		errs = append(errs, field.Invalid(spec.Child("minReplicas"), *n, "must be greater than or equal to 1"))
	}
	switch n := hpa.Spec.MaxReplicas; {
	case n < 1:
		errs = append(errs, field.Invalid(spec.Child("maxReplicas"), n, "must be greater than 0"))
	case hpa.Spec.MinReplicas != nil && n < *hpa.Spec.MinReplicas:
		errs = append(errs, field.Invalid(spec.Child("maxReplicas"), n, "must be greater than or equal to `minReplicas`"))
	}
	for i, m := range hpa.Spec.Metrics {
		errs = append(errs, validateMetric(m, spec.Child("metrics").Index(i))...)
	}
	return errs
}

func validateMetric(m autoscaling.MetricSpec, path *field.Path) field.ErrorList {
	for _, s := range sources(m) {
		if s.is != m.Type {
			continue
		}
		if s.target == nil {
			return field.ErrorList{field.Required(path.Child(s.field), "must populate information for the given metric source")}
		}
		return nil
	}
	return field.ErrorList{field.NotSupported(path.Child("type"), m.Type, []autoscaling.MetricSourceType{
		autoscaling.ContainerResourceMetricSourceType, autoscaling.ExternalMetricSourceType, autoscaling.ObjectMetricSourceType,
		autoscaling.PodsMetricSourceType, autoscaling.ResourceMetricSourceType,
	})}
}

// source is one of the fields that a metric may have.
type source struct {
	is     autoscaling.MetricSourceType
	field  string
	metric string                    // the name of what is measured
	target *autoscaling.MetricTarget // nil if the field is not set
}

func sources(m autoscaling.MetricSpec) []source {
	out := []source{
		{is: autoscaling.ObjectMetricSourceType, field: "object"},
		{is: autoscaling.PodsMetricSourceType, field: "pods"},
		{is: autoscaling.ResourceMetricSourceType, field: "resource"},
		{is: autoscaling.ContainerResourceMetricSourceType, field: "containerResource"},
		{is: autoscaling.ExternalMetricSourceType, field: "external"},
	}
	if m.Object != nil {
		out[0].metric, out[0].target = m.Object.Metric.Name, &m.Object.Target
	}
	if m.Pods != nil {
		out[1].metric, out[1].target = m.Pods.Metric.Name, &m.Pods.Target
	}
	if m.Resource != nil {
		out[2].metric, out[2].target = m.Resource.Name, &m.Resource.Target
	}
	if m.ContainerResource != nil {
		out[3].metric, out[3].target = m.ContainerResource.Name, &m.ContainerResource.Target
	}
	if m.External != nil {
		out[4].metric, out[4].target = m.External.Metric.Name, &m.External.Target
	}
	return out
}

// Columns are what kubectl get shows of autoscalers.
func (HorizontalPodAutoscalerStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Reference", Type: "string", Description: "What is scaled."},
		{Name: "Targets", Type: "string", Description: "What each metric is, and what it should be."},
		{Name: "MinPods", Type: "string", Description: "The least number of replicas."},
		{Name: "MaxPods", Type: "integer", Description: "The greatest number of replicas."},
		{Name: "Replicas", Type: "integer", Description: "How many replicas there were when somebody looked last."},
		{Name: "Age", Type: "date", Description: "The time since the autoscaler was created."},
	}
}

// Cells fills the columns for one autoscaler.
func (HorizontalPodAutoscalerStrategy) Cells(hpa *autoscaling.HorizontalPodAutoscaler) []any {
	least := "<unset>"
	if n := hpa.Spec.MinReplicas; n != nil {
		least = fmt.Sprint(*n)
	}
	ref := hpa.Spec.ScaleTargetRef
	return []any{
		ref.Kind + "/" + ref.Name, targets(hpa), least, int64(hpa.Spec.MaxReplicas), int64(hpa.Status.CurrentReplicas), hpa.CreationTimestamp,
	}
}

// targets shows two metrics, and how many there are beyond.
func targets(hpa *autoscaling.HorizontalPodAutoscaler) string {
	const most = 2
	var list []string
	for i, m := range hpa.Spec.Metrics {
		if i == most {
			list = append(list, fmt.Sprintf("%d more...", len(hpa.Spec.Metrics)-most))
			break
		}
		list = append(list, targetText(m, currentOf(hpa, i)))
	}
	return orNone(strings.Join(list, ", "))
}

// targetText is a metric like "cpu: 63%/80%".
func targetText(m autoscaling.MetricSpec, current autoscaling.MetricValueStatus) string {
	for _, s := range sources(m) {
		if s.is != m.Type || s.target == nil {
			continue
		}
		is, should := "<unknown>", "<unset>"
		switch t := s.target; {
		case t.AverageUtilization != nil:
			should = fmt.Sprintf("%d%%", *t.AverageUtilization)
			if n := current.AverageUtilization; n != nil {
				is = fmt.Sprintf("%d%%", *n)
			}
		case t.AverageValue != nil:
			should = t.AverageValue.String()
			if q := current.AverageValue; q != nil {
				is = q.String()
			}
			should += " (avg)"
		case t.Value != nil:
			should = t.Value.String()
			if q := current.Value; q != nil {
				is = q.String()
			}
		}
		return s.metric + ": " + is + "/" + should
	}
	return "<unknown>"
}

// currentOf is what was seen of the metric at an index.
func currentOf(hpa *autoscaling.HorizontalPodAutoscaler, i int) autoscaling.MetricValueStatus {
	if i >= len(hpa.Status.CurrentMetrics) {
		return autoscaling.MetricValueStatus{}
	}
	switch m := hpa.Status.CurrentMetrics[i]; {
	case m.Object != nil:
		return m.Object.Current
	case m.Pods != nil:
		return m.Pods.Current
	case m.Resource != nil:
		return m.Resource.Current
	case m.ContainerResource != nil:
		return m.ContainerResource.Current
	case m.External != nil:
		return m.External.Current
	}
	return autoscaling.MetricValueStatus{}
}
