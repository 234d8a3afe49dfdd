package v1

import rbacv1 "k8s.io/api/rbac/v1"

// Role says what may be done in its namespace.
//
// +kubebuilder:resource:scope=Namespaced
type Role = rbacv1.Role

// RoleList is a list of roles.
type RoleList = rbacv1.RoleList

// ClusterRole says what may be done, in the namespaces where it is bound or everywhere.
//
// +kubebuilder:resource:scope=Cluster
type ClusterRole = rbacv1.ClusterRole

// ClusterRoleList is a list of cluster roles.
type ClusterRoleList = rbacv1.ClusterRoleList

// RoleBinding gives a role, or a cluster role, to users in its namespace.
//
// +kubebuilder:resource:scope=Namespaced
type RoleBinding = rbacv1.RoleBinding

// RoleBindingList is a list of role bindings.
type RoleBindingList = rbacv1.RoleBindingList

// ClusterRoleBinding gives a cluster role to users everywhere.
//
// +kubebuilder:resource:scope=Cluster
type ClusterRoleBinding = rbacv1.ClusterRoleBinding

// ClusterRoleBindingList is a list of cluster role bindings.
type ClusterRoleBindingList = rbacv1.ClusterRoleBindingList
