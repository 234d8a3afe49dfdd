package v1

import discoveryv1 "k8s.io/api/discovery/v1"

// EndpointSlice has some of the addresses behind a service.
//
// +kubebuilder:printcolumn:name=AddressType,type=string,JSONPath=.addressType
// +kubebuilder:printcolumn:name=Ports,type=string,JSONPath=.ports[*].port
// +kubebuilder:printcolumn:name=Endpoints,type=string,JSONPath=.endpoints[*].addresses[*]
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type EndpointSlice = discoveryv1.EndpointSlice

// EndpointSliceList is a list of them.
type EndpointSliceList = discoveryv1.EndpointSliceList
