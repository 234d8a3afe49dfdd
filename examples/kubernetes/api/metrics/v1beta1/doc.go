// Package v1beta1 serves what nodes and pods use, as a metrics server does.
//
// A cluster has these kinds from a server of their own, behind an aggregator. Here they are stored,
// and whoever measures writes them.
//
// +groupName=metrics.k8s.io
// +k8s:defaulter-gen=false
// +k8s:protobuf-gen=package
package v1beta1
