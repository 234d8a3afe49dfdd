package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/examples/cluster/api/autoscaling"
	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/registry/rest"
)

// HorizontalPodAutoscalerStrategy holds the rules of autoscalers, and their columns, for all
// versions: it sees the hub.
type HorizontalPodAutoscalerStrategy struct{ strategy.WithMetadata }

// Validate says what is wrong with a new autoscaler.
func (HorizontalPodAutoscalerStrategy) Validate(_ context.Context, hpa *autoscaling.HorizontalPodAutoscaler) field.ErrorList {
	return append(validateTarget(&hpa.Spec, field.NewPath("spec")), validateAutoscaler(&hpa.Spec, anyGroup, field.NewPath("spec"))...)
}

// ValidateUpdate says what is wrong with a changed autoscaler. The version of what it scales, and
// those of what it measures, are judged when they are new only.
func (HorizontalPodAutoscalerStrategy) ValidateUpdate(_ context.Context, hpa, old *autoscaling.HorizontalPodAutoscaler) field.ErrorList {
	path := field.NewPath("spec")
	var errs field.ErrorList
	if is, was := hpa.Spec.ScaleTargetRef, old.Spec.ScaleTargetRef; is.Kind == was.Kind && is.APIVersion == was.APIVersion {
		errs = validateReference(is, anyVersion, path.Child("scaleTargetRef"))
	} else {
		errs = validateTarget(&hpa.Spec, path)
	}
	described := anyGroup
	for _, m := range old.Spec.Metrics {
		if m.Object != nil && len(anyGroup.judge(m.Object.DescribedObject.APIVersion)) > 0 {
			described = anyVersion
		}
	}
	return append(errs, validateAutoscaler(&hpa.Spec, described, path)...)
}

// ValidateStatusUpdate says what is wrong with what a controller saw. It may not understand a
// metric, and then says little of it.
func (HorizontalPodAutoscalerStrategy) ValidateStatusUpdate(_ context.Context, hpa, _ *autoscaling.HorizontalPodAutoscaler) field.ErrorList {
	var errs field.ErrorList
	status := field.NewPath("status")
	for i, c := range rest.WhileFew(&errs, slices.All(hpa.Status.Conditions)) {
		if n := c.ObservedGeneration; n != nil {
			errs = append(errs, atLeast(status.Child("conditions").Index(i).Child("observedGeneration"), *n, 0)...)
		}
	}
	errs = append(errs, atLeast(status.Child("currentReplicas"), hpa.Status.CurrentReplicas, 0)...)
	return append(errs, atLeast(status.Child("desiredReplicas"), hpa.Status.DesiredReplicas, 0)...)
}

// validateTarget judges what a new autoscaler scales. All that can be scaled has a group except for
// replication controllers.
func validateTarget(spec *autoscaling.HorizontalPodAutoscalerSpec, path *field.Path) field.ErrorList {
	allowed := namedGroup
	if spec.ScaleTargetRef.Kind == "ReplicationController" {
		allowed = anyGroup
	}
	return validateReference(spec.ScaleTargetRef, allowed, path.Child("scaleTargetRef"))
}

// validateAutoscaler judges all of an autoscaler but its target.
func validateAutoscaler(spec *autoscaling.HorizontalPodAutoscalerSpec, described versions, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	least, most := spec.MinReplicas, path.Child("maxReplicas")
	if least != nil {
		errs = append(errs, atLeast(path.Child("minReplicas"), *least, 0)...)
	}
	if spec.MaxReplicas == 0 {
		errs = append(errs, field.Required(most, "must be set and greater than 0"))
	} else {
		errs = append(errs, atLeast(most, spec.MaxReplicas, 1)...)
	}
	if least != nil && spec.MaxReplicas < *least {
		errs = append(errs, field.Invalid(most, spec.MaxReplicas, "must be greater than or equal to `minReplicas`"))
	}
	errs = append(errs, validateMetrics(spec.Metrics, described, path.Child("metrics"))...)
	if least != nil && *least == 0 && !slices.ContainsFunc(spec.Metrics, measuredWithoutPods) {
		errs = append(errs, field.Forbidden(path.Child("metrics"), "must specify at least one Object or External metric to support scaling to zero replicas"))
	}
	if b := spec.Behavior; b != nil {
		errs = append(errs, validateScalingRules(b.ScaleUp, path.Child("behavior", "scaleUp"))...)
		errs = append(errs, validateScalingRules(b.ScaleDown, path.Child("behavior", "scaleDown"))...)
	}
	return errs
}

// measuredWithoutPods says whether a metric is there when no pod is.
func measuredWithoutPods(m autoscaling.MetricSpec) bool {
	return m.Type == autoscaling.ObjectMetricSourceType || m.Type == autoscaling.ExternalMetricSourceType
}

// validateScalingRules judges how fast an autoscaler may be in one direction.
func validateScalingRules(rules *autoscaling.HPAScalingRules, path *field.Path) field.ErrorList {
	if rules == nil {
		return nil
	}
	const longestWindow, longestPeriod = 3600, 1800 // seconds
	var errs field.ErrorList
	window := path.Child("stabilizationWindowSeconds")
	switch s := rules.StabilizationWindowSeconds; {
	case s == nil:
	case *s < 0:
		errs = append(errs, field.Invalid(window, *s, "must be greater than or equal to zero"))
	case *s > longestWindow:
		errs = append(errs, field.Invalid(window, *s, fmt.Sprintf("must be less than or equal to %d", longestWindow)))
	}
	if p := rules.SelectPolicy; p != nil {
		errs = append(errs, oneOf(path.Child("selectPolicy"), *p, autoscaling.MaxChangePolicySelect, autoscaling.MinChangePolicySelect, autoscaling.DisabledPolicySelect)...)
	}
	if len(rules.Policies) == 0 {
		errs = append(errs, field.Required(path.Child("policies"), "must specify at least one Policy"))
	}
	for i, p := range rest.WhileFew(&errs, slices.All(rules.Policies)) {
		at := path.Child("policies").Index(i)
		errs = append(errs, oneOf(at.Child("type"), p.Type, autoscaling.PodsScalingPolicy, autoscaling.PercentScalingPolicy)...)
		if p.Value <= 0 {
			errs = append(errs, field.Invalid(at.Child("value"), p.Value, "must be greater than zero"))
		}
		switch {
		case p.PeriodSeconds <= 0:
			errs = append(errs, field.Invalid(at.Child("periodSeconds"), p.PeriodSeconds, "must be greater than zero"))
		case p.PeriodSeconds > longestPeriod:
			errs = append(errs, field.Invalid(at.Child("periodSeconds"), p.PeriodSeconds, fmt.Sprintf("must be less than or equal to %d", longestPeriod)))
		}
	}
	if q := rules.Tolerance; q != nil && q.Sign() < 0 {
		errs = append(errs, field.Invalid(path.Child("tolerance"), q.String(), "must be greater than or equal to 0"))
	}
	return errs
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
