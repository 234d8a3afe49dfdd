package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/internal/kmstest"
)

const canary = "Tr0ub4dor-and-3"

// provider is one with a single key, called name, which makes the key.
func provider(kind, name string) string {
	key := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte(name[:1]), 32))
	return fmt.Sprintf("  - %s: {keys: [{name: %s, secret: %s}]}\n", kind, name, key)
}

func kmsProvider(p *kmstest.Plugin) string {
	return "  - kms: {apiVersion: v2, name: plug, endpoint: '" + p.Endpoint() + "', timeout: 1s}\n"
}

// encryptPods writes a configuration for pods.
func encryptPods(t *testing.T, file string, providers ...string) {
	t.Helper()
	text := "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [pods]\n  providers:\n" + strings.Join(providers, "")
	if err := os.WriteFile(file+".next", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".next", file); err != nil {
		t.Fatal(err)
	}
}

func (r *running) createPod(name string) {
	r.t.Helper()
	pod := bytes.ReplaceAll(sample(r.t, "pod.yaml"), []byte("webserver"), []byte(name))
	r.must("POST", path("v1", "pods"), asJSON, bytes.Replace(pod, []byte("metadata:"), []byte("metadata:\n  annotations: {password: "+canary+"}"), 1))
}

func (r *running) replace(name string) { // without a change
	r.t.Helper()
	pod := r.must("GET", path("v1", "pods", name), asJSON, nil)
	r.must("PUT", path("v1", "pods", name), asJSON, pod)
}

func (r *running) putInEtcd(key string, value []byte) {
	r.t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"unix://" + filepath.Join(r.dir, "etcd.sock")}, DialTimeout: time.Minute, Logger: zap.NewNop()})
	if err != nil {
		r.t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Put(context.Background(), key, string(value)); err != nil {
		r.t.Fatal(err)
	}
}

// until asks until the answer has the code and holds the text.
func (r *running) until(what string, url string, code int, text string) {
	r.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		got, body := r.do("GET", url, asJSON, nil)
		if got == code && bytes.Contains(body, []byte(text)) {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("%s: GET %s is still %d %s, want %d with %q", what, url, got, body, code, text)
		}
	}
}

func podKey(name string) string { return "/registry/pods/apiserver-sandbox/" + name }

// No byte of what is encrypted is on the disk, whatever the provider, and a restarted server reads
// it all. A ciphertext that was moved to another key is nobody's object: an error on get, list,
// watch and delete.
func TestEncryptionAtRest(t *testing.T) {
	t.Parallel()
	plug := kmstest.Start(t)
	for name, p := range map[string]string{
		"aesgcm": provider("aesgcm", "key1"), "aescbc": provider("aescbc", "key1"), "secretbox": provider("secretbox", "key1"), "kms": kmsProvider(plug),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, file := t.TempDir(), filepath.Join(t.TempDir(), "encryption.yaml")
			encryptPods(t, file, p)
			encrypted := func(o *typeplane.Options) { o.Store.EncryptionConfig = file }
			r := run(t, dir, encrypted)
			r.makeNamespace()
			r.createPod("a")
			r.createPod("b")
			stored, own := r.inEtcd(podKey("a")), r.inEtcd(podKey("b"))
			if !bytes.HasPrefix(stored, []byte("k8s:enc:"+name+":v")) || bytes.Contains(stored, []byte(canary)) {
				t.Errorf("stored: %.60q", stored)
			}
			r.stop()
			if file := holds(t, dir, canary); file != "" {
				t.Errorf("the plain value is in %s", file)
			}

			r = run(t, dir, encrypted)
			if list := r.must("GET", path("v1", "pods"), asJSON, nil); bytes.Count(list, []byte(canary)) < 2 {
				t.Errorf("after a restart: %s", list)
			}
			opened := make(chan *http.Response, 1)
			go func() {
				resp, err := r.http.Get(r.url + path("v1", "pods") + "?watch=1&resourceVersion=1&timeoutSeconds=30&fieldSelector=metadata.name=b")
				if err != nil {
					t.Error(err)
				}
				opened <- resp
			}()
			r.putInEtcd(podKey("b"), stored)
			const unreadable = `"reason":"StorageReadError"`
			r.until("a value that was moved", path("v1", "pods", "b"), 500, unreadable)
			r.until("a list with it", path("v1", "pods"), 500, unreadable)
			r.until("the one beside it", path("v1", "pods", "a"), 200, canary)
			if resp := <-opened; resp != nil {
				defer resp.Body.Close()
				if got := readUntil(resp.Body, unreadable); !strings.Contains(got, `"type":"ERROR"`) {
					t.Errorf("the watch: %s", got)
				}
			}
			if code, body := r.do("DELETE", path("v1", "pods", "b"), asJSON, nil); code != 500 {
				t.Errorf("delete: %d %s", code, body)
			}
			r.putInEtcd(podKey("b"), own)
			r.until("its own value again", path("v1", "pods", "b"), 200, canary)
			r.must("DELETE", path("v1", "pods", "b"), asJSON, nil)
			r.stop()

			r = run(t, dir, nil)
			r.until("without the configuration", path("v1", "pods", "a"), 500, "and the providers of pods in ")
		})
	}
}

