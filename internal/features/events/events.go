// Package events has events, as Kubernetes has them: in the core group, and in events.k8s.io under
// other names. Both are one storage. Events go by themselves after a while (--event-ttl).
//
// Start reading at API. The kinds are in the folders below; convert.go leads from one group to the
// other. The types of k8s.io/api are of two modules' making, which no generator can pair by name:
// that is why API is written by hand here.
package events

import (
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	core "github.com/typeplane/typeplane/internal/features/events/core/v1"
	events "github.com/typeplane/typeplane/internal/features/events/v1"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
)

// API returns events for a server that asks for them.
func API() typeplane.API {
	rules := Strategy{}
	return typeplane.API{
		AddToScheme: addToScheme,
		Resources: []registry.Resource{registry.Define(registry.Definition[*corev1.Event]{
			GroupKind:      schema.GroupKind{Kind: "Event"},
			Plural:         "events",
			Singular:       "event",
			ShortNames:     []string{"ev"},
			Namespaced:     true,
			StorageVersion: core.SchemeGroupVersion,
			Versions:       []schema.GroupVersion{core.SchemeGroupVersion, events.SchemeGroupVersion},
			Strategy: registry.Strategy[*corev1.Event]{
				Validate:            rules.Validate,
				NoGeneration:        true, // Kubernetes does not count their changes
				AllowCreateOnUpdate: true, // an event that has gone comes back when it happens again
				Columns:             rules.Columns(),
				Cells:               rules.Cells,
			},
		})},
		OpenAPI: map[schema.GroupVersion]string{
			core.SchemeGroupVersion:   core.OpenAPISchemas,
			events.SchemeGroupVersion: events.OpenAPISchemas,
		},
	}
}

func addToScheme(b *runtime.Builder) {
	hub := runtime.AddHub(b, schema.GroupKind{Kind: "Event"}, func() *corev1.Event { return new(corev1.Event) })
	runtime.AddVersion(hub, runtime.Version[*corev1.Event, *corev1.Event]{
		GroupVersion:     core.SchemeGroupVersion,
		New:              func() *corev1.Event { return new(corev1.Event) },
		NewList:          func() apiruntime.Object { return new(corev1.EventList) },
		SelectableFields: selectable,
		StoredFields:     stored,
		AppendJSON:       core.AppendJSON_Event,
		ReadJSON:         core.ReadJSON_Event,
		AppendProtobuf:   core.AppendProtobuf_Event,
		UnmarshalShared:  core.UnmarshalShared_Event,
		DeepCopy:         core.DeepCopy_Event,
		CompareFields:    compareFields,
		OwnRulesOnly:     true, // as all kinds of Kubernetes
	})
	runtime.AddVersion(hub, runtime.Version[*eventsv1.Event, *corev1.Event]{
		GroupVersion:     events.SchemeGroupVersion,
		New:              func() *eventsv1.Event { return new(eventsv1.Event) },
		NewList:          func() apiruntime.Object { return new(eventsv1.EventList) },
		ToHub:            toCore,
		FromHub:          fromCore,
		SelectableFields: selectableNew,
		Validate:         validateNew,
		AppendJSON:       events.AppendJSON_Event,
		ReadJSON:         events.ReadJSON_Event,
		AppendProtobuf:   events.AppendProtobuf_Event,
		UnmarshalShared:  events.UnmarshalShared_Event,
		DeepCopy:         events.DeepCopy_Event,
		CompareFields:    compareFieldsNew,
		OwnRulesOnly:     true,
	})
}

// selectable are the fields that a selector may name in the core group. The source of Kubernetes is
// the reporting controller where an event has none; here it is that of the event.
func selectable(in *corev1.Event) map[string]string {
	return map[string]string{
		"involvedObject.kind":            in.InvolvedObject.Kind,
		"involvedObject.namespace":       in.InvolvedObject.Namespace,
		"involvedObject.name":            in.InvolvedObject.Name,
		"involvedObject.uid":             string(in.InvolvedObject.UID),
		"involvedObject.apiVersion":      in.InvolvedObject.APIVersion,
		"involvedObject.resourceVersion": in.InvolvedObject.ResourceVersion,
		"involvedObject.fieldPath":       in.InvolvedObject.FieldPath,
		"reason":                         in.Reason,
		"reportingComponent":             in.ReportingController,
		"source":                         in.Source.Component,
		"type":                           in.Type,
	}
}

// stored says where they are in an encoded event.
var stored = wire.Fields{
	"involvedObject.kind":            wire.String(2, 1),
	"involvedObject.namespace":       wire.String(2, 2),
	"involvedObject.name":            wire.String(2, 3),
	"involvedObject.uid":             wire.String(2, 4),
	"involvedObject.apiVersion":      wire.String(2, 5),
	"involvedObject.resourceVersion": wire.String(2, 6),
	"involvedObject.fieldPath":       wire.String(2, 7),
	"reason":                         wire.String(3),
	"reportingComponent":             wire.String(14),
	"source":                         wire.String(5, 1),
	"type":                           wire.String(9),
}

// selectableNew are the same in events.k8s.io.
func selectableNew(in *eventsv1.Event) map[string]string {
	return map[string]string{
		"regarding.kind":            in.Regarding.Kind,
		"regarding.namespace":       in.Regarding.Namespace,
		"regarding.name":            in.Regarding.Name,
		"regarding.uid":             string(in.Regarding.UID),
		"regarding.apiVersion":      in.Regarding.APIVersion,
		"regarding.resourceVersion": in.Regarding.ResourceVersion,
		"regarding.fieldPath":       in.Regarding.FieldPath,
		"reason":                    in.Reason,
		"reportingController":       in.ReportingController,
		"type":                      in.Type,
	}
}
