package policy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/policy"
)

const (
	group       = "/apis/admissionregistration.k8s.io/v1"
	policies    = group + "/validatingadmissionpolicies"
	bindings    = group + "/validatingadmissionpolicybindings"
	configMaps  = "/api/v1/namespaces/default/configmaps"
	onConfigMap = `matchConstraints: {resourceRules: [{operations: [CREATE, UPDATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]}`
)

// client talks to a server as its administrator, or as somebody else.
type client struct {
	t *testing.T
	*apitest.Server
	user string
}

// as returns the same client in the name of a user.
func (c client) as(user string) client {
	c.user = user
	return c
}

func start(t *testing.T, options ...apitest.Option) client {
	t.Helper()
	server := apitest.Start(t, typeplane.Server{Name: "plane", APIs: features.With(policy.Extras())}, options...)
	return client{t: t, Server: server}
}

// answer is what a request is answered.
type answer struct {
	code     int
	text     string
	warnings []string
}

// do sends a request, whose body is YAML.
func (c client) do(method, path, body string) answer {
	c.t.Helper()
	data, err := yaml.YAMLToJSON([]byte(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req, err := http.NewRequest(method, c.URL+path, strings.NewReader(string(data)))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.user != "" {
		req.Header.Set("Impersonate-User", c.user)
	}
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := c.Client.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer{resp.StatusCode, string(text), resp.Header.Values("Warning")}
}

// want is do for a request whose answer is known: its code, and something that it says.
func (c client) want(code int, says, method, path, body string) answer {
	c.t.Helper()
	a := c.do(method, path, body)
	if a.code != code || !strings.Contains(a.text, says) {
		c.t.Fatalf("%s %s: %d %s\nwant %d with %s", method, path, a.code, a.text, code, says)
	}
	return a
}

// until repeats a request, of which nothing is stored, until it is answered so: the server has to
// see a policy first.
func (c client) until(code int, says, path, body string) answer {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		a := c.do("POST", path+"?dryRun=All", body)
		if a.code == code && strings.Contains(a.text, says) {
			return a
		}
		if time.Now().After(end) {
			c.t.Fatalf("POST %s: still %d %s\nwant %d with %s", path, a.code, a.text, code, says)
		}
	}
}

// ready waits until the server is ready, and returns what it says of that.
func (c client) ready() string {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		a := c.do("GET", "/readyz?verbose=1", "")
		if a.code == 200 {
			return a.text
		}
		if time.Now().After(end) {
			c.t.Fatalf("it is not ready: %s", a.text)
		}
	}
}

// made is an object of a name.
func made(name, more string) string { return "{metadata: {name: " + name + "}" + more + "}" }

// TestPolicy: a policy holds when it is bound, until it is not.
func TestPolicy(t *testing.T) {
	c := start(t)
	if text := c.ready(); !strings.Contains(text, "validating-admission-policies ok") {
		t.Errorf("nobody waits for the policies: %s", text)
	}
	c.want(201, `"failurePolicy":"Fail"`, "POST", policies, made("p", `, spec: {`+onConfigMap+`, variables: [{name: count, expression: "size(object.data)"}, {name: twice, expression: "variables.count * 2"}],
		validations: [{expression: "variables.twice <= 2", messageExpression: "'there are ' + string(variables.count)", reason: Forbidden}]}`))
	two := made("c", ", data: {a: '1', b: '2'}")
	c.want(201, "", "POST", configMaps+"?dryRun=All", two) // not bound
	c.want(201, "", "POST", bindings, made("b", ", spec: {policyName: p, validationActions: [Deny]}"))
	c.until(403, `"message":"configmaps \"c\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: there are 2"`, configMaps, two)
	c.want(201, "", "POST", configMaps, made("c", ", data: {a: '1'}"))
	c.want(403, `"reason":"Forbidden"`, "PATCH", configMaps+"/c", "{data: {b: '2'}}")
	// Without data the expression fails, and so does the request; no reason is Invalid.
	c.want(422, "denied request: variable count: expression 'size(object.data)' resulted in error: no such key: data", "POST", configMaps, made("d", ""))
	c.want(200, "", "DELETE", configMaps+"/c", "")

	c.want(200, "", "PATCH", policies+"/p", "{spec: {failurePolicy: Ignore}}")
	c.until(201, "", configMaps, made("d", ""))
	c.want(403, "there are 2", "POST", configMaps, two)
	// A policy has no say about policies.
	c.want(200, "", "PATCH", policies+"/p", "{spec: {matchConstraints: {resourceRules: [{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*']}]}, validations: [{expression: 'false', message: never}]}}")
	c.until(422, `denied request: never`, "/api/v1/namespaces/default/secrets", made("s", ""))
	c.want(200, "", "PATCH", bindings+"/b", "{metadata: {labels: {a: b}}}")
	c.want(200, "", "DELETE", bindings+"/b", "")
	c.until(201, "", configMaps, two)
	c.want(200, `"observedGeneration":7`, "PATCH", policies+"/p/status", "{status: {observedGeneration: 7}}")
	c.want(200, "", "DELETE", policies+"/p", "")
}

