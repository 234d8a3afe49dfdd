// Package v1 has members that may be null.
//
// +groupName=net.example.com
package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Maybe is a kind.
//
// +kubebuilder:subresource:status
type Maybe struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec MaybeSpec `json:"spec"`
	// +nullable
	Status *MaybeStatus `json:"status,omitempty"`
}

// MaybeSpec has each shape, with what else may be said of it.
//
// +kubebuilder:validation:XValidation:rule="!has(self.number) || self.number < 100",message="number"
// +kubebuilder:validation:XValidation:rule="has(self.text) || has(self.plain) || has(self.part)",message="one of them"
// +kubebuilder:validation:XValidation:rule="!has(self.part) || self.part.name != 'forbidden'",message="part"
type MaybeSpec struct {
	// +nullable
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:XValidation:rule="self.startsWith('t')"
	Text *string `json:"text,omitempty"`
	// +nullable
	// +kubebuilder:validation:Pattern=`^p`
	Plain string `json:"plain,omitempty"`
	// +nullable
	// +kubebuilder:validation:XValidation:rule="self == oldSelf"
	Fixed *string `json:"fixed,omitempty"`
	// +nullable
	// +kubebuilder:validation:MinLength=2
	Needed *string `json:"needed"`
	// +nullable
	// +kubebuilder:validation:Enum=a;b
	NeededPlain string `json:"neededPlain"`
	// +nullable
	// +required
	NeededPart *Part `json:"neededPart,omitempty"`
	// +nullable
	NeededStruct Part `json:"neededStruct"`
	// +nullable
	// +kubebuilder:validation:MinItems=1
	NeededList []string `json:"neededList"`
	// +nullable
	// +kubebuilder:validation:MinProperties=1
	NeededMap map[string]Part `json:"neededMap"`
	// +nullable
	// +optional
	Part Part `json:"part,omitempty"`
	// +nullable
	// +kubebuilder:validation:MinItems=1
	List []Part `json:"list,omitempty"`
	// +nullable
	Lists [][]string `json:"lists,omitempty"`
	// +nullable
	Map map[string]string `json:"map,omitempty"`
	// +nullable
	// +kubebuilder:default=abc
	Defaulted *string `json:"defaulted,omitempty"`
	// +nullable
	// +kubebuilder:default=abc
	DefaultedPlain string `json:"defaultedPlain,omitempty"`
	// +nullable
	// +kubebuilder:default={name:abc}
	DefaultedPart *Part `json:"defaultedPart,omitempty"`
	// +kubebuilder:default=abc
	NotNull *string `json:"notNull,omitempty"`
	// +nullable
	// +kubebuilder:validation:Minimum=1
	Number int32 `json:"number,omitempty"`
	// +nullable
	// +kubebuilder:validation:Minimum=1
	NumberPointer *int64 `json:"numberPointer,omitempty"`
	// +nullable
	Flag bool `json:"flag,omitempty"`
	// +nullable
	Delay *metav1.Duration `json:"delay,omitempty"`
	// +nullable
	At *metav1.Time `json:"at,omitempty"`
	// +nullable
	AtPlain metav1.Time `json:"atPlain,omitempty"`
	// +nullable
	Port *intstr.IntOrString `json:"port,omitempty"`
	// +nullable
	Memory *resource.Quantity `json:"memory,omitempty"`
	// +nullable
	Limits map[string]resource.Quantity `json:"limits,omitempty"`
	// +nullable
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Raw *runtime.RawExtension `json:"raw,omitempty"`
	// +nullable
	// +kubebuilder:pruning:PreserveUnknownFields
	Object *runtime.RawExtension `json:"object,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	Objects []runtime.RawExtension `json:"objects,omitempty"`
}

// Part is what some of them are.
type Part struct {
	Name string `json:"name"`
	// +nullable
	Note *string `json:"note,omitempty"`
	// +kubebuilder:default=z
	Zone string `json:"zone,omitempty"`
}

// MaybeStatus is written elsewhere.
type MaybeStatus struct {
	// +nullable
	Phase *string `json:"phase"`
}

// MaybeList is a list of them.
type MaybeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Maybe `json:"items"`
}
