package config

import (
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/internal/certtest"
	"github.com/typeplane/typeplane/internal/features/config/v1"
	"github.com/typeplane/typeplane/internal/features/internal/strategytest"
)

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
		secret := strategytest.Read[corev1.Secret](t, text)
		v1.SetObjectDefaults_Secret(secret)
		strategytest.WantErrors(t, text, SecretStrategy{}.Validate(t.Context(), secret), want)
	}
	big := &corev1.Secret{Data: map[string][]byte{"a": make([]byte, 1<<20), "b": {1}}}
	strategytest.WantErrors(t, "more than a MiB", SecretStrategy{}.Validate(t.Context(), big), "data: Too long")
}

func TestStringData(t *testing.T) {
	secret := strategytest.Read[corev1.Secret](t, "{stringData: {a: b, c: d}, data: {a: eA==, e: null}}")
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
		strategytest.WantErrors(t, change, SecretStrategy{}.ValidateUpdate(t.Context(), strategytest.Read[corev1.Secret](t, after), strategytest.Read[corev1.Secret](t, before)), want)
	}
}

// A key and a certificate belong together.
func TestSecretWarnings(t *testing.T) {
	pair := certtest.New(t).Issue(t, x509.Certificate{})
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{Type: corev1.SecretTypeTLS, Data: map[string][]byte{
		corev1.TLSCertKey:       pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}),
		corev1.TLSPrivateKeyKey: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
	}}
	want := func(of string, texts ...string) {
		t.Helper()
		if got := (SecretStrategy{}).WarningsOnUpdate(t.Context(), secret, secret); !slices.Equal(got, texts) {
			t.Errorf("%s: %q, want %q", of, got, texts)
		}
	}
	want("a pair")
	secret.Data[corev1.TLSCertKey] = certtest.New(t).PEM
	want("a certificate of another key", "tls: private key does not match public key")
	secret.Data[corev1.TLSPrivateKeyKey] = []byte("x")
	want("no key", "tls: failed to find any PEM data in key input")
	secret.Data[corev1.TLSPrivateKeyKey] = make([]byte, longestKey+1)
	want("a key that takes too long")
}

func TestConfigMaps(t *testing.T) {
	for text, want := range map[string]string{
		"{data: {a: b}, binaryData: {c: eA==}}":   "",
		"{data: {a: b}, binaryData: {a: eA==}}":   `data[a]: Invalid value: "a": duplicate of key present in binaryData`,
		"{data: {'': b}, binaryData: {a/: eA==}}": `data[]: Invalid value: ""|binaryData[a/]: Invalid value: "a/"`,
	} {
		strategytest.WantErrors(t, text, ConfigMapStrategy{}.Validate(t.Context(), strategytest.Read[corev1.ConfigMap](t, text)), want)
	}
	for change, want := range map[string]string{
		"{data: {a: b}} to {data: {a: c}}":                                    "",
		"{data: {a: b}, immutable: true} to {data: {a: b}, immutable: true}":  "",
		"{data: {a: b}, immutable: true} to {data: {a: c}, immutable: false}": "data: Forbidden|immutable: Forbidden",
		"{binaryData: {a: eA==}, immutable: true} to {immutable: true}":       "binaryData: Forbidden",
	} {
		before, after, _ := strings.Cut(change, " to ")
		strategytest.WantErrors(t, change, ConfigMapStrategy{}.ValidateUpdate(t.Context(), strategytest.Read[corev1.ConfigMap](t, after), strategytest.Read[corev1.ConfigMap](t, before)), want)
	}
}
