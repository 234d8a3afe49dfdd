package policy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/internal/recovery"
)

// eventually repeats a request until it is answered so.
func (c client) eventually(code int, says, method, path string) {
	c.t.Helper()
	var a answer
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if a = c.do(method, path, ""); a.code == code && strings.Contains(a.text, says) {
			return
		}
	}
	c.t.Fatalf("%s %s: still %d %s\nwant %d with %s", method, path, a.code, a.text, code, says)
}

// onLabel matches ConfigMaps with a label.
func onLabel(value string) string {
	return strings.Replace(onConfigMap, "{resourceRules", "{objectSelector: {matchLabels: {for: "+value+"}}, resourceRules", 1)
}

func labelled(name, value string) string {
	return fmt.Sprintf("{metadata: {name: %s, labels: {for: %s}}}", name, value)
}

// TestPanicsOfLoops: a server starts with objects in its database for which each of its loops
// panics. The other objects have their effect, and the failure policy decides what the absence of
// those means.
func TestPanicsOfLoops(t *testing.T) {
	dir := t.TempDir()
	here := func(o *typeplane.Options) { o.Store.DataDir = dir }
	const (
		hooks      = group + "/validatingwebhookconfigurations"
		rbac       = "/apis/rbac.authorization.k8s.io/v1"
		flows      = "/apis/flowcontrol.apiserver.k8s.io/v1"
		namespaces = "/api/v1/namespaces"
		quotas     = namespaces + "/default/resourcequotas"
	)
	t.Run("before", func(t *testing.T) {
		c := start(t, apitest.Embedded, here)
		for _, p := range []struct{ name, failure, label string }{{"hostile-fail", "Fail", "fail"}, {"hostile-ignore", "Ignore", "ignore"}, {"good", "Fail", "good"}} {
			c.want(201, "", "POST", policies, fmt.Sprintf(`{metadata: {name: %s}, spec: {failurePolicy: %s, %s, validations: [{expression: "false", message: refused by %s}]}}`, p.name, p.failure, onLabel(p.label), p.name))
			c.want(201, "", "POST", bindings, fmt.Sprintf(`{metadata: {name: %s}, spec: {policyName: %s, validationActions: [Deny]}}`, p.name, p.name))
		}
		c.want(201, "", "POST", group+"/mutatingadmissionpolicies", fmt.Sprintf(`{metadata: {name: hostile-mutating}, spec: {failurePolicy: Fail, reinvocationPolicy: Never, %s,
		mutations: [{patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/data', value: {'a': 'b'}}]"}}]}}`, onLabel("mutating")))
		c.want(201, "", "POST", group+"/mutatingadmissionpolicybindings", `{metadata: {name: hostile-mutating}, spec: {policyName: hostile-mutating}}`)
		for _, w := range []struct{ name, failure, label string }{{"hostile-fail", "Fail", "hook-fail"}, {"hostile-ignore", "Ignore", "hook-ignore"}} {
			c.want(201, "", "POST", hooks, fmt.Sprintf(`{metadata: {name: %s}, webhooks: [{name: a.example.com, failurePolicy: %s, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: "https://127.0.0.1:1/"},
			objectSelector: {matchLabels: {for: %s}}, rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]}]}`, w.name, w.failure, w.label))
		}
		for role, user := range map[string]string{"hostile": "bob", "reader": "jane"} {
			c.want(201, "", "POST", rbac+"/clusterroles", fmt.Sprintf(`{metadata: {name: %s}, rules: [{verbs: [get, list], apiGroups: [""], resources: [configmaps]}]}`, role))
			c.want(201, "", "POST", rbac+"/clusterrolebindings", fmt.Sprintf(`{metadata: {name: %s}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %s}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %s}]}`, role, role, user))
		}
		c.want(201, "", "POST", flows+"/prioritylevelconfigurations", `{metadata: {name: hostile}, spec: {type: Limited, limited: {nominalConcurrencyShares: 5, limitResponse: {type: Queue, queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}}}}}`)
		c.want(201, "", "POST", flows+"/flowschemas", `{metadata: {name: hostile}, spec: {matchingPrecedence: 500, priorityLevelConfiguration: {name: hostile}, rules: [{subjects: [{kind: Group, group: {name: "system:authenticated"}}], resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"]}]}]}}`)
		for _, name := range []string{"hostile", "good"} {
			c.want(201, "", "POST", quotas, fmt.Sprintf(`{metadata: {name: %s}, spec: {hard: {count/secrets: "100"}}}`, name))
			c.want(201, "", "POST", namespaces, fmt.Sprintf(`{metadata: {name: ns-%s}}`, name))
			c.want(201, "", "POST", namespaces+"/ns-"+name+"/configmaps", `{metadata: {name: held, finalizers: [example.com/hold]}}`)
			c.want(200, "", "DELETE", namespaces+"/ns-"+name, "")
		}
	})

	fault := func(_, object string) {
		if strings.Contains(object, "hostile") {
			panic("the object is hostile")
		}
	}
	recovery.Fault.Store(&fault)
	defer recovery.Fault.Store(nil)
	for _, again := range []string{"first", "second"} { // restarts
		t.Run(again, func(t *testing.T) {
			c := start(t, apitest.Embedded, here)
			c.ready()
			c.until(422, "refused by good", configMaps, labelled("a", "good"))
			c.until(422, "the server panicked: the object is hostile", configMaps, labelled("a", "fail"))
			c.want(500, "the server panicked: the object is hostile", "POST", configMaps+"?dryRun=All", labelled("a", "hook-fail"))
			c.want(403, "the server panicked: the object is hostile", "POST", configMaps+"?dryRun=All", labelled("a", "mutating"))
			for _, label := range []string{"ignore", "hook-ignore", "other"} {
				c.want(201, "", "POST", configMaps+"?dryRun=All", labelled("a", label))
			}
			c.as("jane").eventually(200, "", "GET", configMaps)
			c.as("bob").want(403, "", "GET", configMaps, "")
			c.want(201, "", "POST", namespaces+"/default/secrets", "{metadata: {name: s-"+again+"}}")
			c.want(201, "", "POST", namespaces, "{metadata: {name: new-"+again+"}}")
			c.eventually(200, "", "GET", namespaces+"/new-"+again+"/serviceaccounts/default")
			c.want(201, "", "POST", namespaces, "{metadata: {name: hostile-"+again+"}}")
			c.want(201, "", "POST", configMaps, "{metadata: {name: child-"+again+", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: 5b6f6a3e-0000-0000-0000-000000000000}]}}")
			c.eventually(404, "", "GET", configMaps+"/child-"+again)
			c.want(201, "", "POST", configMaps, "{metadata: {name: hostile-"+again+", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: 5b6f6a3e-0000-0000-0000-000000000000}]}}")
			for _, loop := range []string{"policies", "webhooks", "rbac", "flowcontrol", "resourcequotas", "namespaces", "serviceaccounts", "garbage"} {
				c.eventually(200, `typeplane_loop_panics_total{loop="`+loop+`"}`, "GET", "/metrics")
			}
			if again == "second" {
				c.want(200, "", http.MethodPatch, namespaces+"/ns-good/configmaps/held", "{metadata: {finalizers: null}}")
				c.eventually(404, "", "GET", namespaces+"/ns-good")
				c.want(200, "Terminating", "GET", namespaces+"/ns-hostile", "")
			}
		})
	}
}
