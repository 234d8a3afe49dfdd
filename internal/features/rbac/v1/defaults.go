package v1

import rbacv1 "k8s.io/api/rbac/v1"

// SetDefaults_RoleBinding: a role is of the group of roles.
func SetDefaults_RoleBinding(b *RoleBinding) { defaultRoleRef(&b.RoleRef) }

// SetDefaults_ClusterRoleBinding: a role is of the group of roles.
func SetDefaults_ClusterRoleBinding(b *ClusterRoleBinding) { defaultRoleRef(&b.RoleRef) }

func defaultRoleRef(ref *rbacv1.RoleRef) {
	if ref.APIGroup == "" {
		ref.APIGroup = rbacv1.GroupName
	}
}

// SetDefaults_Subject: users and groups are of the group of roles, too; service accounts are of the
// one without a name.
func SetDefaults_Subject(s *rbacv1.Subject) {
	if s.APIGroup == "" && (s.Kind == rbacv1.UserKind || s.Kind == rbacv1.GroupKind) {
		s.APIGroup = rbacv1.GroupName
	}
}
