// Package autoscaling holds the hub types of the autoscaler: what the server itself works with,
// whatever version and whatever of its two groups (autoscaling, extensions) a client speaks. They
// are never sent or stored, so they carry no json tags. They say everything that any version can
// say; most of it only v2 can.
//
// +k8s:deepcopy-gen=package
package autoscaling
