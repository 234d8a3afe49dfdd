// Package widget is a kind for tests of the packages that serve kinds. It has a hub and two
// versions that differ in names, numbers and defaults, and is written by hand as gen would write
// it. Start reading at AddToScheme. No program imports it.
package widget

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
)

// The names of the kind. GVOld is in another group than the hub.
var (
	GroupKind = schema.GroupKind{Group: "shop.example.com", Kind: "Widget"}
	GV1       = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}
	GV1beta1  = schema.GroupVersion{Group: "shop.example.com", Version: "v1beta1"}
	GVOld     = schema.GroupVersion{Group: "legacy.example.com", Version: "v1alpha1"}
)

// Widget is the hub.
type Widget struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec   Spec
	Status Status
}

type Spec struct {
	Color    string
	Replicas int32
	Parts    []Part
	Options  map[string]string
}

type Part struct {
	Name  string `json:"name"`
	Count int32  `json:"count,omitempty"`
}

type Status struct {
	Phase string `json:"phase,omitempty"`
	Seen  *int64 `json:"seen,omitempty"`
}

// V1 is the best version.
type V1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              V1Spec `json:"spec,omitempty"`
	Status            Status `json:"status,omitempty"`
}

type V1Spec struct {
	Color    string            `json:"color,omitempty"`                                            // 1, default red
	Replicas *int32            `json:"replicas,omitempty"`                                         // 2, default 1
	Parts    []Part            `json:"parts,omitempty" patchStrategy:"merge" patchMergeKey:"name"` // 3, default count 1
	Options  map[string]string `json:"options,omitempty"`                                          // 4
}

type V1List struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []V1 `json:"items"`
}

// V1beta1 calls the color a colour, has another default for it, and other field numbers.
type V1beta1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              V1beta1Spec `json:"spec,omitempty"`
	Status            Status      `json:"status,omitempty"`
}

type V1beta1Spec struct {
	Parts    []Part            `json:"parts,omitempty"`    // 1
	Colour   string            `json:"colour,omitempty"`   // 2, default blue
	Replicas int32             `json:"replicas,omitempty"` // 3
	Options  map[string]string `json:"options,omitempty"`  // 5
}

type V1beta1List struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []V1beta1 `json:"items"`
}

// Old is the version of another group. It has no protobuf form.
type Old struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Paint             string `json:"paint,omitempty"`
	Count             int32  `json:"count"`
}

type OldList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Old `json:"items"`
}

// AddToScheme declares the kind in all versions.
func AddToScheme(b *runtime.Builder) {
	hub := runtime.AddHub(b, GroupKind, func() *Widget { return new(Widget) })
	runtime.AddVersion(hub, runtime.Version[*V1, *Widget]{
		GroupVersion:     GV1,
		New:              func() *V1 { return new(V1) },
		NewList:          func() apiruntime.Object { return new(V1List) },
		Default:          DefaultV1,
		ToHub:            V1ToHub,
		FromHub:          HubToV1,
		Validate:         Validate_V1,
		SelectableFields: func(in *V1) map[string]string { return map[string]string{"spec.color": in.Spec.Color} },
		StoredFields:     wire.Fields{"spec.color": wire.String(2, 1)},
		Scale:            scaleV1,
		SetReplicas:      func(in *V1, replicas int32) { in.Spec.Replicas = &replicas },
		JSONTable:        &tableV1,
		CompareFields:    CompareFieldsV1,
	})
	addOlder(hub)
}

// AddOlderToScheme is AddToScheme of a release that had no V1.
func AddOlderToScheme(b *runtime.Builder) {
	addOlder(runtime.AddHub(b, GroupKind, func() *Widget { return new(Widget) }))
}

func addOlder(hub *runtime.Hub[*Widget]) {
	runtime.AddVersion(hub, runtime.Version[*V1beta1, *Widget]{
		GroupVersion:     GV1beta1,
		New:              func() *V1beta1 { return new(V1beta1) },
		NewList:          func() apiruntime.Object { return new(V1beta1List) },
		Default:          DefaultV1beta1,
		ToHub:            V1beta1ToHub,
		FromHub:          HubToV1beta1,
		SelectableFields: func(in *V1beta1) map[string]string { return map[string]string{"spec.colour": in.Spec.Colour} },
		JSONTable:        &tableV1beta1,
		CompareFields:    CompareFieldsV1beta1,
	})
	runtime.AddVersion(hub, runtime.Version[*Old, *Widget]{
		GroupVersion: GVOld,
		New:          func() *Old { return new(Old) },
		NewList:      func() apiruntime.Object { return new(OldList) },
		ToHub:        OldToHub,
		FromHub:      HubToOld,
	})
}

// scaleV1 finds the replicas by the options.
func scaleV1(in *V1) runtime.Scale {
	out := runtime.Scale{Selector: labels.SelectorFromSet(in.Spec.Options).String()}
	if in.Spec.Replicas != nil {
		out.Replicas = *in.Spec.Replicas
	}
	if in.Status.Seen != nil {
		out.Current = int32(*in.Status.Seen)
	}
	return out
}