// TestAuthorizer: expressions, and conditions of webhooks, ask the authorizer of the server.
func TestAuthorizer(t *testing.T) {
	c := start(t)
	c.want(201, "", "POST", policies, made("p", `, spec: {`+onConfigMap+`, validations: [
		{expression: "authorizer.requestResource.check('create').allowed()", message: "the administrator may"},
		{expression: "authorizer.serviceAccount('default', object.data.account).group('').resource('configmaps').namespace('default').check('get').allowed()", messageExpression: "object.data.account + ' may not'"}]}`))
	c.want(201, "", "POST", bindings, made("b", ", spec: {policyName: p, validationActions: [Deny]}"))
	reader := made("c", ", data: {account: reader}")
	c.until(422, "denied request: reader may not", configMaps, reader)
	const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/"
	c.want(201, "", "POST", rbac+"roles", made("reader", `, rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]`))
	c.want(201, "", "POST", rbac+"rolebindings", made("reader", ", roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}, subjects: [{kind: ServiceAccount, name: reader, namespace: default}]"))
	c.until(201, "", configMaps, reader)
}

// TestTokens: a request for a token is judged with what it will be answered with; reviews never
// are.
func TestTokens(t *testing.T) {
	c := start(t)
	c.want(201, "", "POST", policies, made("p", `, spec: {matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: ['*'], apiVersions: ['*'], resources: [serviceaccounts/token, selfsubjectreviews]}]},
		validations: [{expression: "has(object.spec.audiences) && object.spec.expirationSeconds <= 3600 && object.metadata.name == request.name", message: "an hour at most"}]}`))
	c.want(201, "", "POST", bindings, made("b", ", spec: {policyName: p, validationActions: [Deny]}"))
	const accounts = "/api/v1/namespaces/default/serviceaccounts"
	c.want(201, "", "POST", accounts, made("robot", ""))
	c.until(422, "an hour at most", accounts+"/robot/token", "{spec: {expirationSeconds: 3601}}")
	c.want(201, `"token":`, "POST", accounts+"/robot/token", "{}")
	c.want(201, `"username":`, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}")
}

// TestActions: a binding says what happens to a write that is not as it should be.
func TestActions(t *testing.T) {
	c := start(t)
	c.want(201, "", "POST", policies, made("p", `, spec: {`+onConfigMap+`, validations: [{expression: "object.metadata.name != 'bad'"}]}`))
	c.want(201, "", "POST", bindings, made("b", ", spec: {policyName: p, validationActions: [Warn, Audit]}"))
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		a := c.want(201, "", "POST", configMaps+"?dryRun=All", made("bad", ""))
		if len(a.warnings) == 1 {
			if want := "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: object.metadata.name != 'bad'"; !strings.Contains(a.warnings[0], want) {
				t.Errorf("%q, want %s", a.warnings, want)
			}
			break
		}
		if time.Now().After(end) {
			t.Fatal("nobody warns")
		}
	}
	if a := c.want(201, "", "POST", configMaps+"?dryRun=All", made("good", "")); len(a.warnings) > 0 {
		t.Errorf("%q", a.warnings)
	}
}

