package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// TestType is a kind.
//
// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type TestType struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status Status `json:"status,omitempty"`
}

// TestTypeList is a list.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type TestTypeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []TestType `json:"items"`
}

// Status is how it is.
type Status struct {
	Ready bool `json:"ready,omitempty"`
}
