package v1

import networkingv1 "k8s.io/api/networking/v1"

// NetworkPolicy says who may reach a set of pods.
//
// +kubebuilder:resource:shortName=netpol
type NetworkPolicy = networkingv1.NetworkPolicy

// NetworkPolicyList is a list of them.
type NetworkPolicyList = networkingv1.NetworkPolicyList

// Ingress leads HTTP from outside to services.
//
// +kubebuilder:resource:shortName=ing
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=Class,type=string,JSONPath=.spec.ingressClassName
// +kubebuilder:printcolumn:name=Hosts,type=string,JSONPath=.spec.rules[*].host
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type Ingress = networkingv1.Ingress

// IngressList is a list of them.
type IngressList = networkingv1.IngressList

// IngressClass says who serves an ingress.
//
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:printcolumn:name=Controller,type=string,JSONPath=.spec.controller
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type IngressClass = networkingv1.IngressClass

// IngressClassList is a list of them.
type IngressClassList = networkingv1.IngressClassList

// IPAddress is an address that something has.
//
// +kubebuilder:resource:scope=Cluster,shortName=ip
// +kubebuilder:selectablefield:JSONPath=.spec.parentRef.group
// +kubebuilder:selectablefield:JSONPath=.spec.parentRef.resource
// +kubebuilder:selectablefield:JSONPath=.spec.parentRef.namespace
// +kubebuilder:selectablefield:JSONPath=.spec.parentRef.name
type IPAddress = networkingv1.IPAddress

// IPAddressList is a list of them.
type IPAddressList = networkingv1.IPAddressList

// ServiceCIDR is a range of addresses for services.
//
// +kubebuilder:resource:scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name=CIDRs,type=string,JSONPath=.spec.cidrs[*]
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type ServiceCIDR = networkingv1.ServiceCIDR

// ServiceCIDRList is a list of them.
type ServiceCIDRList = networkingv1.ServiceCIDRList