// TestParams: what is judged by is read at the moment of the request.
func TestParams(t *testing.T) {
	c := start(t)
	c.want(201, "", "POST", policies, made("p", `, spec: {paramKind: {apiVersion: v1, kind: ConfigMap}, matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: ["", storage.k8s.io], apiVersions: [v1], resources: [secrets, storageclasses]}]},
		validations: [{expression: "params == null || object.metadata.name.startsWith(params.data.prefix)", messageExpression: "'want ' + params.data.prefix"}]}`))
	bind := func(name, ref string) {
		t.Helper()
		c.want(201, "", "POST", bindings, made(name, ", spec: {policyName: p, validationActions: [Deny], paramRef: {"+ref+"}}"))
	}
	const secrets, classes = "/api/v1/namespaces/default/secrets", "/apis/storage.k8s.io/v1/storageclasses"
	bind("b", "name: limits, parameterNotFoundAction: Deny")
	c.until(422, "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction", secrets, made("a", ""))
	c.want(201, "", "POST", configMaps, made("limits", ", data: {prefix: x-}"))
	c.until(422, "with binding 'b' denied request: want x-", secrets, made("a", ""))
	c.until(201, "", secrets, made("x-a", ""))
	c.until(422, "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources", classes, made("room", ", provisioner: example.com/x"))

	// If several are selected, each counts.
	c.want(200, "", "DELETE", bindings+"/b", "")
	bind("s", "selector: {matchLabels: {limits: 'yes'}}, namespace: default, parameterNotFoundAction: Allow")
	c.until(201, "", secrets, made("a", ""))
	for _, prefix := range []string{"q", "q-z"} {
		c.want(201, "", "POST", configMaps, fmt.Sprintf("{metadata: {name: l%s, labels: {limits: 'yes'}}, data: {prefix: %s}}", prefix, prefix))
	}
	c.until(422, "want q-z", secrets, made("q-a", ""))
	c.until(201, "", secrets, made("q-z", ""))
	c.until(422, "want q", classes, made("room", ", provisioner: example.com/x"))
	c.want(200, "", "PATCH", policies+"/p", "{spec: {paramKind: {apiVersion: example.com/v1, kind: Missing}}}")
	c.until(422, "paramKind Missing of example.com/v1 is not served", secrets, made("q-z", ""))
}

