package rbac

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "github.com/typeplane/typeplane/internal/features/rbac/v1"
)

// fields are the places of errors, with their types.
func fields(errs field.ErrorList) []string {
	var out []string
	for _, e := range errs {
		out = append(out, e.Field+" "+string(e.Type))
	}
	slices.Sort(out)
	return out
}

func rule(change func(*rbacv1.PolicyRule)) []rbacv1.PolicyRule {
	r := rbacv1.PolicyRule{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}}
	change(&r)
	return []rbacv1.PolicyRule{r}
}

func TestRoles(t *testing.T) {
	paths := func(r *rbacv1.PolicyRule) {
		r.APIGroups, r.Resources, r.NonResourceURLs = nil, nil, []string{"/healthz"}
	}
	for name, tc := range map[string]struct {
		rules             []rbacv1.PolicyRule
		role, clusterRole []string
	}{
		"good":            {rules: rule(func(*rbacv1.PolicyRule) {})},
		"none":            {},
		"no verbs":        {rules: rule(func(r *rbacv1.PolicyRule) { r.Verbs = nil }), role: []string{"rules[0].verbs FieldValueRequired"}, clusterRole: []string{"rules[0].verbs FieldValueRequired"}},
		"no group":        {rules: rule(func(r *rbacv1.PolicyRule) { r.APIGroups = nil }), role: []string{"rules[0].apiGroups FieldValueRequired"}, clusterRole: []string{"rules[0].apiGroups FieldValueRequired"}},
		"no resource":     {rules: rule(func(r *rbacv1.PolicyRule) { r.Resources = nil }), role: []string{"rules[0].resources FieldValueRequired"}, clusterRole: []string{"rules[0].resources FieldValueRequired"}},
		"paths":           {rules: rule(paths), role: []string{"rules[0].nonResourceURLs FieldValueInvalid"}},
		"paths and names": {rules: rule(func(r *rbacv1.PolicyRule) { r.NonResourceURLs = []string{"/x"} }), role: []string{"rules[0].nonResourceURLs FieldValueInvalid", "rules[0].nonResourceURLs FieldValueInvalid"}, clusterRole: []string{"rules[0].nonResourceURLs FieldValueInvalid"}},
	} {
		role, clusterRole := &rbacv1.Role{Rules: tc.rules}, &rbacv1.ClusterRole{Rules: tc.rules}
		got := fields(append(v1.Validate_Role(context.Background(), operation.Operation{}, nil, role, nil), RoleStrategy{}.Validate(context.Background(), role)...))
		if diff := cmp.Diff(tc.role, got); diff != "" {
			t.Errorf("%s, role: (-want +got)\n%s", name, diff)
		}
		got = fields(append(v1.Validate_ClusterRole(context.Background(), operation.Operation{}, nil, clusterRole, nil), ClusterRoleStrategy{}.Validate(context.Background(), clusterRole)...))
		if diff := cmp.Diff(tc.clusterRole, got); diff != "" {
			t.Errorf("%s, cluster role: (-want +got)\n%s", name, diff)
		}
	}
	for want, selectors := range map[string][]metav1.LabelSelector{
		"aggregationRule.clusterRoleSelectors FieldValueRequired":               nil,
		"aggregationRule.clusterRoleSelectors[0].matchLabels FieldValueInvalid": {{MatchLabels: map[string]string{"a b": "c"}}},
	} {
		got := fields(ClusterRoleStrategy{}.Validate(context.Background(), &rbacv1.ClusterRole{AggregationRule: &rbacv1.AggregationRule{ClusterRoleSelectors: selectors}}))
		if len(got) != 1 || got[0] != want {
			t.Errorf("%v: %v, want %s", selectors, got, want)
		}
	}
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
	if got := (RoleStrategy{}).Cells(role); got[0] != "2026-01-02T03:04:05Z" {
		t.Errorf("cells %v", got)
	}
}

func TestBindings(t *testing.T) {
	subject := func(kind, namespace, name string) []rbacv1.Subject {
		return []rbacv1.Subject{{Kind: kind, Namespace: namespace, Name: name}}
	}
	ref := func(kind, name string) rbacv1.RoleRef { return rbacv1.RoleRef{Kind: kind, Name: name} }
	for name, tc := range map[string]struct {
		ref      rbacv1.RoleRef
		subjects []rbacv1.Subject
		// what is wrong with a binding in a namespace, and with one of the cluster
		local, cluster []string
	}{
		"good":               {ref: ref("ClusterRole", "system:x"), subjects: subject("User", "", "jane")},
		"a group":            {ref: ref("ClusterRole", "x"), subjects: subject("Group", "", "dev")},
		"a service account":  {ref: ref("ClusterRole", "x"), subjects: subject("ServiceAccount", "ns", "robot")},
		"from anywhere":      {ref: ref("ClusterRole", "x"), subjects: subject("ServiceAccount", "", "robot"), cluster: []string{"subjects[0].namespace FieldValueRequired"}},
		"a bad name":         {ref: ref("ClusterRole", "x"), subjects: subject("ServiceAccount", "ns", "A_B"), local: []string{"subjects[0].name FieldValueInvalid"}, cluster: []string{"subjects[0].name FieldValueInvalid"}},
		"nobody":             {ref: ref("ClusterRole", "x"), subjects: subject("User", "", ""), local: []string{"subjects[0].name FieldValueRequired"}, cluster: []string{"subjects[0].name FieldValueRequired"}},
		"something else":     {ref: ref("ClusterRole", "x"), subjects: subject("Robot", "", "x"), local: []string{"subjects[0].kind FieldValueNotSupported"}, cluster: []string{"subjects[0].kind FieldValueNotSupported"}},
		"a role":             {ref: ref("Role", "x"), cluster: []string{"roleRef.kind FieldValueNotSupported"}},
		"a role of no name":  {ref: ref("ClusterRole", ""), local: []string{"roleRef.name FieldValueRequired"}, cluster: []string{"roleRef.name FieldValueRequired"}},
		"a role like a path": {ref: ref("ClusterRole", "a/b"), local: []string{"roleRef.name FieldValueInvalid"}, cluster: []string{"roleRef.name FieldValueInvalid"}},
		"of another group":   {ref: rbacv1.RoleRef{APIGroup: "x", Kind: "ClusterRole", Name: "x"}, local: []string{"roleRef.apiGroup FieldValueNotSupported"}, cluster: []string{"roleRef.apiGroup FieldValueNotSupported"}},
	} {
		local, cluster := &rbacv1.RoleBinding{RoleRef: tc.ref, Subjects: slices.Clone(tc.subjects)}, &rbacv1.ClusterRoleBinding{RoleRef: tc.ref, Subjects: slices.Clone(tc.subjects)}
		v1.SetObjectDefaults_RoleBinding(local)
		v1.SetObjectDefaults_ClusterRoleBinding(cluster)
		if diff := cmp.Diff(tc.local, fields(RoleBindingStrategy{}.Validate(context.Background(), local))); diff != "" {
			t.Errorf("%s, in a namespace: (-want +got)\n%s", name, diff)
		}
		if diff := cmp.Diff(tc.cluster, fields(ClusterRoleBindingStrategy{}.Validate(context.Background(), cluster))); diff != "" {
			t.Errorf("%s, of the cluster: (-want +got)\n%s", name, diff)
		}
	}
	for name, want := range map[string]bool{"system:discovery": true, "A": true, "a/b": false, "..": false} {
		if got := len(RoleStrategy{}.ValidateName(name, false)) == 0; got != want {
			t.Errorf("name %q: %v", name, got)
		}
	}
}