// CopyStatus copies the status of a hub.
func CopyStatus(from, to *Widget) { to.Status = from.Status }

// Scheme returns a scheme with this kind alone.
func Scheme() *runtime.Scheme {
	b := runtime.NewBuilder()
	AddToScheme(b)
	s, err := b.Build()
	if err != nil {
		panic(err)
	}
	return s
}

func DefaultV1(in *V1) {
	if in.Spec.Color == "" {
		in.Spec.Color = "red"
	}
	if in.Spec.Replicas == nil {
		one := int32(1)
		in.Spec.Replicas = &one
	}
	for i := range in.Spec.Parts {
		if in.Spec.Parts[i].Count == 0 {
			in.Spec.Parts[i].Count = 1
		}
	}
}

func DefaultV1beta1(in *V1beta1) {
	switch in.Spec.Colour {
	case "":
		in.Spec.Colour = "blue"
	case "panic":
		panic("no such colour")
	}
}

func V1ToHub(in *V1, out *Widget) error {
	out.ObjectMeta = in.ObjectMeta
	out.Spec = Spec{Color: in.Spec.Color, Parts: in.Spec.Parts, Options: in.Spec.Options}
	if in.Spec.Replicas != nil {
		out.Spec.Replicas = *in.Spec.Replicas
	}
	out.Status = in.Status
	return nil
}

func HubToV1(in *Widget, out *V1) error {
	out.ObjectMeta = in.ObjectMeta
	replicas := in.Spec.Replicas
	out.Spec = V1Spec{Color: in.Spec.Color, Replicas: &replicas, Parts: in.Spec.Parts, Options: in.Spec.Options}
	out.Status = in.Status
	return nil
}

func V1beta1ToHub(in *V1beta1, out *Widget) error {
	if in.Spec.Colour == "unconvertible" {
		return fmt.Errorf("spec.colour: %q has no color", in.Spec.Colour)
	}
	out.ObjectMeta = in.ObjectMeta
	out.Spec = Spec{Color: in.Spec.Colour, Replicas: in.Spec.Replicas, Parts: in.Spec.Parts, Options: in.Spec.Options}
	out.Status = in.Status
	return nil
}

func HubToV1beta1(in *Widget, out *V1beta1) error {
	out.ObjectMeta = in.ObjectMeta
	out.Spec = V1beta1Spec{Colour: in.Spec.Color, Replicas: in.Spec.Replicas, Parts: in.Spec.Parts, Options: in.Spec.Options}
	out.Status = in.Status
	return nil
}

func OldToHub(in *Old, out *Widget) error {
	out.ObjectMeta = in.ObjectMeta
	out.Spec = Spec{Color: in.Paint, Replicas: in.Count}
	return nil
}

func HubToOld(in *Widget, out *Old) error {
	out.ObjectMeta = in.ObjectMeta
	out.Paint, out.Count = in.Spec.Color, in.Spec.Replicas
	return nil
}

func (in *Widget) DeepCopyObject() apiruntime.Object {
	out := &Widget{TypeMeta: in.TypeMeta, Spec: in.Spec, Status: copyStatus(in.Status)}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Parts, out.Spec.Options = slices.Clone(in.Spec.Parts), maps.Clone(in.Spec.Options)
	return out
}

func (in *V1) DeepCopyObject() apiruntime.Object { return in.deepCopy() }

func (in *V1) deepCopy() *V1 {
	out := &V1{TypeMeta: in.TypeMeta, Spec: in.Spec, Status: copyStatus(in.Status)}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Replicas = clone(in.Spec.Replicas)
	out.Spec.Parts, out.Spec.Options = slices.Clone(in.Spec.Parts), maps.Clone(in.Spec.Options)
	return out
}

func (in *V1beta1) DeepCopyObject() apiruntime.Object { return in.deepCopy() }

func (in *V1beta1) deepCopy() *V1beta1 {
	out := &V1beta1{TypeMeta: in.TypeMeta, Spec: in.Spec, Status: copyStatus(in.Status)}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Parts, out.Spec.Options = slices.Clone(in.Spec.Parts), maps.Clone(in.Spec.Options)
	return out
}

func (in *Old) DeepCopyObject() apiruntime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func (in *V1List) DeepCopyObject() apiruntime.Object {
	out := &V1List{TypeMeta: in.TypeMeta, ListMeta: *in.ListMeta.DeepCopy()}
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].deepCopy())
	}
	return out
}

func (in *V1beta1List) DeepCopyObject() apiruntime.Object {
	out := &V1beta1List{TypeMeta: in.TypeMeta, ListMeta: *in.ListMeta.DeepCopy()}
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].deepCopy())
	}
	return out
}

func (in *OldList) DeepCopyObject() apiruntime.Object {
	out := &OldList{TypeMeta: in.TypeMeta, ListMeta: *in.ListMeta.DeepCopy()}
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopyObject().(*Old))
	}
	return out
}

func copyStatus(in Status) Status { return Status{Phase: in.Phase, Seen: clone(in.Seen)} }

func clone[T any](in *T) *T {
	if in == nil {
		return nil
	}
	out := *in
	return &out
}
