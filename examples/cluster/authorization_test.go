package main

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
)

var updateTable = flag.Bool("update-authorization", false, "write testdata/authorization.txt anew")

// identities are who asks, with their tokens; the first one has none.
var identities = []struct{ name, token string }{
	{"anonymous", ""}, {"authenticated", "t-authenticated"}, {"viewer", "t-viewer"}, {"editor", "t-editor"}, {"admin", "t-admin"}, {"masters", "t-masters"},
}

const tokenFile = `t-authenticated,nobody,1
t-viewer,viewer,2
t-editor,editor,3
t-admin,owner,4
t-masters,root,5,"system:masters"
t-wrong-group,mallory,6,"masters"
`

// secure runs a server in memory whose viewer, editor and admin have their roles in the namespace
// ns.
func secure(t *testing.T, anonymous bool) *running {
	t.Helper()
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens.csv")
	if err := os.WriteFile(tokens, []byte(tokenFile), 0o600); err != nil {
		t.Fatal(err)
	}
	r := run(t, dir, func(o *typeplane.Options) {
		o.Store.InMemory = true
		o.Authentication.TokenFile, o.Authentication.Anonymous = tokens, anonymous
	})
	r.awaitReady()
	r.must("POST", "/api/v1/namespaces", asJSON, []byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n"))
	for user, role := range map[string]string{"viewer": "view", "editor": "edit", "owner": "admin"} {
		r.must("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/ns/rolebindings", asJSON, []byte(binding("RoleBinding", user, "ClusterRole", role)))
	}
	for _, user := range []string{"viewer", "editor", "owner"} {
		await(t, func() bool {
			return r.as("Bearer t-"+strings.Replace(user, "owner", "admin", 1), "GET", "/api/v1/namespaces/ns/configmaps", "") == http.StatusOK
		})
	}
	return r
}

func binding(kind, user, roleKind, role string) string {
	return fmt.Sprintf("apiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata: {name: %s-%s}\nsubjects: [{kind: User, name: %s}]\nroleRef: {kind: %s, name: %s}\n", kind, user, role, user, roleKind, role)
}

// awaitReady waits until the server says so, and the roles that it begins with are there.
func (r *running) awaitReady() {
	r.t.Helper()
	await(r.t, func() bool {
		ready, _ := r.do("GET", "/readyz", asJSON, nil)
		made, _ := r.do("GET", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:public-info-viewer", asJSON, nil)
		return ready == http.StatusOK && made == http.StatusOK && r.as("Bearer t-authenticated", "GET", "/apis", "") != http.StatusForbidden
	})
}

func await(t *testing.T, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it has not come true")
		}
	}
}

// as sends a request with a credential of its own and returns the code of the answer. No client
// certificate is shown.
func (r *running) as(authorization, method, path, body string) int {
	r.t.Helper()
	code, _ := r.answerAs(authorization, method, path, body, nil)
	return code
}

func (r *running) answerAs(authorization, method, path, body string, header map[string]string) (int, []byte) {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		r.t.Fatal(err)
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	req.Header.Set("Content-Type", "application/yaml")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	for key, value := range header {
		req.Header.Set(key, value)
	}
	resp, err := r.bare().Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	if strings.Contains(path, "watch=1") {
		return resp.StatusCode, nil // it has no end
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// bare is the client without its certificate.
func (r *running) bare() *http.Client {
	if r.noCert == nil {
		config := r.http.Transport.(*http.Transport).TLSClientConfig
		r.noCert = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: config.RootCAs}, ForceAttemptHTTP2: true}}
		r.t.Cleanup(r.noCert.CloseIdleConnections)
	}
	return r.noCert
}

// route is one line of the table: a verb on a path.
type route struct{ verb, method, path, body string }

// routes are every verb of every resource that discovery shows, in a namespace and over all, and
// the other paths.
func (r *running) routes() []route {
	var out []route
	for _, path := range []string{"/", "/api", "/api/v1", "/apis", "/healthz", "/livez", "/livez/ping", "/openapi/v2", "/openapi/v3", "/readyz", "/readyz/ping", "/version", "/metrics", "/nothing"} {
		out = append(out, route{"get", "GET", path, ""})
	}
	out = append(out, route{"post", "POST", "/apis", ""})
	groups := object[metav1.APIGroupList](r.t, r.must("GET", "/apis", asJSON, nil))
	versions := []string{"/api/v1"}
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			versions = append(versions, "/apis/"+v.GroupVersion)
		}
	}
	slices.Sort(versions)
	for _, v := range versions {
		list := object[metav1.APIResourceList](r.t, r.must("GET", v, asJSON, nil))
		for _, res := range list.APIResources {
			out = append(out, routesOf(v, res)...)
		}
	}
	return out
}

