package v1

import corev1 "k8s.io/api/core/v1"

// Event is something that happened to an object.
//
// +kubebuilder:resource:shortName=ev
type Event = corev1.Event

// EventList is a list of events.
type EventList = corev1.EventList
