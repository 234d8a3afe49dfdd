package config_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/features/servertest"
)

const canary = "a-canary-that-nobody-else-writes"

// TestSecretsAreEncrypted: in the files of an embedded etcd there is nothing of a Secret that can
// be read, and of a ConfigMap there is. What an earlier release has stored in the open is encrypted
// by the next start.
func TestSecretsAreEncrypted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	own := filepath.Join(dir, "pki", "encryption.yaml")
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, []byte("apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  providers:\n  - identity: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in := func(o *typeplane.Options) { o.Store.InMemory, o.Store.DataDir = false, dir }
	run := func(do func(servertest.Client)) {
		t.Helper()
		s, err := apitest.New(typeplane.Server{Name: "plane", APIs: features.All()}, in)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		do(servertest.Of(t, s))
	}
	create := func(c servertest.Client, kind, name string) {
		data := base64.StdEncoding.EncodeToString([]byte(canary))
		c.Want(201, name, "POST", "/api/v1/namespaces/default/"+strings.ToLower(kind)+"s",
			fmt.Sprintf(`{"apiVersion":"v1","kind":%q,"metadata":{"name":%q},%q:{"a":%q}}`, kind, name, map[string]string{"Secret": "data", "ConfigMap": "binaryData"}[kind], data))
	}

	run(func(c servertest.Client) { create(c, "Secret", "former") })
	if found(t, dir) == 0 {
		t.Error("an unencrypted Secret is not found in the files: the search is no good")
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	run(func(c servertest.Client) {
		c.Until(200, `"rewritten": 1`, "/debug/storage")
		c.Want(200, base64.StdEncoding.EncodeToString([]byte(canary)), "GET", "/api/v1/namespaces/default/secrets/former", "")
	})
	info, err := os.Stat(own)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v %v", info, err)
	}

	fresh := filepath.Join(t.TempDir(), "data")
	in = func(o *typeplane.Options) { o.Store.InMemory, o.Store.DataDir = false, fresh }
	run(func(c servertest.Client) { create(c, "Secret", "now") })
	if n := found(t, fresh); n != 0 {
		t.Errorf("a Secret lies in the open in %d files", n)
	}
	run(func(c servertest.Client) {
		c.Want(200, base64.StdEncoding.EncodeToString([]byte(canary)), "GET", "/api/v1/namespaces/default/secrets/now", "")
		create(c, "ConfigMap", "now")
	})
	others := filepath.Join(t.TempDir(), "encryption.yaml")
	if err := os.WriteFile(others, []byte("apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [configmaps]\n  providers:\n  - secretbox: {keys: [{name: a, secret: MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=}]}\n  - identity: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in = func(o *typeplane.Options) {
		o.Store.InMemory, o.Store.DataDir, o.Store.EncryptionConfig = false, fresh, others
	}
	run(func(c servertest.Client) {
		for _, kind := range []string{"secrets", "configmaps"} {
			c.Want(200, base64.StdEncoding.EncodeToString([]byte(canary)), "GET", "/api/v1/namespaces/default/"+kind+"/now", "")
		}
	})
	if found(t, fresh) == 0 {
		t.Error("a ConfigMap is not found in the files: the search is no good")
	}
}

// TestLostKeyIsTold: a server whose key of Secrets is gone says so at its start.
func TestLostKeyIsTold(t *testing.T) {
	dir, log := filepath.Join(t.TempDir(), "data"), new(bytes.Buffer)
	start := func(do func(servertest.Client)) {
		t.Helper()
		log.Reset()
		s, err := apitest.New(typeplane.Server{Name: "plane", APIs: features.All()}, func(o *typeplane.Options) {
			o.Store.InMemory, o.Store.DataDir, o.Log = false, dir, slog.New(slog.NewTextHandler(log, nil))
		})
		if err != nil {
			t.Fatal(err)
		}
		do(servertest.Of(t, s))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	const lost = "Secrets are encrypted with a key that this server does not have"
	start(func(c servertest.Client) {
		c.Want(201, "", "POST", "/api/v1/namespaces/default/secrets", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}`)
	})
	if strings.Contains(log.String(), lost) {
		t.Errorf("the first start: %s", log)
	}
	if err := os.Remove(filepath.Join(dir, "pki", "encryption.yaml")); err != nil {
		t.Fatal(err)
	}
	start(func(servertest.Client) {})
	if !strings.Contains(log.String(), lost) {
		t.Errorf("nothing of the lost key: %s", log)
	}
}

// found is how many files of the etcd in a directory have the canary in them.
func found(t *testing.T, dir string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if bytes.Contains(data, []byte(canary)) {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
