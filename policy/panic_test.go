package policy_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/storage/embedded"
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
		requests   = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
		records    = "/apis/auth.typeplane.io/v1alpha1/credentials"
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
			c.want(201, "", "POST", records, fmt.Sprintf(`{metadata: {name: %s}, spec: {id: "X509SHA256=%[1]s", username: jane, notAfter: "2020-01-01T00:00:00Z"}}`, name))
		}
		c.want(201, "", "POST", flows+"/prioritylevelconfigurations", `{metadata: {name: raw}, spec: {type: Limited, limited: {nominalConcurrencyShares: 5, limitResponse: {type: Queue, queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}}}}}`)
		c.want(201, "", "POST", flows+"/flowschemas", `{metadata: {name: raw}, spec: {matchingPrecedence: 400, priorityLevelConfiguration: {name: raw}, rules: [{subjects: [{kind: Group, group: {name: "system:authenticated"}}], resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"]}]}]}}`)
	})
	storeHostileLevel(t, dir, "/prioritylevelconfigurations/raw")

	fault := func(loop, object string) {
		switch {
		case loop == "stored values": // the other loops would not see the object
		case strings.Contains(object, "hostile"):
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
			for _, name := range []string{"hostile", "good"} {
				csr := requests + "/" + name + "-" + again
				c.want(201, "", "POST", requests, fmt.Sprintf(`{metadata: {name: %s-%s}, spec: {signerName: kubernetes.io/kube-apiserver-client, usages: [client auth], request: %s}}`, name, again, certificateRequest(t)))
				c.want(200, "", http.MethodPatch, csr+"/approval", `{status: {conditions: [{type: Approved, status: "True", reason: Test, message: approved}]}}`)
			}
			c.eventually(200, `"certificate":`, "GET", requests+"/good-"+again)
			c.eventually(404, "", "GET", records+"/good")
			c.want(200, "", "GET", records+"/hostile", "")
			c.eventually(200, "can't be compiled: the server panicked: the object is hostile", "GET", policies+"/hostile-fail")
			c.eventually(200, "not valid and has no effect: the server panicked: the object is hostile", "GET", flows+"/flowschemas/hostile")
			c.eventually(200, "spec.limited.limitResponse.queuing.queues: Invalid value: -1", "GET", flows+"/prioritylevelconfigurations/raw")
			for _, loop := range []string{"policies", "webhooks", "rbac", "flowcontrol", "resourcequotas", "namespaces", "serviceaccounts", "garbage", "certificatesigningrequests", "credentials"} {
				c.eventually(200, `typeplane_loop_panics_total{loop="`+loop+`"}`, "GET", "/metrics")
			}
			if again == "second" {
				c.want(200, "", http.MethodPatch, namespaces+"/ns-good/configmaps/held", "{metadata: {finalizers: null}}")
				c.eventually(404, "", "GET", namespaces+"/ns-good")
				c.want(200, "Terminating", "GET", namespaces+"/ns-hostile", "")
				if a := c.do("GET", requests+"/hostile-first", ""); a.code != 200 || strings.Contains(a.text, `"certificate":`) {
					t.Errorf("%d %s", a.code, a.text)
				}
			}
		})
	}

	recovery.Fault.Store(nil)
	t.Run("after", func(t *testing.T) {
		c := start(t, apitest.Embedded, here)
		c.eventually(200, `"certificate":`, "GET", requests+"/hostile-first")
		c.until(422, "refused by hostile-fail", configMaps, labelled("a", "fail"))
		c.want(200, "", http.MethodPatch, policies+"/hostile-fail", `{spec: {validations: [{expression: "false", message: corrected}]}}`)
		c.eventually(200, `"reason":"Compiled"`, "GET", policies+"/hostile-fail")
		c.want(200, "", http.MethodPatch, flows+"/prioritylevelconfigurations/raw", `{spec: {limited: {limitResponse: {queuing: {queues: 64}}}}}`)
		c.eventually(200, "Generation 2 is valid", "GET", flows+"/prioritylevelconfigurations/raw")
	})
}

// storeHostileLevel writes a PriorityLevelConfiguration with -1 queues straight into the etcd of a
// server that is stopped (0 becomes the default). key is the end of its key.
func storeHostileLevel(t *testing.T, dir, key string) {
	t.Helper()
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	all, err := server.Client().Get(t.Context(), "/", clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range all.Kvs {
		if !strings.HasSuffix(string(kv.Key), key) {
			continue
		}
		const magic = "k8s\x00"
		var stored runtime.Unknown
		var level flowcontrolv1.PriorityLevelConfiguration
		if err := errors.Join(stored.Unmarshal(bytes.TrimPrefix(kv.Value, []byte(magic))), level.Unmarshal(stored.Raw)); err != nil {
			t.Fatal(err)
		}
		level.Spec.Limited.LimitResponse.Queuing.Queues = -1
		if stored.Raw, err = level.Marshal(); err != nil {
			t.Fatal(err)
		}
		text, err := stored.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := server.Client().Put(t.Context(), string(kv.Key), magic+string(text)); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("there is no key %s", key)
}

// certificateRequest returns a request for a client certificate, as the field of the object.
func certificateRequest(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "jane"}}, key)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}
