package v1

import eventsv1 "k8s.io/api/events/v1"

// Event is something that happened to an object.
//
// +kubebuilder:resource:shortName=ev
type Event = eventsv1.Event

// EventList is a list of events.
type EventList = eventsv1.EventList
