package core

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	v1 "github.com/typeplane/typeplane/features/core/v1"
)

// read makes an object of YAML.
func read[T any](t *testing.T, text string) *T {
	t.Helper()
	obj := new(T)
	if err := yaml.UnmarshalStrict([]byte(text), obj); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return obj
}

// wantErrors compares errors with the beginnings of their texts, joined by |, in any order.
func wantErrors(t *testing.T, about string, errs field.ErrorList, want string) {
	t.Helper()
	var wants []string
	if want != "" {
		wants = strings.Split(want, "|")
	}
	if len(errs) != len(wants) {
		t.Errorf("%s: %v, want %q", about, errs, wants)
		return
	}
	all := errs.ToAggregate()
	for _, w := range wants {
		if !strings.Contains(all.Error(), w) {
			t.Errorf("%s: %v, want %s", about, all, w)
		}
	}
}

func TestSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                                    "",
		"{stringData: {a: b}, data: {a: eA==}}": "",
		"{data: {'a b': eA==, ..: eA==}}":       `data[a b]: Invalid value: "a b"|data[..]: Invalid value: ".."`,
		"{type: kubernetes.io/tls, data: {tls.crt: eA==}}":                              "data[tls.key]: Required value",
		"{type: kubernetes.io/basic-auth}":                                              "data[username]: Required value|data[password]: Required value",
		"{type: kubernetes.io/basic-auth, stringData: {username: me}}":                  "",
		"{type: kubernetes.io/ssh-auth}":                                                "data[ssh-privatekey]: Required value",
		"{type: kubernetes.io/dockercfg}":                                               "data[.dockercfg]: Required value",
		"{type: kubernetes.io/dockerconfigjson, stringData: {.dockerconfigjson: hush}}": `data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": must be JSON`,
		"{type: kubernetes.io/service-account-token}":                                   "metadata.annotations[kubernetes.io/service-account.name]: Required value",
	} {
		secret := read[corev1.Secret](t, text)
		v1.SetObjectDefaults_Secret(secret)
		wantErrors(t, text, SecretStrategy{}.Validate(t.Context(), secret), want)
	}
	big := &corev1.Secret{Data: map[string][]byte{"a": make([]byte, 1<<20), "b": {1}}}
	wantErrors(t, "more than a MiB", SecretStrategy{}.Validate(t.Context(), big), "data: Too long")
}

func TestStringData(t *testing.T) {
	secret := read[corev1.Secret](t, "{stringData: {a: b, c: d}, data: {a: eA==, e: null}}")
	v1.SetObjectDefaults_Secret(secret)
	if string(secret.Data["a"]) != "b" || string(secret.Data["c"]) != "d" || secret.Data["e"] == nil || secret.StringData != nil || secret.Type != corev1.SecretTypeOpaque {
		t.Errorf("%+v", secret)
	}
}

func TestChangedSecrets(t *testing.T) {
	for change, want := range map[string]string{
		"{data: {a: eA==}} to {data: {a: eQ==}}":                                   "",
		"{data: {a: eA==}} to {data: {a: eA==}, immutable: true}":                  "",
		"{data: {a: eA==}, immutable: true} to {data: {a: eQ==}, immutable: true}": "data: Forbidden: field is immutable when `immutable` is set",
		"{data: {a: eA==}, immutable: true} to {data: {a: eA==}}":                  "immutable: Forbidden",
		"{type: example.com/a} to {type: example.com/b}":                           `type: Invalid value: "example.com/b": field is immutable`,
	} {
		before, after, _ := strings.Cut(change, " to ")
		wantErrors(t, change, SecretStrategy{}.ValidateUpdate(t.Context(), read[corev1.Secret](t, after), read[corev1.Secret](t, before)), want)
	}
}

func TestConfigMaps(t *testing.T) {
	for text, want := range map[string]string{
		"{data: {a: b}, binaryData: {c: eA==}}":   "",
		"{data: {a: b}, binaryData: {a: eA==}}":   `data[a]: Invalid value: "a": duplicate of key present in binaryData`,
		"{data: {'': b}, binaryData: {a/: eA==}}": `data[]: Invalid value: ""|binaryData[a/]: Invalid value: "a/"`,
	} {
		wantErrors(t, text, ConfigMapStrategy{}.Validate(t.Context(), read[corev1.ConfigMap](t, text)), want)
	}
	for change, want := range map[string]string{
		"{data: {a: b}} to {data: {a: c}}":                                    "",
		"{data: {a: b}, immutable: true} to {data: {a: b}, immutable: true}":  "",
		"{data: {a: b}, immutable: true} to {data: {a: c}, immutable: false}": "data: Forbidden|immutable: Forbidden",
		"{binaryData: {a: eA==}, immutable: true} to {immutable: true}":       "binaryData: Forbidden",
	} {
		before, after, _ := strings.Cut(change, " to ")
		wantErrors(t, change, ConfigMapStrategy{}.ValidateUpdate(t.Context(), read[corev1.ConfigMap](t, after), read[corev1.ConfigMap](t, before)), want)
	}
}

func TestNamespaces(t *testing.T) {
	s := NamespaceStrategy{}
	ns := read[corev1.Namespace](t, "{metadata: {name: a}, spec: {finalizers: [example.com/f]}, status: {phase: Terminating}}")
	s.PrepareForCreate(t.Context(), ns)
	if ns.Status.Phase != corev1.NamespaceActive || len(ns.Spec.Finalizers) != 2 || !s.Held(ns) || s.Held(&corev1.Namespace{}) {
		t.Errorf("a new namespace: %+v", ns)
	}
	changed := ns.DeepCopy()
	changed.Spec.Finalizers = nil
	if s.PrepareForUpdate(t.Context(), changed, ns); len(changed.Spec.Finalizers) != 2 {
		t.Errorf("an update takes finalizers off: %+v", changed)
	}
	for text, want := range map[string]string{
		"{status: {phase: Active}}":      "",
		"{status: {phase: Terminating}}": "status.phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
		"{metadata: {deletionTimestamp: '2026-11-21T00:00:00Z'}, status: {phase: Active}}": "status.phase: Invalid value: \"Active\": may only be 'Terminating'",
	} {
		ns := read[corev1.Namespace](t, text)
		wantErrors(t, text, s.ValidateStatusUpdate(t.Context(), ns, ns), want)
	}
	for name, good := range map[string]bool{"a": true, "a.b": false, "A": false, strings.Repeat("a", 64): false} {
		if got := len(s.ValidateName(name, false)) == 0; got != good {
			t.Errorf("a namespace called %s: %v", name, got)
		}
	}
}
