package main

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/examples/cluster/api/autoscaling"
	"github.com/typeplane/typeplane/internal/quantity"
	"github.com/typeplane/typeplane/registry/rest"
)

// What an autoscaler may measure, and the rules of that.

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

// metricSourceTypes are the kinds of sources, as an error lists them.
var metricSourceTypes = []autoscaling.MetricSourceType{
	autoscaling.ContainerResourceMetricSourceType, autoscaling.ExternalMetricSourceType, autoscaling.ObjectMetricSourceType,
	autoscaling.PodsMetricSourceType, autoscaling.ResourceMetricSourceType,
}

func validateMetrics(metrics []autoscaling.MetricSpec, described versions, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, m := range rest.WhileFew(&errs, slices.All(metrics)) {
		errs = append(errs, validateMetric(m, described, path.Index(i))...)
	}
	return errs
}

// validateMetric judges one metric: the source that its type names is there, and it alone.
func validateMetric(m autoscaling.MetricSpec, described versions, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if m.Type == "" {
		errs = append(errs, field.Required(path.Child("type"), "must specify a metric source type"))
	}
	errs = append(errs, oneOf(path.Child("type"), m.Type, metricSourceTypes...)...)
	errs = append(errs, validateMetricSource(m, described, path)...)
	present := 0
	for _, s := range sources(m) {
		if s.target != nil {
			present++
		} else if s.is == m.Type {
			errs = append(errs, field.Required(path.Child(s.field), "must populate information for the given metric source"))
		}
	}
	for _, s := range sources(m) {
		if present > 1 && s.target != nil && s.is != m.Type {
			errs = append(errs, field.Forbidden(path.Child(s.field), "must populate the given metric source only"))
		}
	}
	return errs
}

// validateMetricSource judges the source of a metric; of several, which are an error in any case,
// the first.
func validateMetricSource(m autoscaling.MetricSpec, described versions, path *field.Path) field.ErrorList {
	const valueOrAverage, rawOrUtilization = "must set either a target value or averageValue", "must set either a target raw value or a target utilization"
	switch {
	case m.Object != nil:
		at := path.Child("object")
		errs := validateReference(m.Object.DescribedObject, described, at.Child("describedObject"))
		errs = append(errs, validateMeasure(m.Object.Metric, m.Object.Target, at)...)
		if m.Object.Target.Value == nil && m.Object.Target.AverageValue == nil {
			errs = append(errs, field.Required(at.Child("target", "averageValue"), valueOrAverage))
		}
		return errs
	case m.External != nil:
		at, t := path.Child("external"), m.External.Target
		errs := validateMeasure(m.External.Metric, t, at)
		switch {
		case t.Value == nil && t.AverageValue == nil:
			errs = append(errs, field.Required(at.Child("target", "averageValue"), "must set either a target value for metric or a per-pod target"))
		case t.Value != nil && t.AverageValue != nil:
			errs = append(errs, field.Forbidden(at.Child("target", "value"), "may not set both a target value for metric and a per-pod target"))
		}
		return errs
	case m.Pods != nil:
		at := path.Child("pods")
		errs := validateMeasure(m.Pods.Metric, m.Pods.Target, at)
		if m.Pods.Target.AverageValue == nil {
			errs = append(errs, field.Required(at.Child("target", "averageValue"), "must specify a positive target averageValue"))
		}
		return errs
	case m.Resource != nil:
		at := path.Child("resource")
		var errs field.ErrorList
		if m.Resource.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), "must specify a resource name"))
		}
		return append(errs, validateUse(m.Resource.Target, at.Child("target"), rawOrUtilization)...)
	case m.ContainerResource != nil:
		at, r := path.Child("containerResource"), m.ContainerResource
		var errs field.ErrorList
		if r.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), "must specify a resource name"))
		} else {
			errs = append(errs, quantity.ValidateContainerName(at.Child("name"), corev1.ResourceName(r.Name))...)
		}
		if r.Container == "" {
			errs = append(errs, field.Required(at.Child("container"), "must specify a container"))
		} else {
			errs = append(errs, invalid(at.Child("container"), r.Container, content.IsDNS1123Label(r.Container))...)
		}
		return append(errs, validateUse(r.Target, at.Child("target"), rawOrUtilization)...)
	}
	return nil
}

// validateMeasure judges the name of a metric and what it should be.
func validateMeasure(id autoscaling.MetricIdentifier, target autoscaling.MetricTarget, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if name := path.Child("metric", "name"); id.Name == "" {
		errs = append(errs, field.Required(name, "must specify a metric name"))
	} else {
		errs = append(errs, invalid(name, id.Name, content.IsPathSegmentName(id.Name))...)
	}
	return append(errs, validateMetricTarget(target, path.Child("target"))...)
}

// validateUse judges how much of a resource pods should use: so much, or so much of what they ask
// for.
func validateUse(t autoscaling.MetricTarget, path *field.Path, missing string) field.ErrorList {
	errs := validateMetricTarget(t, path)
	switch {
	case t.AverageUtilization == nil && t.AverageValue == nil:
		errs = append(errs, field.Required(path.Child("averageUtilization"), missing))
	case t.AverageUtilization != nil && t.AverageValue != nil:
		errs = append(errs, field.Forbidden(path.Child("averageValue"), "may not set both a target raw value and a target utilization"))
	}
	return errs
}

func validateMetricTarget(t autoscaling.MetricTarget, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if t.Type == "" {
		errs = append(errs, field.Required(path.Child("type"), "must specify a metric target type"))
	}
	if t.Type != autoscaling.UtilizationMetricType && t.Type != autoscaling.ValueMetricType && t.Type != autoscaling.AverageValueMetricType {
		errs = append(errs, field.Invalid(path.Child("type"), t.Type, "must be either Utilization, Value, or AverageValue"))
	}
	if q := t.Value; q != nil && q.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("value"), q.String(), "must be positive"))
	}
	if q := t.AverageValue; q != nil && q.Sign() <= 0 {
		errs = append(errs, field.Invalid(path.Child("averageValue"), q.String(), "must be positive"))
	}
	if n := t.AverageUtilization; n != nil && *n < 1 {
		errs = append(errs, field.Invalid(path.Child("averageUtilization"), *n, "must be greater than 0"))
	}
	return errs
}

// versions say which apiVersion a reference may have.
type versions int

const (
	anyVersion versions = iota // also one that is none
	anyGroup
	namedGroup // not the core group, whose apiVersion is v1
)

// judge says what is wrong with an apiVersion.
func (v versions) judge(apiVersion string) (wrong []string) {
	if v == anyVersion {
		return nil
	}
	gv, err := schema.ParseGroupVersion(apiVersion)
	switch {
	case err != nil:
		return []string{err.Error()}
	case v == namedGroup && gv.Group == "":
		return []string{"apiVersion must specify API group"}
	}
	return nil
}

// validateReference judges the name of an object of any kind.
func validateReference(ref autoscaling.CrossVersionObjectReference, allowed versions, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, part := range []struct{ name, value string }{{"kind", ref.Kind}, {"name", ref.Name}} {
		if part.value == "" {
			errs = append(errs, field.Required(path.Child(part.name), ""))
		} else {
			errs = append(errs, invalid(path.Child(part.name), part.value, content.IsPathSegmentName(part.value))...)
		}
	}
	return append(errs, invalid(path.Child("apiVersion"), ref.APIVersion, allowed.judge(ref.APIVersion))...)
}
