package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Order is what a customer wants.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:subresource:status
// +kubebuilder:selectablefield:JSONPath=.spec.item
// +kubebuilder:printcolumn:name=Item,type=string,JSONPath=.spec.item
// +kubebuilder:printcolumn:name=Quantity,type=integer,JSONPath=.spec.quantity
type Order struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the customer said.
	Spec OrderSpec `json:"spec"`
	// status is what became of it.
	// +optional
	Status OrderStatus `json:"status,omitempty"`
}

// OrderSpec is what the customer said.
type OrderSpec struct {
	// item is the thing that is ordered.
	// +kubebuilder:validation:MinLength=1
	// +required
	Item string `json:"item"`
	// quantity is how many of them.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +optional
	Quantity int32 `json:"quantity,omitempty"`
}

// OrderStatus is what became of an order.
type OrderStatus struct {
	// sent says that the parcel is on its way.
	// +optional
	Sent bool `json:"sent,omitempty"`
}

// OrderList is a list of orders.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type OrderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the orders.
	Items []Order `json:"items"`
}
