package rbac_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/features/servertest"
)

// What a role that is made of others comes to can be read in it, as it changes.
func TestGatheredRulesAreWritten(t *testing.T) {
	c := servertest.Start(t)
	const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
	c.Until(http.StatusOK, `"rules":[{"verbs":["get","list","watch"]`, roles+"/view")

	part := func(name, resource string) string {
		return `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"` + name + `","labels":{"to":"all"}},
			"rules":[{"verbs":["get"],"apiGroups":["x.example.com"],"resources":["` + resource + `"]}]}`
	}
	c.Want(http.StatusCreated, "", "POST", roles, `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"all"},
		"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}],"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"to":"all"}}]}}`)
	c.Until(http.StatusOK, `"rules":null`, roles+"/all")

	c.Want(http.StatusCreated, "", "POST", roles, part("b", "beds"))
	c.Want(http.StatusCreated, "", "POST", roles, part("a", "apples"))
	c.Want(http.StatusCreated, "", "POST", roles, part("same", "apples"))
	both := `"rules":[{"verbs":["get"],"apiGroups":["x.example.com"],"resources":["apples"]},{"verbs":["get"],"apiGroups":["x.example.com"],"resources":["beds"]}]`
	if role := c.Until(http.StatusOK, both, roles+"/all"); !strings.Contains(role, `"manager":"clusterrole-aggregation-controller"`) {
		t.Errorf("nobody owns the rules: %s", role)
	}

	c.Want(http.StatusOK, "", "DELETE", roles+"/b", "")
	c.Until(http.StatusOK, `"rules":[{"verbs":["get"],"apiGroups":["x.example.com"],"resources":["apples"]}]`, roles+"/all")

	// A role that is being deleted still grants its rules, so they stay up to date.
	hold := func(finalizers string) {
		c.Want(http.StatusOK, "", "PATCH", roles+"/all", `{"metadata":{"finalizers":`+finalizers+`}}`)
	}
	hold(`["example.com/hold"]`)
	c.Want(http.StatusOK, "", "DELETE", roles+"/all", "")
	c.Want(http.StatusCreated, "", "POST", roles, part("c", "carrots"))
	c.Until(http.StatusOK, `"resources":["carrots"]`, roles+"/all")
	hold("null")
}