func routesOf(version string, res metav1.APIResource) []route {
	name, sub, _ := strings.Cut(res.Name, "/")
	collection := version + "/" + name
	places := []string{collection}
	if res.Namespaced {
		places = []string{version + "/namespaces/ns/" + name, version + "/namespaces/other/" + name}
	}
	var out []route
	for _, place := range places {
		item := place + "/missing"
		if sub != "" {
			item += "/" + sub
		}
		for _, verb := range res.Verbs {
			// What no authorizer would let through is never reached; what it does fails for another
			// reason, and changes nothing.
			switch verb {
			case "get":
				out = append(out, route{verb, "GET", item, ""})
			case "list":
				out = append(out, route{verb, "GET", place, ""})
			case "watch":
				out = append(out, route{verb, "GET", place + "?watch=1&timeoutSeconds=1", ""})
			case "create":
				if sub != "" {
					out = append(out, route{verb, "POST", item, "{}"})
					continue
				}
				out = append(out, route{verb, "POST", place, "{}"})
			case "update":
				out = append(out, route{verb, "PUT", item, "{}"})
			case "patch":
				out = append(out, route{verb, "PATCH", item, "[]"})
			case "delete":
				out = append(out, route{verb, "DELETE", item, ""})
			case "deletecollection":
				out = append(out, route{verb, "DELETE", place + "?labelSelector=no=such&dryRun=All", ""})
			}
		}
	}
	return out
}

// TestAuthorizationTable asks for everything as everybody: a number is the code of a refusal, "yes"
// any other answer.
func TestAuthorizationTable(t *testing.T) {
	r := secure(t, true)
	lines := map[string][]string{}
	for _, route := range r.routes() {
		line := fmt.Sprintf("%-16s %s", route.verb, route.path)
		for _, who := range identities {
			authorization := ""
			if who.token != "" {
				authorization = "Bearer " + who.token
			}
			answer := "yes"
			if code := r.as(authorization, route.method, route.path, route.body); code == http.StatusUnauthorized || code == http.StatusForbidden || code == http.StatusTooManyRequests || code >= 500 {
				answer = fmt.Sprint(code)
			}
			lines[line] = append(lines[line], fmt.Sprintf("%-13s", answer))
		}
	}
	var b strings.Builder
	for _, who := range identities {
		fmt.Fprintf(&b, "%-13s ", who.name)
	}
	b.WriteString("\n")
	for _, line := range slices.SortedFunc(maps.Keys(lines), func(x, y string) int {
		return strings.Compare(x[17:]+x[:17], y[17:]+y[:17])
	}) {
		fmt.Fprintf(&b, "%s %s\n", strings.Join(lines[line], " "), line)
	}
	golden := filepath.Join("testdata", "authorization.txt")
	if *updateTable {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("who may do what has changed; if it should, run with -update-authorization and read the diff (-want +got)\n%s", diff)
	}
}

// TestWithoutCredential: closed except for four paths, which tell nothing.
func TestWithoutCredential(t *testing.T) {
	r := secure(t, false)
	for _, route := range r.routes() {
		code := r.as("", route.method, route.path, route.body)
		open := slices.Contains([]string{"/healthz", "/livez", "/readyz", "/version"}, route.path)
		if open != (code == http.StatusOK) || !open && code != http.StatusUnauthorized {
			t.Errorf("%s %s: %d", route.method, route.path, code)
		}
	}
	for _, wrong := range []string{"Bearer x", "Bearer t-viewer2", "Bearer eyJhbGciOiJub25lIn0.e30."} {
		if code := r.as(wrong, "GET", "/apis", ""); code != http.StatusUnauthorized {
			t.Errorf("%s: %d", wrong, code)
		}
	}
}

// TestEscalation: nobody gives away more than they have.
func TestEscalation(t *testing.T) {
	r := secure(t, false)
	const rbac = "/apis/rbac.authorization.k8s.io/v1"
	role := func(name, rules string) string {
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: " + name + "}\nrules: [" + rules + "]\n"
	}
	pods, nodes := `{verbs: [get], apiGroups: [""], resources: [pods]}`, `{verbs: [get], apiGroups: [""], resources: [nodes]}`
	want := func(what string, want int, token, method, path, body, message string) {
		t.Helper()
		code, answer := r.answerAs("Bearer "+token, method, path, body, nil)
		if code != want || !strings.Contains(string(answer), message) {
			t.Errorf("%s: %d %s", what, code, answer)
		}
	}
	want("a role within one's own", 201, "t-admin", "POST", rbac+"/namespaces/ns/roles", role("pods", pods), "")
	want("a role beyond", 403, "t-admin", "POST", rbac+"/namespaces/ns/roles", role("nodes", nodes), `attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"\"], Resources:[\"nodes\"], Verbs:[\"get\"]}`)
	want("a role that a patch widens", 403, "t-admin", "PATCH", rbac+"/namespaces/ns/roles/pods", `{"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]}`, "not currently held")
	want("a label on it", 200, "t-admin", "PATCH", rbac+"/namespaces/ns/roles/pods", `{"metadata":{"labels":{"a":"b"}}}`, "")
	want("binding a role within one's own", 201, "t-admin", "POST", rbac+"/namespaces/ns/rolebindings", binding("RoleBinding", "jane", "ClusterRole", "edit"), "")
	want("binding one beyond", 403, "t-admin", "POST", rbac+"/namespaces/ns/rolebindings", binding("RoleBinding", "jane", "ClusterRole", "cluster-admin"), "not currently held")
	want("binding one that is not there", 404, "t-admin", "POST", rbac+"/namespaces/ns/rolebindings", binding("RoleBinding", "jane", "Role", "gone"), "not found")
	want("in another namespace", 403, "t-admin", "POST", rbac+"/namespaces/default/rolebindings", binding("RoleBinding", "jane", "ClusterRole", "edit"), "cannot create resource")
	want("another role in a binding", 422, "t-masters", "PATCH", rbac+"/namespaces/ns/rolebindings/viewer-view", `{"roleRef":{"name":"edit"}}`, "cannot change roleRef")
	want("an editor makes no roles", 403, "t-editor", "POST", rbac+"/namespaces/ns/roles", role("x", pods), "cannot create resource")

	// With the verbs bind and escalate it is allowed.
	r.must("POST", rbac+"/clusterroles", asJSON, []byte("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: trusted}\nrules: [{verbs: [bind, escalate], apiGroups: [rbac.authorization.k8s.io], resources: [roles, clusterroles]}]\n"))
	r.must("POST", rbac+"/namespaces/ns/rolebindings", asJSON, []byte(binding("RoleBinding", "owner", "ClusterRole", "trusted")))
	await(t, func() bool {
		return r.as("Bearer t-admin", "POST", rbac+"/namespaces/ns/roles", role("nodes", nodes)) == 201
	})
	want("with bind", 201, "t-admin", "POST", rbac+"/namespaces/ns/rolebindings", binding("RoleBinding", "jane", "ClusterRole", "cluster-admin"), "")
}

