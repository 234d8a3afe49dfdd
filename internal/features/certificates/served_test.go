package certificates_test

import (
	"crypto/ecdsa"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/certtest"
	"github.com/typeplane/typeplane/internal/features/servertest"
)

const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests"

// body is a request for a certificate of a name and groups, as clients send it.
func body(t *testing.T, name, signer, spec string, key *ecdsa.PrivateKey, groups ...string) string {
	t.Helper()
	request := base64.StdEncoding.EncodeToString(certtest.Request(t, key, name, groups...))
	return fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"request":%q,"signerName":%q,"usages":["digital signature","client auth"]%s}}`, name, request, signer, spec)
}

// approved is a body for …/approval.
func approved(name, condition string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q},"status":{"conditions":[{"type":%q,"status":"True","reason":"Test"}]}}`, name, condition)
}

const client = "kubernetes.io/kube-apiserver-client"

// A request is approved, signed, and the certificate is one of the user.
func TestIssued(t *testing.T) {
	c, key := servertest.Start(t), certtest.NewKey(t)
	answer := c.Want(201, `"username":"admin"`, "POST", path, body(t, "ann", client, `,"expirationSeconds":3600,"username":"mallory","groups":["x"]`, key, "readers", "writers"))
	if strings.Contains(answer, "mallory") || !strings.Contains(answer, `"groups":["system:masters","system:authenticated"]`) {
		t.Errorf("the requester is not who asked: %s", answer)
	}
	c.Want(200, `"conditions":[{"type":"Approved"`, "PUT", path+"/ann/approval", approved("ann", "Approved"))
	c.Until(200, `"certificate":"`, path+"/ann")
	ann := c.As(key, c.Certificate(path+"/ann"))
	ann.Want(201, `"username":"ann"`, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", `{}`)
	ann.Want(201, `"groups":["readers","writers","system:authenticated"]`, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", `{}`)
	ann.Want(403, `cannot list resource \"certificatesigningrequests\"`, "GET", path, "")
	c.Want(200, `"username":"ann"`, "GET", "/apis/auth.typeplane.io/v1alpha1/credentials", "")

	// What was asked for and what became of it stay.
	c.Want(200, `"expirationSeconds":3600`, "PATCH", path+"/ann", `{"metadata":{"labels":{"a":"b"}},"spec":{"expirationSeconds":7200},"status":null}`)
	c.Want(200, `"certificate":"`, "GET", path+"/ann", "")
	c.Want(422, `may not remove a condition of type \"Approved\"`, "PATCH", path+"/ann/approval", `{"status":{"conditions":[]}}`)
	c.Want(200, `"by":"me"`, "PATCH", path+"/ann/approval", `{"metadata":{"annotations":{"by":"me"}}}`)
	c.Want(200, `"seen":"yes"`, "PATCH", path+"/ann/status", `{"metadata":{"annotations":{"seen":"yes"}}}`)
	c.Want(200, `"by":"me","seen":"yes"`, "GET", path+"/ann", "")
	c.Want(422, "must specify at most one of", "PATCH", path+"/ann/approval", `{"status":{"conditions":[{"type":"Approved","status":"True"},{"type":"Denied","status":"True"}]}}`)
	c.Want(422, "may not modify existing certificate content", "PATCH", path+"/ann/status", `{"status":{"certificate":""}}`)
}

// age is how long ago a table says that something was made.
var age = regexp.MustCompile(`"(\d+[smh])+"`)

// What nobody signs is refused, or says why.
func TestNotIssued(t *testing.T) {
	c, key := servertest.Start(t), certtest.NewKey(t)
	c.Want(403, "system:masters group is not allowed", "POST", path, body(t, "root", client, "", key, "system:masters"))
	c.Want(201, "", "POST", path, body(t, "server", client, `,"usages":["server auth"]`, key))
	c.Want(200, "", "PUT", path+"/server/approval", approved("server", "Approved"))
	c.Until(200, "invalid usage for client certificate: server auth", path+"/server")
	c.Want(201, "", "POST", path, body(t, "denied", client, "", key))
	c.Want(422, `may not add a condition of type \"Denied\"`, "PUT", path+"/denied/status", approved("denied", "Denied"))
	c.Want(200, "", "PUT", path+"/denied/approval", approved("denied", "Denied"))
	c.Want(422, "must specify at most one of", "PATCH", path+"/denied/approval", `{"status":{"conditions":[{"type":"Denied","status":"True"},{"type":"Approved","status":"True"}]}}`)
	c.Want(201, "", "POST", path, body(t, "other", "example.com/signer", "", key))
	table := age.ReplaceAllString(c.Table(path), `"AGE"`)
	for _, row := range []string{
		`["server","AGE","kubernetes.io/kube-apiserver-client","admin","\u003cnone\u003e","Approved,Failed"]`,
		`["denied","AGE","kubernetes.io/kube-apiserver-client","admin","\u003cnone\u003e","Denied"]`,
		`["other","AGE","example.com/signer","admin","\u003cnone\u003e","Pending"]`,
	} {
		if !strings.Contains(table, row) {
			t.Errorf("no %s in %s", row, table)
		}
	}
	if selected := c.Want(200, `"other"`, "GET", path+"?fieldSelector=spec.signerName%3Dexample.com/signer", ""); strings.Contains(selected, "denied") {
		t.Errorf("%s", selected)
	}
}

// TestRights: to write at …/approval is not enough to approve, nor at …/status to sign.
func TestRights(t *testing.T) {
	c, key := servertest.Start(t), certtest.NewKey(t)
	c.Want(201, "", "POST", path, body(t, "mine", "example.com/signer", "", key))
	const roles = "/apis/rbac.authorization.k8s.io/v1/clusterrole"
	c.Want(201, "", "POST", roles+"s", `{"metadata":{"name":"writer"},"rules":[{"apiGroups":["certificates.k8s.io"],"resources":["certificatesigningrequests/approval","certificatesigningrequests/status"],"verbs":["update"]}]}`)
	c.Want(201, "", "POST", roles+"bindings", `{"metadata":{"name":"writer"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"writer"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"bob"}]}`)
	bob := c.Acting("bob")
	sign := `{"metadata":{"name":"mine"},"status":{"conditions":[{"type":"Failed","status":"True"}]}}`
	servertest.Eventually(t, "bob may not write", func() bool {
		code, says := bob.Do(http.MethodPut, path+"/mine/approval", approved("mine", "Approved"))
		return code == 403 && strings.Contains(says, `not permitted to approve requests with signerName \"example.com/signer\"`)
	})
	bob.Want(403, `not permitted to sign requests with signerName \"example.com/signer\"`, "PUT", path+"/mine/status", sign)
	c.Want(200, "", "PATCH", roles+"s/writer", `{"rules":[{"apiGroups":["certificates.k8s.io"],"resources":["certificatesigningrequests/approval","certificatesigningrequests/status"],"verbs":["update"]},
		{"apiGroups":["certificates.k8s.io"],"resources":["signers"],"resourceNames":["example.com/*"],"verbs":["approve","sign"]}]}`)
	servertest.Eventually(t, "bob may not approve", func() bool {
		code, _ := bob.Do(http.MethodPut, path+"/mine/approval", approved("mine", "Approved"))
		return code == 200
	})
	bob.Want(422, "may not remove a condition", "PUT", path+"/mine/status", sign)
}
