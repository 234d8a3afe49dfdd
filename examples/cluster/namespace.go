package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NamespaceStrategy holds the rules of namespaces, and their columns. A namespace has no finalizers here: nobody would
// empty it and take them off.
type NamespaceStrategy struct{}

// ValidateName: a namespace is a label in the names of what is inside of it.
func (NamespaceStrategy) ValidateName(name string, prefix bool) []string {
	return validation.NameIsDNSLabel(name, prefix)
}

// Columns are what kubectl get shows of namespaces.
func (NamespaceStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Status", Type: "string", Description: "Whether the namespace can be used, or is on its way out."},
		{Name: "Age", Type: "date", Description: "The time since the namespace was created."},
	}
}

// Cells fills the columns for one namespace.
func (NamespaceStrategy) Cells(ns *corev1.Namespace) []any {
	return []any{string(ns.Status.Phase), ns.CreationTimestamp}
}
