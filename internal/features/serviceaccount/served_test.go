package serviceaccount_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/servertest"
)

// A service account may find out how tokens like its own are checked; whoever has no credential may
// not.
func TestIssuerDiscovery(t *testing.T) {
	c := servertest.Start(t)
	var request authenticationv1.TokenRequest
	c.Until(http.StatusOK, `"name":"system:serviceaccounts"`, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:service-account-issuer-discovery")
	answer := c.Want(http.StatusCreated, "", "POST", servertest.Namespaces+"/default/serviceaccounts/default/token", `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest"}`)
	if err := json.Unmarshal([]byte(answer), &request); err != nil {
		t.Fatal(err)
	}
	transport := c.Client.Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.Certificates = nil
	defer transport.CloseIdleConnections()
	nobody := &http.Client{Transport: transport}
	get := func(path, token string) (int, http.Header, map[string]any) {
		t.Helper()
		req, err := http.NewRequest("GET", c.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := nobody.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(data, &object); err != nil {
			t.Fatalf("%s: %s", path, data)
		}
		return resp.StatusCode, resp.Header, object
	}
	for path, contentType := range map[string]string{auth.IssuerConfigPath: "application/json", auth.IssuerKeysPath: "application/jwk-set+json"} {
		if code, _, status := get(path, ""); code != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d %v", path, code, status)
		}
		// The binding takes effect when the authorizer has seen it.
		code, header, object := get(path, request.Status.Token)
		for end := time.Now().Add(time.Minute); code == http.StatusForbidden && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			code, header, object = get(path, request.Status.Token)
		}
		if code != http.StatusOK || header.Get("Content-Type") != contentType || header.Get("Cache-Control") != "public, max-age=3600" {
			t.Errorf("%s: %d %v %v", path, code, header, object)
		}
		if path == auth.IssuerConfigPath && (object["issuer"] != "https://kubernetes.default.svc" || object["jwks_uri"] != c.URL+auth.IssuerKeysPath) {
			t.Errorf("%s: %v", path, object)
		}
	}
}

// A token that was asked for knows who it is.
func TestCreateToken(t *testing.T) {
	c := servertest.Start(t)
	const accounts = servertest.Namespaces + "/default/serviceaccounts"
	answer := c.Want(201, `"kind":"TokenRequest"`, "POST", accounts+"/default/token", `{"spec":{"expirationSeconds":600}}`)
	var request struct{ Status struct{ Token string } }
	if err := json.Unmarshal([]byte(answer), &request); err != nil {
		t.Fatal(err)
	}
	c.Want(201, `"username":"system:serviceaccount:default:default"`, "POST", "/apis/authentication.k8s.io/v1/tokenreviews",
		`{"spec":{"token":"`+request.Status.Token+`"}}`)
	c.Want(400, "does not match the name on the URL", "POST", accounts+"/default/token", `{"metadata":{"name":"other"}}`)
	c.Want(404, "", "POST", accounts+"/nobody/token", `{}`)
	c.Want(405, "", "GET", accounts+"/default/token", "")
	c.Want(200, `"name":"serviceaccounts/token"`, "GET", "/api/v1", "")
	c.Want(200, `/serviceaccounts/{name}/token":{"post":`, "GET", "/openapi/v3/api/v1", "")
}

// Every namespace has its default account. One that could not be made, since a quota forbids it, is
// made when it can be.
func TestDefaultAccount(t *testing.T) {
	c := servertest.Start(t)
	const room = servertest.Namespaces + "/room"
	c.Want(http.StatusCreated, "", "POST", servertest.Namespaces, `{"metadata":{"name":"room"}}`)
	c.Until(http.StatusOK, `"uid"`, room+"/serviceaccounts/default")
	c.Want(http.StatusOK, "", "DELETE", room+"/serviceaccounts/default", "")
	c.Until(http.StatusOK, `"uid"`, room+"/serviceaccounts/default")

	c.Want(http.StatusCreated, "", "POST", room+"/resourcequotas", `{"metadata":{"name":"full"},"spec":{"hard":{"count/serviceaccounts":"1"}}}`)
	c.Want(http.StatusOK, "", "PATCH", room+"/serviceaccounts/default", `{"metadata":{"finalizers":["example.com/later"]}}`)
	c.Want(http.StatusOK, "", "PATCH", room+"/resourcequotas/full", `{"spec":{"hard":{"count/serviceaccounts":"0"}}}`)
	c.Want(http.StatusOK, "", "DELETE", room+"/serviceaccounts/default", "")
	c.Want(http.StatusOK, "", "PATCH", room+"/serviceaccounts/default", `{"metadata":{"finalizers":null}}`)
	c.Want(http.StatusForbidden, "exceeded quota", "POST", room+"/serviceaccounts", `{"metadata":{"name":"other"}}`)
	time.Sleep(300 * time.Millisecond) // it has been tried
	c.Want(http.StatusNotFound, "", "GET", room+"/serviceaccounts/default", "")
	c.Want(http.StatusOK, "", "DELETE", room+"/resourcequotas/full", "")
	c.Until(http.StatusOK, `"uid"`, room+"/serviceaccounts/default")
}
