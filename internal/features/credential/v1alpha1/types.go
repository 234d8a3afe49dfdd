package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Credential is a credential by which the server knows a user, until it ends or is revoked. A
// client certificate that the server signs gets one.
//
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:selectablefield:JSONPath=.spec.username
// +kubebuilder:printcolumn:name="User",type=string,JSONPath=`.spec.username`,description="Whom the credential names."
// +kubebuilder:printcolumn:name="Groups",type=string,JSONPath=`.spec.groups`,description="The groups that it names."
// +kubebuilder:printcolumn:name="Revoked",type=boolean,JSONPath=`.spec.revoked`,description="Whether the server refuses it."
// +kubebuilder:printcolumn:name="Until",type=string,format=date-time,JSONPath=`.spec.notAfter`,description="When it ends."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="The time since it was given out."
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type Credential struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says what the credential is, and whether it is revoked.
	Spec CredentialSpec `json:"spec"`
}

// CredentialSpec is what a credential is. Only revoked can change, and only once.
type CredentialSpec struct {
	// id names the credential, as authentication.kubernetes.io/credential-id does in the audit log:
	// X509SHA256= and the hash of a client certificate, or JTI= and the ID of a token.
	ID string `json:"id"`
	// username is the user whom the credential names.
	Username string `json:"username"`
	// groups are those that the credential names.
	// +listType=atomic
	// +optional
	Groups []string `json:"groups,omitempty"`
	// notAfter is when the credential ends by itself. The record of it is removed then.
	NotAfter metav1.Time `json:"notAfter"`
	// revoked says that the server refuses the credential, at once and for ever. A record that is
	// deleted is revoked, too, and stays until the credential has ended.
	// +optional
	Revoked bool `json:"revoked,omitempty"`
}

// CredentialList is a list of credentials.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type CredentialList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Credential `json:"items"`
}
