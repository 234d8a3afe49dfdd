package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Gadget is a kind whose types protobuf has no words for.
//
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
// +kubebuilder:selectablefield:JSONPath=.spec.color
// +kubebuilder:selectablefield:JSONPath=.spec.loud
// +kubebuilder:selectablefield:JSONPath=.spec.period
// +kubebuilder:printcolumn:name=Color,type=string,JSONPath=.spec.color
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type Gadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +optional
	Spec GadgetSpec `json:"spec,omitempty"`
	// +optional
	Status GadgetStatus `json:"status,omitempty"`
}

// GadgetList is a list of gadgets.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type GadgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Gadget `json:"items"`
}

// GadgetSpec is what a gadget shall be. Its zero values are written, unlike those of the kinds of
// Kubernetes, where it says so.
type GadgetSpec struct {
	// +kubebuilder:default=red
	// +optional
	Color string `json:"color,omitempty"`
	// +optional
	Loud bool `json:"loud,omitempty"`
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// +optional
	Period *metav1.Duration `json:"period,omitempty"`
	// Delay is written if it is zero, too.
	//
	// +optional
	Delay metav1.Duration `json:"delay,omitempty"`
	// +optional
	Memory resource.Quantity `json:"memory,omitempty"`
	// +optional
	Limits map[string]resource.Quantity `json:"limits,omitempty"`
	// +optional
	Port intstr.IntOrString `json:"port,omitempty"`
	// +optional
	Numbers Numbers `json:"numbers,omitempty"`
	// +optional
	Headers map[string][]string `json:"headers,omitempty"`
	// +optional
	Names *[]string `json:"names,omitempty"`
	// +optional
	Grid [][]Point `json:"grid,omitempty"`
	// +optional
	Parts map[string]Part `json:"parts,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=name
	Steps []Step `json:"steps,omitempty"`
	// +optional
	Template Template `json:"template,omitempty"`
	// +optional
	Size int64 `json:"size,omitempty"`
	// +optional
	Any runtime.RawExtension `json:"any,omitempty"`
	// +optional
	Tone Tone `json:"tone,omitempty"`
}

// Numbers are those that protobuf has no types for.
type Numbers struct {
	// +optional
	U8 uint8 `json:"u8,omitempty"`
	// +optional
	U16 uint16 `json:"u16,omitempty"`
	// +optional
	U64 uint64 `json:"u64,omitempty"`
	// +optional
	I8 int8 `json:"i8,omitempty"`
	// +optional
	F32 float32 `json:"f32,omitempty"`
	// +optional
	F64 *float64 `json:"f64,omitempty"`
}

// Point is a place.
type Point struct {
	X int16 `json:"x"`
	Y int16 `json:"y"`
}

// Part is a part of a gadget.
type Part struct {
	// +kubebuilder:default=1
	// +optional
	Count uint16 `json:"count,omitempty"`
	// +optional
	Weight *resource.Quantity `json:"weight,omitempty"`
}

// Step is one of several, each with a name of its own.
type Step struct {
	Name string `json:"name"`
	// +kubebuilder:default="1m"
	// +optional
	Timeout *metav1.Duration `json:"timeout,omitempty"`
	// +optional
	Args []string `json:"args,omitempty"`
	// +optional
	Optional bool `json:"optional,omitempty"`
}

// Template has defaults of its own, which it gets where it is there.
type Template struct {
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +kubebuilder:default=plain
	// +optional
	Style string `json:"style,omitempty"`
}

// Tone writes and reads itself.
//
// +kubebuilder:validation:Type=string
type Tone struct {
	Hertz float64 `json:"-"`
}

// GadgetStatus is what a gadget is.
type GadgetStatus struct {
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// +optional
	Uptime metav1.Duration `json:"uptime,omitempty"`
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
