package rbac_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/features/servertest"
)

// TestManyResourceNames covers a role that etcd has the space for, with 100,000 names in a
// megabyte.
func TestManyResourceNames(t *testing.T) {
	c := servertest.Start(t)
	const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles"
	var names strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&names, `"n%06d",`, i)
	}
	role := func(labels string) string {
		return `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"r","labels":{` + labels + `}},
			"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"],"resourceNames":[` + names.String() + `"last"]}]}`
	}
	c.Want(http.StatusCreated, `"last"`, "POST", roles, role(""))
	c.Want(http.StatusOK, `"a":"b"`, "PUT", roles+"/r", role(`"a":"b"`))
	c.Want(http.StatusOK, `"c":"d"`, "PATCH", roles+"/r", role(`"c":"d"`))
	c.Want(http.StatusOK, `"last"`, "GET", roles+"/r", "")
}
