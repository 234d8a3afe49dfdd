package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/typeplane/typeplane/internal/gadget/v1"
)

// Gadget is a gadget as it was: with few fields.
//
// +kubebuilder:subresource:status
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

// GadgetSpec is what a gadget shall be.
type GadgetSpec struct {
	// +optional
	Color string `json:"color,omitempty"`
	// +optional
	Period *metav1.Duration `json:"period,omitempty"`
	// +optional
	Headers map[string][]string `json:"headers,omitempty"`
	// +optional
	Template v1.Template `json:"template,omitempty"`
}

// GadgetStatus is what a gadget is.
type GadgetStatus struct {
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
}