// TestReviews: what the reviews answer, and whom they take the user for.
func TestReviews(t *testing.T) {
	r := secure(t, false)
	review := func(token, group, kind, spec string, header map[string]string) map[string]any {
		t.Helper()
		plural := strings.ToLower(kind) + "s"
		code, answer := r.answerAs("Bearer "+token, "POST", "/apis/"+group+"/v1/"+plural, "apiVersion: "+group+"/v1\nkind: "+kind+"\n"+spec, header)
		var out struct {
			Status map[string]any `json:"status"`
		}
		if err := json.Unmarshal(answer, &out); err != nil || code != http.StatusCreated {
			t.Fatalf("%s: %d %s", kind, code, answer)
		}
		return out.Status
	}
	const authorization, authentication = "authorization.k8s.io", "authentication.k8s.io"
	self := func(token, verb, namespace string) any {
		t.Helper()
		return review(token, authorization, "SelfSubjectAccessReview", "spec: {resourceAttributes: {verb: "+verb+", resource: pods, namespace: "+namespace+"}}", nil)["allowed"]
	}
	for _, tc := range []struct {
		token, verb, namespace string
		want                   bool
	}{{"t-viewer", "get", "ns", true}, {"t-viewer", "delete", "ns", false}, {"t-viewer", "get", "default", false}, {"t-editor", "delete", "ns", true}, {"t-masters", "delete", "default", true}} {
		if got := self(tc.token, tc.verb, tc.namespace); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	if got := review("t-masters", authorization, "SubjectAccessReview", "spec: {user: editor, resourceAttributes: {verb: update, resource: pods, namespace: ns}}", nil); got["allowed"] != true || got["reason"] != `RBAC: allowed by RoleBinding "editor-edit/ns" of ClusterRole "edit" to User "editor"` {
		t.Errorf("subject: %v", got)
	}
	user := func(status map[string]any, field string) any {
		info, _ := status[field].(map[string]any)
		return info["username"]
	}
	if got := review("t-viewer", authentication, "SelfSubjectReview", "", nil); user(got, "userInfo") != "viewer" {
		t.Errorf("who asks: %v", got)
	}
	if got := review("t-masters", authentication, "SelfSubjectReview", "", map[string]string{"Impersonate-User": "jane"}); user(got, "userInfo") != "jane" {
		t.Errorf("who is acted as: %v", got)
	}
	if code := r.as("Bearer t-viewer", "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", "{}"); code != http.StatusForbidden {
		t.Errorf("a viewer asks about others: %d", code)
	}
	if code, _ := r.answerAs("Bearer t-viewer", "GET", "/apis", "", map[string]string{"Impersonate-User": "root"}); code != http.StatusForbidden {
		t.Errorf("a viewer acts as root: %d", code)
	}
	if got := review("t-masters", authentication, "TokenReview", "spec: {token: t-editor}", nil); got["authenticated"] != true || user(got, "user") != "editor" {
		t.Errorf("a token: %v", got)
	}
	if got := review("t-masters", authentication, "TokenReview", "spec: {token: x}", nil); got["authenticated"] == true {
		t.Errorf("a wrong token: %v", got)
	}
	rules := review("t-viewer", authorization, "SelfSubjectRulesReview", "spec: {namespace: ns}", nil)
	if list, _ := rules["resourceRules"].([]any); len(list) < 3 || rules["incomplete"] != false {
		t.Errorf("rules: %v", rules)
	}
}
