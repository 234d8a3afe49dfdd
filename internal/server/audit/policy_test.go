package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func readText(t *testing.T, text string) (*Policy, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return ReadPolicy(file)
}

const policyHead = "apiVersion: audit.k8s.io/v1\nkind: Policy\n"

// request is verb user resource, the resource as namespace:group/resource/subresource/name, or a
// path.
func aRequest(verb, user string, object *ObjectReference) *Request {
	return &Request{Verb: verb, User: User{Username: user, Groups: []string{"g-" + user}}, Object: object, Path: "/healthz/ping"}
}

func TestFirstRuleDecides(t *testing.T) {
	p, err := readText(t, policyHead+`
omitStages: [RequestReceived]
rules:
- {level: None, users: [robot]}
- {level: Request, userGroups: [g-eve], omitStages: [Panic]}
- {level: None, nonResourceURLs: ["/healthz*"]}
- {level: RequestResponse, resources: [{group: apps, resources: [deployments/*]}]}
- {level: Request, resources: [{group: apps, resources: ["*/scale"]}]}
- {level: None, resources: [{group: apps, resources: [daemonsets], resourceNames: [quiet]}]}
- {level: RequestResponse, namespaces: [kept]}
- {level: RequestResponse, resources: [{resources: [secrets]}]}
- {level: Request, verbs: [create], resources: [{group: ""}]}
- {level: Metadata, verbs: [get, create]}
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		req  *Request
		want Level
	}{
		{"user", aRequest("get", "robot", nil), LevelNone},
		{"group", aRequest("get", "eve", nil), LevelRequest},
		{"path", aRequest("get", "u", nil), LevelNone},
		{"subresource", aRequest("get", "u", &ObjectReference{APIGroup: "apps", Resource: "deployments", Subresource: "status"}), LevelRequestResponse},
		{"not the resource itself", aRequest("get", "u", &ObjectReference{APIGroup: "apps", Resource: "deployments"}), LevelMetadata},
		{"any resource's subresource", aRequest("get", "u", &ObjectReference{APIGroup: "apps", Resource: "statefulsets", Subresource: "scale"}), LevelRequest},
		{"name", aRequest("get", "u", &ObjectReference{APIGroup: "apps", Resource: "daemonsets", Name: "quiet"}), LevelNone},
		{"another name", aRequest("get", "u", &ObjectReference{APIGroup: "apps", Resource: "daemonsets", Name: "loud"}), LevelMetadata},
		{"namespace", aRequest("list", "u", &ObjectReference{APIGroup: "apps", Resource: "daemonsets", Namespace: "kept"}), LevelRequestResponse},
		{"a secret is not meant by a rule for a namespace", aRequest("list", "u", &ObjectReference{Resource: "secrets", Namespace: "kept"}), LevelMetadata},
		{"a secret is meant by its name", aRequest("list", "u", &ObjectReference{Resource: "secrets", Namespace: "other"}), LevelRequestResponse},
		{"a config map is not meant by its group", aRequest("create", "u", &ObjectReference{Resource: "configmaps"}), LevelMetadata},
		{"a token is not meant by its group", aRequest("create", "u", &ObjectReference{Resource: "serviceaccounts", Subresource: "token"}), LevelMetadata},
		{"but a pod is", aRequest("create", "u", &ObjectReference{Resource: "pods"}), LevelRequest},
		{"verb", aRequest("delete", "u", &ObjectReference{Resource: "pods"}), LevelNone},
	} {
		if got := p.decide(tc.req); got.level != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got.level, tc.want)
		}
	}
	if d := p.decide(aRequest("get", "eve", nil)); !d.omits(StageRequestReceived) || !d.omits(StagePanic) || d.omits(StageResponseComplete) {
		t.Errorf("stages: %+v", d)
	}
}

func TestEverythingMeansNoSecrets(t *testing.T) {
	p, err := readText(t, policyHead+"rules: [{level: RequestResponse, resources: [{group: '', resources: ['*']}, {group: authentication.k8s.io}, {group: apps}]}]\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []ObjectReference{{Resource: "secrets"}, {Resource: "configmaps"}, {APIGroup: "authentication.k8s.io", Resource: "tokenreviews"}} {
		if d := p.decide(aRequest("create", "u", &o)); d.level != LevelMetadata || !d.quiet {
			t.Errorf("%+v: %+v", o, d)
		}
	}
	if d := p.decide(aRequest("create", "u", &ObjectReference{APIGroup: "apps", Resource: "secrets"})); d.level != LevelRequestResponse {
		t.Errorf("somebody else's secrets: %+v", d)
	}
}

func TestDefaultPolicy(t *testing.T) {
	pods := &ObjectReference{Resource: "pods"}
	for verb, want := range map[string]Level{"get": LevelNone, "list": LevelNone, "watch": LevelNone, "create": LevelMetadata, "deletecollection": LevelMetadata, "patch": LevelMetadata} {
		if got := DefaultPolicy().decide(aRequest(verb, "u", pods)); got.level != want {
			t.Errorf("%s: %s, want %s", verb, got.level, want)
		}
	}
}

func TestPolicyRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"kind: Policy\nrules: [{level: None}]":                                        "want audit.k8s.io/v1, Policy",
		policyHead:                                                                    "rules: want at least one",
		policyHead + "rules: [{level: Everything}]":                                   `rules[0].level: "Everything"`,
		policyHead + "rules: [{level: None, verb: [get]}]":                            `unknown field "verb"`,
		policyHead + "rules: [{level: None, omitStages: [Begin]}]":                    `rules[0].omitStages: "Begin"`,
		policyHead + "omitStages: [Begin]\nrules: [{level: None}]":                    `omitStages: "Begin"`,
		policyHead + "rules: [{level: None, nonResourceURLs: [a]}]":                   `nonResourceURLs[0]: "a"`,
		policyHead + "rules: [{level: None, nonResourceURLs: ['/a*b']}]":              `nonResourceURLs[0]: "/a*b"`,
		policyHead + "rules: [{level: None, nonResourceURLs: [/a], namespaces: [b]}]": "not both",
		policyHead + "rules: [{level: None, resources: [{group: apps/v1}]}]":          `resources[0].group: "apps/v1"`,
		policyHead + "rules: [{level: None, resources: [{resourceNames: [a]}]}]":      "want resources beside them",
		policyHead + "rules: [{level: X}, {level: Y}]":                                "rules[1].level",
	} {
		if _, err := readText(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadPolicy("/nonexistent"); err == nil {
		t.Error("no file: no error")
	}
}

func TestOmitManagedFields(t *testing.T) {
	d := decision{omitManagedFields: true}
	if got := string(d.trim([]byte(`{"items":[{"metadata":{"managedFields":[{}],"name":"a"}}],"metadata":{"managedFields":[]}}`))); got != `{"items":[{"metadata":{"name":"a"}}],"metadata":{}}` {
		t.Error(got)
	}
	if got := string(d.trim([]byte(`[1]`))); got != `[1]` {
		t.Error(got)
	}
}
