package roles

import (
	"reflect"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/features"
)

func TestRead(t *testing.T) {
	got, err := Read(`# a comment
system:controller:a to itself
	get list: pods deployments.apps/scale /metrics
	update: leases.coordination.k8s.io = a b

b in kube-system as c to user:d group:e serviceaccount:f/g
	*: *.*
alone
void to nobody
`)
	if err != nil {
		t.Fatal(err)
	}
	rule := func(verbs, group string, resources, names []string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{Verbs: strings.Fields(verbs), APIGroups: []string{group}, Resources: resources, ResourceNames: names}
	}
	want := features.Roles{
		ClusterRoles: []rbacv1.ClusterRole{
			{ObjectMeta: metav1.ObjectMeta{Name: "system:controller:a"}, Rules: []rbacv1.PolicyRule{
				rule("get list", "", []string{"pods"}, []string{}), rule("get list", "apps", []string{"deployments/scale"}, []string{}),
				{Verbs: []string{"get", "list"}, NonResourceURLs: []string{"/metrics"}},
				rule("update", "coordination.k8s.io", []string{"leases"}, []string{"a", "b"}),
			}},
			{ObjectMeta: metav1.ObjectMeta{Name: "alone"}},
			{ObjectMeta: metav1.ObjectMeta{Name: "void"}},
		},
		ClusterRoleBindings: []rbacv1.ClusterRoleBinding{
			{ObjectMeta: metav1.ObjectMeta{Name: "system:controller:a"}, RoleRef: refTo("ClusterRole", "system:controller:a"), Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "kube-system", Name: "a"}}},
			{ObjectMeta: metav1.ObjectMeta{Name: "void"}, RoleRef: refTo("ClusterRole", "void")},
		},
		Roles: []rbacv1.Role{{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "b"}, Rules: []rbacv1.PolicyRule{rule("*", "*", []string{"*"}, []string{})}}},
		RoleBindings: []rbacv1.RoleBinding{{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "c"}, RoleRef: refTo("Role", "b"), Subjects: []rbacv1.Subject{
			{APIGroup: rbacv1.GroupName, Kind: "User", Name: "d"}, {APIGroup: rbacv1.GroupName, Kind: "Group", Name: "e"}, {Kind: "ServiceAccount", Namespace: "f", Name: "g"},
		}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"\tget: pods":        "line 1: a rule stands before",
		"a on b":             `"on": want in NAMESPACE`,
		"a in":               `"in": want in NAMESPACE`,
		"a to somebody":      `subject "somebody"`,
		"\na\n\tget pods":    "line 3: ",
		"a to user:b\n\tget": "want verbs, a colon",
	} {
		if _, err := Read(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

// TestOfCluster: what is served is what could be read.
func TestOfCluster(t *testing.T) {
	all := OfCluster()
	if len(all.ClusterRoles) < 40 || len(all.ClusterRoleBindings) < 40 || len(all.Roles) == 0 || len(all.RoleBindings) == 0 {
		t.Errorf("%d, %d, %d, %d", len(all.ClusterRoles), len(all.ClusterRoleBindings), len(all.Roles), len(all.RoleBindings))
	}
}
