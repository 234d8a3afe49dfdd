package events

import (
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
)

// toCore gives an event of events.k8s.io the names of the core group. They share memory afterwards.
func toCore(in *eventsv1.Event, out *corev1.Event) error {
	out.ObjectMeta = in.ObjectMeta
	out.InvolvedObject = in.Regarding
	out.Related = in.Related
	out.Reason, out.Message, out.Type, out.Action = in.Reason, in.Note, in.Type, in.Action
	out.ReportingController, out.ReportingInstance = in.ReportingController, in.ReportingInstance
	out.EventTime = in.EventTime
	out.Source = in.DeprecatedSource
	out.FirstTimestamp, out.LastTimestamp, out.Count = in.DeprecatedFirstTimestamp, in.DeprecatedLastTimestamp, in.DeprecatedCount
	out.Series = nil
	if s := in.Series; s != nil {
		out.Series = &corev1.EventSeries{Count: s.Count, LastObservedTime: s.LastObservedTime}
	}
	return nil
}

// fromCore is the way back.
func fromCore(in *corev1.Event, out *eventsv1.Event) error {
	out.ObjectMeta = in.ObjectMeta
	out.Regarding = in.InvolvedObject
	out.Related = in.Related
	out.Reason, out.Note, out.Type, out.Action = in.Reason, in.Message, in.Type, in.Action
	out.ReportingController, out.ReportingInstance = in.ReportingController, in.ReportingInstance
	out.EventTime = in.EventTime
	out.DeprecatedSource = in.Source
	out.DeprecatedFirstTimestamp, out.DeprecatedLastTimestamp, out.DeprecatedCount = in.FirstTimestamp, in.LastTimestamp, in.Count
	out.Series = nil
	if s := in.Series; s != nil {
		out.Series = &eventsv1.EventSeries{Count: s.Count, LastObservedTime: s.LastObservedTime}
	}
	return nil
}