// TestGuard: who writes a policy or a binding must be allowed to read the parameters, which the
// policy reads with the rights of the server.
func TestGuard(t *testing.T) {
	c := start(t)
	c.ready()
	c.want(201, "", "POST", "/api/v1/namespaces/default/serviceaccounts", made("author", ""))
	c.want(201, "", "POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", made("author", `, rules: [
		{apiGroups: [admissionregistration.k8s.io], resources: ['*'], verbs: ['*']}, {apiGroups: [""], resources: [configmaps], verbs: [get, list]},
		{apiGroups: [""], resources: [secrets], resourceNames: [s], verbs: [get]}]`))
	c.want(201, "", "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", made("author", `, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: author}, subjects: [{kind: ServiceAccount, namespace: default, name: author}]`))
	user := "system:serviceaccount:default:author"
	author := c.as(user)
	// The authorizer hears of the role and of its binding a moment later.
	author.until(201, "", policies, made("free", ", spec: {"+onConfigMap+", validations: [{expression: 'true'}]}"))
	for _, kind := range []string{"mutating", "validating"} {
		policies, bindings := group+"/"+kind+"admissionpolicies", group+"/"+kind+"admissionpolicybindings"
		about := onConfigMap + ", validations: [{expression: 'true'}]"
		actions := ", validationActions: [Deny]"
		if kind == "mutating" {
			about, actions = onConfigMap+", reinvocationPolicy: Never, mutations: ["+apply("Object{}")+"]", ""
		}
		params := func(kind string) string { return ", paramKind: {apiVersion: v1, kind: " + kind + "}" }
		ref := func(name, policy, ref string) string {
			return made(name, ", spec: {policyName: "+policy+actions+", paramRef: {"+ref+", parameterNotFoundAction: Deny}}")
		}
		author.want(422, `spec.paramKind: Forbidden: user \"`+user+`\" must be allowed to get the parameters, which are secrets`, "POST", policies, made("s", ", spec: {"+about+params("Secret")+"}"))
		author.want(422, "spec.paramKind: Forbidden", "POST", policies, made("x", ", spec: {"+about+params("Nothing")+"}"))
		author.want(201, "", "POST", policies, made("m", ", spec: {"+about+params("ConfigMap")+"}"))
		author.want(422, "spec.paramKind: Forbidden", "PATCH", policies+"/m", "{spec: {paramKind: {kind: Secret}}}")
		c.want(201, "", "POST", policies, made("s", ", spec: {"+about+params("Secret")+"}"))
		author.want(200, "", "PATCH", policies+"/s", "{spec: {failurePolicy: Ignore}}") // it says nothing new
		author.want(201, "", "POST", bindings, ref("m", "m", "name: any, namespace: default"))
		author.want(201, "", "POST", bindings, ref("s", "s", "name: s, namespace: default"))
		author.want(422, `spec.paramRef: Forbidden: user \"`+user+`\" must be allowed to get the parameters, which are secrets`, "POST", bindings, ref("t", "s", "name: t, namespace: default"))
		author.want(422, "must be allowed to list the parameters, which are secrets", "POST", bindings, ref("l", "s", "selector: {}"))
		author.want(422, "which are *.*", "POST", bindings, ref("o", "none", "name: any"))
		author.want(422, "spec.paramRef: Forbidden", "PATCH", bindings+"/m", "{spec: {policyName: s}}")
		author.want(200, "", "DELETE", bindings+"/s", "")
	}
}

// TestMatchConditions: webhooks have the same language.
func TestMatchConditions(t *testing.T) {
	c := start(t)
	configuration := func(expression string) string {
		return made("c", fmt.Sprintf(`, webhooks: [{name: x.example.com, sideEffects: None, admissionReviewVersions: [v1], rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}],
			clientConfig: {url: "https://127.0.0.1:1/"}, matchConditions: [{name: m, expression: %q}]}]`, expression))
	}
	const webhooks = group + "/validatingwebhookconfigurations"
	c.want(422, `webhooks[0].matchConditions[0].expression: Invalid value: \"object.\": compilation failed: ERROR`, "POST", webhooks, configuration("object."))
	c.want(201, "", "POST", webhooks, configuration("object.metadata.name == 'asked' && request.userInfo.username != ''"))
	c.until(500, `failed calling webhook`, configMaps, made("asked", ""))
	c.until(201, "", configMaps, made("other", ""))
}

// TestPlugin: it can be disabled by its name where it is linked, and stands between the webhooks.
func TestPlugin(t *testing.T) {
	var names []string
	for _, a := range features.With(policy.Extras()) {
		for _, p := range a.Admission {
			names = append(names, p.Name)
		}
	}
	if got := strings.Join(names, " "); !strings.Contains(got, "MutatingAdmissionPolicy MutatingAdmissionWebhook ValidatingAdmissionPolicy ValidatingAdmissionWebhook") {
		t.Errorf("the order is %s", got)
	}
	for _, a := range features.All() {
		for _, p := range a.Admission {
			if p.Name == policy.ValidatingName || p.Name == policy.MutatingName {
				t.Error("the plug-in is there without the module")
			}
		}
		for _, r := range a.Resources {
			if strings.Contains(r.GroupResource().Resource, "admissionpolic") {
				t.Errorf("%s can be written where nobody enforces them", r.GroupResource())
			}
		}
	}
	c := start(t, func(o *typeplane.Options) { o.Admission.Disable = []string{policy.ValidatingName} })
	if text := c.ready(); strings.Contains(text, "validating-admission-policies") {
		t.Errorf("a plug-in that is off is waited for: %s", text)
	}
}
