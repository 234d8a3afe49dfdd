package events

import (
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"

	"github.com/typeplane/typeplane/runtime/fieldset"
)

// compareFields tells which fields two events of the core group differ in, as gen would print it.
func compareFields(c *fieldset.Comparison, old, obj *corev1.Event) {
	fieldset.ObjectMeta(c, &old.ObjectMeta, &obj.ObjectMeta)
	fieldset.Field(c, "involvedObject", &old.InvolvedObject, &obj.InvolvedObject, fieldset.Leaf)
	c.Leaf("reason", old.Reason != "", obj.Reason != "", old.Reason == obj.Reason)
	c.Leaf("message", old.Message != "", obj.Message != "", old.Message == obj.Message)
	fieldset.Field(c, "source", &old.Source, &obj.Source, compareSource)
	fieldset.Field(c, "firstTimestamp", &old.FirstTimestamp, &obj.FirstTimestamp, fieldset.Leaf)
	fieldset.Field(c, "lastTimestamp", &old.LastTimestamp, &obj.LastTimestamp, fieldset.Leaf)
	c.Leaf("count", old.Count != 0, obj.Count != 0, old.Count == obj.Count)
	c.Leaf("type", old.Type != "", obj.Type != "", old.Type == obj.Type)
	fieldset.Field(c, "eventTime", &old.EventTime, &obj.EventTime, fieldset.Leaf)
	fieldset.Field(c, "series", old.Series, obj.Series, compareSeries)
	c.Leaf("action", old.Action != "", obj.Action != "", old.Action == obj.Action)
	fieldset.Field(c, "related", old.Related, obj.Related, fieldset.Leaf)
	c.Leaf("reportingComponent", true, true, old.ReportingController == obj.ReportingController)
	c.Leaf("reportingInstance", true, true, old.ReportingInstance == obj.ReportingInstance)
}

func compareSource(c *fieldset.Comparison, old, obj *corev1.EventSource) {
	old, _ = fieldset.Value(old)
	obj, _ = fieldset.Value(obj)
	c.Leaf("component", old.Component != "", obj.Component != "", old.Component == obj.Component)
	c.Leaf("host", old.Host != "", obj.Host != "", old.Host == obj.Host)
}

func compareSeries(c *fieldset.Comparison, old, obj *corev1.EventSeries) {
	old, was := fieldset.Value(old)
	obj, is := fieldset.Value(obj)
	c.Leaf("count", old.Count != 0, obj.Count != 0, old.Count == obj.Count)
	fieldset.Field(c, "lastObservedTime", fieldset.If(was, &old.LastObservedTime), fieldset.If(is, &obj.LastObservedTime), fieldset.Leaf)
}

// compareFieldsNew is the same in events.k8s.io.
func compareFieldsNew(c *fieldset.Comparison, old, obj *eventsv1.Event) {
	fieldset.ObjectMeta(c, &old.ObjectMeta, &obj.ObjectMeta)
	fieldset.Field(c, "eventTime", &old.EventTime, &obj.EventTime, fieldset.Leaf)
	fieldset.Field(c, "series", old.Series, obj.Series, compareSeriesNew)
	c.Leaf("reportingController", old.ReportingController != "", obj.ReportingController != "", old.ReportingController == obj.ReportingController)
	c.Leaf("reportingInstance", old.ReportingInstance != "", obj.ReportingInstance != "", old.ReportingInstance == obj.ReportingInstance)
	c.Leaf("action", old.Action != "", obj.Action != "", old.Action == obj.Action)
	c.Leaf("reason", old.Reason != "", obj.Reason != "", old.Reason == obj.Reason)
	fieldset.Field(c, "regarding", &old.Regarding, &obj.Regarding, fieldset.Leaf)
	fieldset.Field(c, "related", old.Related, obj.Related, fieldset.Leaf)
	c.Leaf("note", old.Note != "", obj.Note != "", old.Note == obj.Note)
	c.Leaf("type", old.Type != "", obj.Type != "", old.Type == obj.Type)
	fieldset.Field(c, "deprecatedSource", &old.DeprecatedSource, &obj.DeprecatedSource, compareSource)
	fieldset.Field(c, "deprecatedFirstTimestamp", &old.DeprecatedFirstTimestamp, &obj.DeprecatedFirstTimestamp, fieldset.Leaf)
	fieldset.Field(c, "deprecatedLastTimestamp", &old.DeprecatedLastTimestamp, &obj.DeprecatedLastTimestamp, fieldset.Leaf)
	c.Leaf("deprecatedCount", old.DeprecatedCount != 0, obj.DeprecatedCount != 0, old.DeprecatedCount == obj.DeprecatedCount)
}

func compareSeriesNew(c *fieldset.Comparison, old, obj *eventsv1.EventSeries) {
	old, was := fieldset.Value(old)
	obj, is := fieldset.Value(obj)
	c.Leaf("count", was, is, old.Count == obj.Count)
	fieldset.Field(c, "lastObservedTime", fieldset.If(was, &old.LastObservedTime), fieldset.If(is, &obj.LastObservedTime), fieldset.Leaf)
}
