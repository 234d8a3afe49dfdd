package v1

import discoveryv1 "k8s.io/api/discovery/v1"

// EndpointSlice has some of the addresses behind a service.
type EndpointSlice = discoveryv1.EndpointSlice

// EndpointSliceList is a list of them.
type EndpointSliceList = discoveryv1.EndpointSliceList
