// Package v1 has rules in CEL that are compiled, and some that are evaluated.
//
// +groupName=net.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Host is a kind.
//
// +kubebuilder:validation:XValidation:rule="self.metadata.name != 'forbidden' || isIP(self.spec.address)",message="the name of an address"
type Host struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec HostSpec `json:"spec"`
}

// HostSpec is what it wants.
//
// +kubebuilder:validation:XValidation:rule="has(self.debug) || !has(self.weight)",message="weight without debug"
// +kubebuilder:validation:XValidation:rule="!has(self.weight) || self.weight != 0 || ip(self.address).isLoopback()",message="no weight"
// +kubebuilder:validation:XValidation:rule="!has(self.seen) || self.seen < timestamp('2027-01-01T00:00:00Z')",message="in future"
// +kubebuilder:validation:XValidation:rule="self.note != 'x' || has(self.debug)",message="note"
// +kubebuilder:validation:XValidation:rule="!has(self.labels) || self.labels == {'a': 'b'}",messageExpression="'labels of %s'.format([self.address])",reason=FieldValueForbidden,fieldPath=".labels['a']"
// +kubebuilder:validation:XValidation:rule="!oldSelf.hasValue() || cidr('10.0.0.0/8').containsIP(oldSelf.value().address) == cidr('10.0.0.0/8').containsIP(self.address)",optionalOldSelf=true
type HostSpec struct {
	// +kubebuilder:validation:XValidation:rule="isIP(self)"
	Address string `json:"address"`
	// +kubebuilder:validation:MaxItems=3
	// +kubebuilder:validation:XValidation:rule="self.all(p, sets.contains(['tcp', 'udp'], [p.protocol]))",message="protocol"
	// +listType=map
	// +listMapKey=name
	Ports  []Port            `json:"ports,omitempty"`
	Debug  bool              `json:"debug,omitempty"`
	Weight int32             `json:"weight,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	// +kubebuilder:default=y
	Note string `json:"note,omitempty"`
	// +kubebuilder:validation:Format=date-time
	Seen string `json:"seen,omitempty"`
}

// Port is one of several.
//
// +kubebuilder:validation:XValidation:rule="self.number >= oldSelf.number",message="a port can't go down"
// +kubebuilder:validation:XValidation:rule="!has(self.protocol) || self.protocol.find('[a-z]+') == oldSelf.protocol",message="the same protocol"
type Port struct {
	Name     string `json:"name"`
	Number   int32  `json:"number"`
	Protocol string `json:"protocol,omitempty"`
}

// HostList is a list of them.
type HostList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Host `json:"items"`
}