// readUntil reads lines until one holds text, and returns the last.
func readUntil(body interface{ Read([]byte) (int, error) }, text string) string {
	var all strings.Builder
	buffer := make([]byte, 64<<10)
	for {
		n, err := body.Read(buffer)
		all.Write(buffer[:n])
		if strings.Contains(all.String(), text) || err != nil {
			return all.String()
		}
	}
}

// holds returns the file below dir that has text in it.
func holds(t *testing.T, dir, text string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		if bytes.Contains(data, []byte(text)) {
			found = name
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The keys of a running server are rotated by its file; a mistake in it changes nothing but a
// health check.
func TestKeyRotation(t *testing.T) {
	t.Parallel()
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "encryption.yaml")
	one, two, plain := provider("aesgcm", "one"), provider("aescbc", "two"), "  - identity: {}\n"
	r := run(t, dir, nil)
	r.makeNamespace()
	r.createPod("a")
	r.stop()
	encryptPods(t, file, one, plain)
	r = run(t, dir, func(o *typeplane.Options) { o.Store.EncryptionConfig = file })
	check := func(want string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			r.replace("a")
			if stored := r.inEtcd(podKey("a")); bytes.HasPrefix(stored, []byte(want)) {
				return
			} else if time.Now().After(end) {
				t.Fatalf("stored: %.60q, want %s", stored, want)
			}
		}
	}
	check("k8s:enc:aesgcm:v1:one:")
	encryptPods(t, file, two, one)
	check("k8s:enc:aescbc:v1:two:")
	encryptPods(t, file, "  - aescgm: {}\n")
	r.until("a mistake", "/healthz/encryption-config", 500, `unknown field "aescgm"; did you mean aesgcm?`)
	r.until("a mistake", "/readyz", 200, "ok")
	check("k8s:enc:aescbc:v1:two:")
	encryptPods(t, file, two)
	r.until("mended", "/healthz/encryption-config", 200, "ok")
	encryptPods(t, file, plain, two)
	check("k8s\x00")
}

func TestEncryptionFlagsAtTheStart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "encryption.yaml")
	encryptPods(t, file, "  - aescgm: {}\n")
	o := typeplane.NewOptions("cluster")
	o.Store.DataDir, o.Serving.SecurePort, o.Store.EncryptionConfig = t.TempDir(), 0, file
	err := typeplane.Run(t.Context(), program(), o, make(firstLine, 1))
	if err == nil || !strings.HasPrefix(err.Error(), "--encryption-provider-config: "+file+":6: ") {
		t.Errorf("got %v", err)
	}
	encryptPods(t, file, provider("aesgcm", "one"))
	r := run(t, t.TempDir(), func(o *typeplane.Options) { o.Store.EncryptionConfig, o.Store.EncryptionReload = file, false })
	encryptPods(t, file, provider("aesgcm", "two"))
	time.Sleep(1500 * time.Millisecond)
	r.makeNamespace()
	r.createPod("a")
	if stored := r.inEtcd(podKey("a")); !bytes.HasPrefix(stored, []byte("k8s:enc:aesgcm:v1:one:")) {
		t.Errorf("stored: %.60q", stored)
	}
}

// A server that starts before its KMS plug-in is not ready, reads nothing that is encrypted, and
// heals by itself.
func TestPluginComesLate(t *testing.T) {
	t.Parallel()
	plug := kmstest.Start(t)
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "encryption.yaml")
	encryptPods(t, file, kmsProvider(plug))
	encrypted := func(o *typeplane.Options) { o.Store.EncryptionConfig = file }
	r := run(t, dir, encrypted)
	r.makeNamespace()
	r.createPod("a")
	r.stop()
	plug.Stop()
	r = run(t, dir, encrypted)
	r.until("no plug-in", path("v1", "pods", "a"), 500, `"reason":"StorageReadError"`)
	r.until("no plug-in", "/readyz/kms-providers", 500, `KMS plug-in "plug"`)
	if code, body := r.do("POST", path("v1", "pods"), asJSON, bytes.Replace(sample(t, "pod.yaml"), []byte("webserver"), []byte("b"), 1)); code != 500 || !bytes.Contains(body, []byte("nothing can be written before the KMS plug-in answers")) {
		t.Errorf("create: %d %s", code, body)
	}
	if err := plug.Resume(); err != nil {
		t.Fatal(err)
	}
	r.until("plug-in", "/readyz/kms-providers", 200, "ok")
	r.until("plug-in", path("v1", "pods", "a"), 200, canary)
	r.createPod("b")
}
