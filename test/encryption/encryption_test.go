// Package encryption compares our encryption at rest with that of k8s.io/apiserver: each reads the
// same configuration file, and what the other one wrote. Start reading at TestEachReadsTheOther;
// with -update it writes the values of Kubernetes for the tests of the main module.
package encryption

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/server/options/encryptionconfig"
	"k8s.io/apiserver/pkg/storage/value"

	"github.com/typeplane/typeplane/internal/kmstest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/encryption"
)

var update = flag.Bool("update", false, "write vectors for storage/encryption")

const vectorsFile = "../../storage/encryption/testdata/kubernetes.json"

const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"

// secret is a key of n bytes that is the same in each run.
func secret(seed string, n int) string {
	return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(seed, n)[:n]))
}

// providers are items of a list of providers, for keys of each size.
func providers(endpoint string) map[string]string {
	list := map[string]string{
		"identity":     "{identity: {}}",
		"secretbox-32": "{secretbox: {keys: [{name: one, secret: " + secret("secretbox", 32) + "}]}}",
		"kms":          "{kms: {apiVersion: v2, name: plug, endpoint: '" + endpoint + "'}}",
		"several":      "{aesgcm: {keys: [{name: two, secret: " + secret("two", 32) + "}, {name: 'on:e', secret: " + secret("one", 32) + "}]}}",
	}
	for _, n := range []int{16, 24, 32} {
		list[fmt.Sprintf("aesgcm-%d", n)] = fmt.Sprintf("{aesgcm: {keys: [{name: one, secret: %s}]}}", secret("gcm", n))
		list[fmt.Sprintf("aescbc-%d", n)] = fmt.Sprintf("{aescbc: {keys: [{name: one, secret: %s}]}}", secret("cbc", n))
	}
	return list
}

// theirs is what kube-apiserver makes of a file.
func theirs(t *testing.T, file string) map[schema.GroupResource]value.Transformer {
	t.Helper()
	config, err := encryptionconfig.LoadEncryptionConfig(t.Context(), file, true, "test")
	if err != nil {
		t.Fatal(err)
	}
	return config.Transformers
}

// ours is what we make of it.
func ours(t *testing.T, file string) storage.Form {
	t.Helper()
	e, err := encryption.Open(encryption.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e.Form(encryption.Target{Resource: encryption.Resource{Name: "secrets"}, Root: "/registry"})
}

func write(t *testing.T, resource string, providers ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "encryption.yaml")
	text := head + "- resources: ['" + resource + "']\n  providers:\n  - " + strings.Join(providers, "\n  - ") + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const (
	// ourKey lies below the root, so theirKey is the same key in etcd: what kube-apiserver
	// authenticates.
	ourKey   = "/secrets/default/mine"
	theirKey = "/registry" + ourKey
)

func TestEachReadsTheOther(t *testing.T) {
	plug := kmstest.Start(t)
	gcm := "{aesgcm: {keys: [{name: other, secret: " + secret("other", 32) + "}]}}"
	for name, provider := range providers(plug.Endpoint()) {
		t.Run(name, func(t *testing.T) {
			only := write(t, "secrets", provider)
			we, they := ours(t, only), theirs(t, only)[schema.GroupResource{Resource: "secrets"}]
			// A server that writes with another key calls the same values stale as kube-apiserver
			// does.
			behind := write(t, "secrets", gcm, provider)
			weLater, theyLater := ours(t, behind), theirs(t, behind)[schema.GroupResource{Resource: "secrets"}]
			for n := range 100 {
				plain := []byte(strings.Repeat("x", n))
				byThem, err := they.TransformToStorage(t.Context(), plain, value.DefaultContext(theirKey))
				if err != nil {
					t.Fatal(err)
				}
				byUs, err := we.Stored(ourKey, plain)
				if err != nil {
					t.Fatal(err)
				}
				for who, stored := range map[string][]byte{"them": byThem, "us": byUs} {
					for reader, read := range map[string]func() ([]byte, bool, error){
						"we": func() ([]byte, bool, error) { return we.Canonical(ourKey, stored) },
						"they": func() ([]byte, bool, error) {
							return they.TransformFromStorage(t.Context(), stored, value.DefaultContext(theirKey))
						},
					} {
						if got, stale, err := read(); err != nil || stale || string(got) != string(plain) {
							t.Fatalf("%s read %d bytes by %s as %q, stale %v, %v", reader, n, who, got, stale, err)
						}
					}
					got, stale, err := weLater.Canonical(ourKey, stored)
					_, theirStale, theirErr := theyLater.TransformFromStorage(t.Context(), stored, value.DefaultContext(theirKey))
					if err != nil || theirErr != nil || stale != theirStale || !stale || string(got) != string(plain) {
						t.Fatalf("behind another key, by %s: %q, stale %v, %v; they say stale %v, %v", who, got, stale, err, theirStale, theirErr)
					}
				}
				if len(byThem) != len(byUs) {
					t.Fatalf("%d bytes take %d by them, %d by us", n, len(byThem), len(byUs))
				}
			}
		})
	}
}

// A value is bound to the same thing.
func TestBoundAsTheirs(t *testing.T) {
	plug := kmstest.Start(t)
	for name, provider := range providers(plug.Endpoint()) {
		t.Run(name, func(t *testing.T) {
			file := write(t, "secrets", provider)
			we, they := ours(t, file), theirs(t, file)[schema.GroupResource{Resource: "secrets"}]
			stored, err := we.Stored(ourKey, []byte("plain"))
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"/secrets/default/other", "/secrets/default/mine2", "/configmaps/default/mine"} {
				_, _, ourErr := we.Canonical(key, stored)
				_, _, theirErr := they.TransformFromStorage(t.Context(), stored, value.DefaultContext("/registry"+key))
				if (ourErr == nil) != (theirErr == nil) {
					t.Errorf("moved to %s: we say %v, they say %v", key, ourErr, theirErr)
				}
			}
			if _, _, err := they.TransformFromStorage(t.Context(), stored, value.DefaultContext(ourKey)); err == nil && (strings.HasPrefix(name, "aesgcm") || name == "kms") {
				t.Error("it is bound to the key without the root")
			}
		})
	}
}

