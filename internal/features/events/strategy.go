package events

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Strategy holds the rules of events, and their columns.
type Strategy struct{}

// The greatest lengths of texts in events that have a time of their own, which old events have not.
const (
	maxWord = 128
	maxNote = 1024
)

// Validate says what is wrong with an event, in whichever group it was sent.
func (Strategy) Validate(_ context.Context, e *corev1.Event) field.ErrorList {
	namespace := e.InvolvedObject.Namespace
	mismatch := field.ErrorList{field.Invalid(field.NewPath("involvedObject", "namespace"), namespace, "does not match event.namespace")}
	if e.EventTime.IsZero() {
		if namespace == "" && e.Namespace != metav1.NamespaceDefault || namespace != "" && namespace != e.Namespace {
			return mismatch
		}
		return nil
	}
	var errs field.ErrorList
	if namespace == "" && e.Namespace != metav1.NamespaceDefault && e.Namespace != metav1.NamespaceSystem {
		errs = mismatch
	}
	word := func(name, text string) {
		switch {
		case text == "":
			errs = append(errs, field.Required(field.NewPath(name), ""))
		case len(text) > maxWord:
			errs = append(errs, field.Invalid(field.NewPath(name), "", fmt.Sprintf("can have at most %d characters", maxWord)))
		}
	}
	controller := field.NewPath("reportingController")
	if e.ReportingController == "" {
		errs = append(errs, field.Required(controller, ""))
	}
	for _, message := range utilvalidation.IsQualifiedName(e.ReportingController) {
		errs = append(errs, field.Invalid(controller, e.ReportingController, message))
	}
	word("reportingInstance", e.ReportingInstance)
	word("action", e.Action)
	word("reason", e.Reason)
	if len(e.Message) > maxNote {
		errs = append(errs, field.Invalid(field.NewPath("message"), "", fmt.Sprintf("can have at most %d characters", maxNote)))
	}
	return errs
}

// validateNew is what events.k8s.io wants beyond that: events of the new kind only, of which
// nothing changes but how often they have happened. In the core group an event may be changed as
// anybody likes.
func validateNew(_ context.Context, op operation.Operation, path *field.Path, e, old *eventsv1.Event) field.ErrorList {
	if op.Type == operation.Update {
		return validateNewUpdate(path, e, old)
	}
	var errs field.ErrorList
	if e.EventTime.IsZero() {
		errs = append(errs, field.Required(path.Child("eventTime"), ""))
	}
	if e.Type != corev1.EventTypeNormal && e.Type != corev1.EventTypeWarning {
		errs = append(errs, field.Invalid(path.Child("type"), "", fmt.Sprintf("has invalid value: %v", e.Type)))
	}
	errs = append(errs, validateSeries(path.Child("series"), e.Series)...)
	for _, old := range []struct {
		name string
		set  bool
	}{
		{"deprecatedFirstTimestamp", !e.DeprecatedFirstTimestamp.IsZero()},
		{"deprecatedLastTimestamp", !e.DeprecatedLastTimestamp.IsZero()},
		{"deprecatedCount", e.DeprecatedCount != 0},
		{"deprecatedSource", e.DeprecatedSource != corev1.EventSource{}},
	} {
		if old.set {
			errs = append(errs, field.Invalid(path.Child(old.name), "", "needs to be unset"))
		}
	}
	return errs
}

func validateNewUpdate(path *field.Path, e, old *eventsv1.Event) field.ErrorList {
	var errs field.ErrorList
	if !reflect.DeepEqual(e.Series, old.Series) {
		errs = validateSeries(path.Child("series"), e.Series)
	}
	for _, f := range []struct {
		name     string
		now, was any
	}{
		{"regarding", e.Regarding, old.Regarding},
		{"reason", e.Reason, old.Reason},
		{"note", e.Note, old.Note},
		{"type", e.Type, old.Type},
		{"action", e.Action, old.Action},
		{"related", e.Related, old.Related},
		{"reportingController", e.ReportingController, old.ReportingController},
		{"reportingInstance", e.ReportingInstance, old.ReportingInstance},
		{"deprecatedFirstTimestamp", e.DeprecatedFirstTimestamp, old.DeprecatedFirstTimestamp},
		{"deprecatedLastTimestamp", e.DeprecatedLastTimestamp, old.DeprecatedLastTimestamp},
		{"deprecatedCount", e.DeprecatedCount, old.DeprecatedCount},
	} {
		errs = append(errs, validation.ValidateImmutableField(f.now, f.was, path.Child(f.name))...)
	}
	// What is below a microsecond gets lost on the way to some clients and back.
	if !e.EventTime.Truncate(time.Microsecond).Equal(old.EventTime.Truncate(time.Microsecond)) {
		errs = append(errs, field.Invalid(path.Child("eventTime"), e.EventTime, validation.FieldImmutableErrorMsg))
	}
	return errs
}

func validateSeries(path *field.Path, series *eventsv1.EventSeries) field.ErrorList {
	var errs field.ErrorList
	if series != nil && series.Count < 2 {
		errs = append(errs, field.Invalid(path.Child("count"), "", "should be at least 2"))
	}
	if series != nil && series.LastObservedTime.IsZero() {
		errs = append(errs, field.Required(path.Child("lastObservedTime"), ""))
	}
	return errs
}

// Columns are what kubectl get shows of events.
func (Strategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Last Seen", Type: "string", Description: "The time since it happened for the last time."},
		{Name: "Type", Type: "string", Description: "Normal or Warning."},
		{Name: "Reason", Type: "string", Description: "Why it happened, in one word."},
		{Name: "Object", Type: "string", Description: "To what it happened."},
		{Name: "Subobject", Type: "string", Priority: 1, Description: "To which part of it."},
		{Name: "Source", Type: "string", Priority: 1, Description: "Who says so."},
		{Name: "Message", Type: "string", Description: "What happened."},
		{Name: "First Seen", Type: "string", Priority: 1, Description: "The time since it happened for the first time."},
		{Name: "Count", Type: "string", Priority: 1, Description: "How often it happened."},
		{Name: "Name", Type: "string", Format: "name", Priority: 1, Description: "The name of the event."},
	}
}

// Cells fills the columns for one event.
func (Strategy) Cells(e *corev1.Event) []any {
	first := since(e.FirstTimestamp.Time)
	if e.FirstTimestamp.IsZero() {
		first = since(e.EventTime.Time)
	}
	last := since(e.LastTimestamp.Time)
	if e.LastTimestamp.IsZero() {
		last = first
	}
	count := max(e.Count, 1)
	if e.Series != nil {
		last, count = since(e.Series.LastObservedTime.Time), e.Series.Count
	}
	object := strings.ToLower(e.InvolvedObject.Kind)
	if e.InvolvedObject.Name != "" {
		object += "/" + e.InvolvedObject.Name
	}
	return []any{last, e.Type, e.Reason, object, e.InvolvedObject.FieldPath, source(e), strings.TrimSpace(e.Message), first, fmt.Sprint(count), e.Name}
}

func since(t time.Time) string {
	if t.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(time.Since(t))
}

// source is who says so: the component, and where it runs.
func source(e *corev1.Event) string {
	component, instance := e.Source.Component, e.Source.Host
	if component == "" {
		component = e.ReportingController
	}
	if instance == "" {
		instance = e.ReportingInstance
	}
	if instance == "" {
		return component
	}
	return component + ", " + instance
}