// The same provider is chosen for the same resource.
func TestWildcards(t *testing.T) {
	key := func(name string) string {
		return "\n  providers: [{aesgcm: {keys: [{name: " + name + ", secret: " + secret(name, 32) + "}]}}]\n"
	}
	file := filepath.Join(t.TempDir(), "encryption.yaml")
	text := head + "- resources: [events]" + key("events") + "- resources: [deployments.apps]" + key("deploy") + "- resources: ['*.']" + key("core") +
		"- resources: ['*.apps']" + key("apps") + "- resources: ['*.*']" + key("all")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all := encryptionconfig.StaticTransformers(theirs(t, file))
	e, err := encryption.Open(encryption.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, r := range []schema.GroupResource{{Resource: "events"}, {Resource: "secrets"}, {Group: "apps", Resource: "deployments"}, {Group: "apps", Resource: "daemonsets"}, {Group: "batch", Resource: "jobs"}, {Group: "pandas.awesome.bears.example", Resource: "pandas"}} {
		stored, err := all.TransformerForResource(r).TransformToStorage(context.Background(), []byte("plain"), value.DefaultContext(theirKey))
		if err != nil {
			t.Fatal(err)
		}
		form := e.Form(encryption.Target{Resource: encryption.Resource{Group: r.Group, Name: r.Resource}, Root: "/registry"})
		if got, stale, err := form.Canonical(ourKey, stored); err != nil || stale || string(got) != "plain" {
			t.Errorf("%s: %q, stale %v, %v", r, got, stale, err)
		}
	}
}

// The files that kube-apiserver refuses, we refuse.
func TestBothRefuse(t *testing.T) {
	good := providers("unix:///tmp/x")["aesgcm-32"]
	rule := func(resources, provider string) string {
		return "- resources: [" + resources + "]\n  providers: [" + provider + "]\n"
	}
	for name, text := range map[string]string{
		"empty":                   "",
		"no resources":            head + "[]\n",
		"unknown field":           head + rule("secrets", good) + "more: 1\n",
		"field twice":             head + rule("secrets", good) + "kind: EncryptionConfiguration\n",
		"unknown provider":        head + rule("secrets", "{rot13: {}}"),
		"two providers in one":    head + rule("secrets", "{identity: {}, aesgcm: {keys: [{name: a, secret: "+secret("a", 32)+"}]}}"),
		"no provider":             head + rule("secrets", "{}"),
		"no providers":            head + rule("secrets", ""),
		"empty list":              head + rule("", good),
		"capital letters":         head + rule("Secrets", good),
		"star":                    head + rule("'*'", good),
		"star of a resource":      head + rule("'secrets.*'", good),
		"same resource":           head + rule("secrets, secrets", good),
		"overlap":                 head + rule("secrets, '*.'", good),
		"overlap with everything": head + rule("deployments.apps, '*.*'", good),
		"masked":                  head + rule("'*.apps'", good) + rule("deployments.apps", good),
		"masked by everything":    head + rule("'*.*'", good) + rule("deployments.apps", good),
		"masked by the same":      head + rule("'*.apps'", good) + rule("'*.apps'", good),
		"size of an AES key":      head + rule("secrets", "{aescbc: {keys: [{name: a, secret: "+secret("a", 31)+"}]}}"),
		"size of another key":     head + rule("secrets", "{secretbox: {keys: [{name: a, secret: "+secret("a", 16)+"}]}}"),
		"no keys":                 head + rule("secrets", "{secretbox: {keys: []}}"),
		"no name":                 head + rule("secrets", "{secretbox: {keys: [{secret: "+secret("a", 32)+"}]}}"),
		"not base64":              head + rule("secrets", "{secretbox: {keys: [{name: a, secret: '%'}]}}"),
		"KMS v1":                  head + rule("secrets", "{kms: {apiVersion: v1, name: a, endpoint: 'unix:///a'}}"),
		"KMS without version":     head + rule("secrets", "{kms: {name: a, endpoint: 'unix:///a'}}"),
		"KMS over TCP":            head + rule("secrets", "{kms: {apiVersion: v2, name: a, endpoint: 'http://a'}}"),
		"KMS colon":               head + rule("secrets", "{kms: {apiVersion: v2, name: 'a:b', endpoint: 'unix:///a'}}"),
		"KMS cache":               head + rule("secrets", "{kms: {apiVersion: v2, name: a, endpoint: 'unix:///a', cachesize: 1}}"),
		"KMS timeout":             head + rule("secrets", "{kms: {apiVersion: v2, name: a, endpoint: 'unix:///a', timeout: -1s}}"),
		"KMS twice":               head + rule("secrets", "{kms: {apiVersion: v2, name: a, endpoint: 'unix:///a'}}, {kms: {apiVersion: v2, name: a, endpoint: 'unix:///b'}}"),
	} {
		file := filepath.Join(t.TempDir(), "encryption.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := encryptionconfig.LoadEncryptionConfig(t.Context(), file, true, "test"); err == nil {
			t.Errorf("%s: they do not refuse it", name)
		}
		if _, err := encryption.Parse(file, []byte(text), nil); err == nil {
			t.Errorf("%s: we do not refuse it", name)
		}
	}
}

// vector is a value that kube-apiserver wrote, with the provider that reads it. Endpoint stands for
// the plug-in's.
type vector struct {
	Provider, Plain string
	Stored          []byte
}

// TestVectors writes them, or reads those that are there with kube-apiserver's code.
func TestVectors(t *testing.T) {
	plug := kmstest.Start(t)
	const plain = "k8s\x00 the value of a Secret"
	all := providers(plug.Endpoint())
	// Before 1.29 what the plug-in encrypts was the key itself and no seed.
	t.Cleanup(encryptionconfig.SetKDFForTests("former", false))
	all["kms-1.28"] = strings.Replace(all["kms"], "plug,", "former,", 1)
	if *update {
		vectors := map[string]vector{}
		for name, provider := range all {
			they := theirs(t, write(t, "secrets", provider))[schema.GroupResource{Resource: "secrets"}]
			stored, err := they.TransformToStorage(t.Context(), []byte(plain), value.DefaultContext(theirKey))
			if err != nil {
				t.Fatal(err)
			}
			vectors[name] = vector{strings.ReplaceAll(provider, plug.Endpoint(), "ENDPOINT"), plain, stored}
		}
		data, err := json.MarshalIndent(vectors, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(vectorsFile, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(vectorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var vectors map[string]vector
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) != len(all) {
		t.Errorf("%d vectors for %d providers: run with -update", len(vectors), len(all))
	}
	for name, v := range vectors {
		they := theirs(t, write(t, "secrets", strings.ReplaceAll(v.Provider, "ENDPOINT", plug.Endpoint())))[schema.GroupResource{Resource: "secrets"}]
		got, _, err := they.TransformFromStorage(t.Context(), v.Stored, value.DefaultContext(theirKey))
		if err != nil || string(got) != v.Plain {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
