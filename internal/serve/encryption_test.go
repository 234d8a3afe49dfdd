package serve

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
)

// sealed is a server over etcd whose values one provider encrypts.
type sealed struct {
	*reads
	provider, file string
}

func withEncryption(t *testing.T, provider string, cache bool) *sealed {
	t.Helper()
	e := &sealed{provider: provider, file: filepath.Join(t.TempDir(), "encryption.yaml")}
	e.reads = &reads{T: t, revisions: strings.NewReplacer()}
	e.configure("one")
	e.i, e.client = running(t, func(o *program.Options) {
		o.Store.InMemory, o.Store.WatchCache, o.Store.EncryptionConfig = false, cache, e.file
		o.Store.MigrationRate = 0 // the tests change what lies there themselves
	})
	return e
}

// configure writes a configuration with keys, of which the first one writes.
func (e *sealed) configure(keys ...string) {
	e.Helper()
	text := "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: ['*.*']\n  providers:\n  - " + e.provider + ":\n      keys:\n"
	for _, key := range keys {
		secret := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(key, 32)[:32]))
		text += fmt.Sprintf("      - {name: %s, secret: %s}\n", key, secret)
	}
	if err := os.WriteFile(e.file+".new", []byte(text), 0o600); err != nil {
		e.Fatal(err)
	}
	if err := os.Rename(e.file+".new", e.file); err != nil {
		e.Fatal(err)
	}
}

// raw is what etcd holds of a widget.
func (e *sealed) raw(name string) string {
	e.Helper()
	resp, err := e.i.dbs.Main.Client.Get(e.Context(), programtest.Prefix+name)
	if err != nil || len(resp.Kvs) != 1 {
		e.Fatalf("%s in etcd: %v, %v", name, resp, err)
	}
	return string(resp.Kvs[0].Value)
}

func (e *sealed) put(name, value string) {
	e.Helper()
	if _, err := e.i.dbs.Main.Client.Put(e.Context(), programtest.Prefix+name, value); err != nil {
		e.Fatal(err)
	}
}

// label changes a widget of the namespace default.
func (e *sealed) label(name, value string) {
	e.Helper()
	body := strings.NewReader(`{"metadata":{"labels":{"is":"` + value + `"}}}`)
	req, err := http.NewRequest(http.MethodPatch, e.i.URL()+widgetsPath+"/"+name, body)
	if err != nil {
		e.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/merge-patch+json")
	resp, err := e.client.Do(req)
	if err != nil {
		e.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		e.Fatalf("label %s: %s", name, resp.Status)
	}
}

// TestKeyChangeRewrites: what lies there under an old key is encrypted with the new one by a server
// whose configuration changes, without anybody's write.
func TestKeyChangeRewrites(t *testing.T) {
	for _, cache := range []bool{true, false} {
		t.Run(fmt.Sprintf("cache %t", cache), func(t *testing.T) {
			e := &sealed{provider: "aesgcm", file: filepath.Join(t.TempDir(), "encryption.yaml")}
			e.reads = &reads{T: t, revisions: strings.NewReplacer()}
			e.configure("one")
			e.i, e.client = running(t, func(o *program.Options) {
				o.Store.InMemory, o.Store.WatchCache, o.Store.EncryptionConfig = false, cache, e.file
			})
			for n := range 20 {
				post(t, e.client, e.i.URL()+widgetsPath, fmt.Sprintf(`{"metadata":{"name":"w%d"},"spec":{}}`, n))
			}
			e.configure("two", "one")
			for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
				left := 0
				for n := range 20 {
					if !strings.HasPrefix(e.raw(fmt.Sprint("default/w", n)), "k8s:enc:aesgcm:v1:two:") {
						left++
					}
				}
				if left == 0 {
					return
				}
				if time.Since(begun) > 30*time.Second {
					t.Fatalf("%d of 20 objects lie under the old key still", left)
				}
			}
		})
	}
}

// TestMovedCiphertexts: what was encrypted for one object is no value of another, also where the
// format would not notice. A read fails, a watch ends with the error, and neither leaves the object
// out.
func TestMovedCiphertexts(t *testing.T) {
	for _, provider := range []string{"aescbc", "aesgcm", "secretbox"} {
		for _, cache := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, cache %t", provider, cache), func(t *testing.T) { withEncryption(t, provider, cache).moveCiphertexts() })
		}
	}
}

func (e *sealed) moveCiphertexts() {
	for _, name := range []string{"a", "b"} {
		post(e.T, e.client, e.i.URL()+widgetsPath, fmt.Sprintf(`{"metadata":{"name":%q},"spec":{}}`, name))
	}
	mine, watch := e.raw("default/b"), e.watch("&resourceVersion="+e.get("").GetResourceVersion())
	e.put("default/b", e.raw("default/a"))
	if got := watch.next(); !strings.HasPrefix(got, "ERROR 500 StorageReadError: ") {
		e.Errorf("the watch got %s", got)
	}
	for _, query := range []string{"", "fieldSelector=metadata.name=b", "limit=2", "labelSelector=x!=y"} {
		if got := e.answer(query); !strings.HasPrefix(got, "500 StorageReadError: ") {
			e.Errorf("list %q: %s", query, got)
		}
	}
	if got := e.answer("fieldSelector=metadata.name=a"); !strings.HasPrefix(got, "a at ") {
		e.Errorf("the object that it is of: %s", got)
	}
	e.put("elsewhere/a", e.raw("default/a")) // the same name in another namespace
	if got := e.watchPath(strings.Replace(widgetsPath, "/default/", "/elsewhere/", 1) + "?watch=1").next(); !strings.HasPrefix(got, "ERROR 500 StorageReadError: ") {
		e.Errorf("a watch of the other namespace got %s", got)
	}
	e.put("default/b", mine)
	if got := e.answer(""); !strings.HasPrefix(got, "ab at ") {
		e.Errorf("with its own value again: %s", got)
	}
}

// TestKeysChangeUnderWatches changes keys. A new key writes and the old one reads. A key that is
// gone is an error of whoever reads, and one that comes back is none. A watch hears of the changes
// of objects and of nothing else.
func TestKeysChangeUnderWatches(t *testing.T) {
	for provider, cache := range map[string]bool{"aescbc": true, "aesgcm": false} {
		t.Run(fmt.Sprintf("%s, cache %t", provider, cache), func(t *testing.T) {
			t.Parallel()
			withEncryption(t, provider, cache).changeKeys()
		})
	}
}

func (e *sealed) changeKeys() {
	post(e.T, e.client, e.i.URL()+widgetsPath, `{"metadata":{"name":"a"},"spec":{}}`)
	post(e.T, e.client, e.i.URL()+widgetsPath, `{"metadata":{"name":"b"},"spec":{}}`)
	watch := e.watch("&resourceVersion=" + e.get("").GetResourceVersion())
	written := func(key string) func() bool {
		n := 0
		return func() bool {
			n++
			e.label("a", fmt.Sprint(key, n))
			return strings.HasPrefix(e.raw("default/a"), "k8s:enc:"+e.provider+":v1:"+key+":")
		}
	}
	lists := func(want string) func() bool {
		return func() bool { return strings.HasPrefix(e.answer(""), want) }
	}
	e.configure("two", "one")
	e.await("the new key writes", written("two"))
	e.await("the old key reads", lists("ab at "))
	e.configure("two")
	e.await("b can't be read without its key", lists("500 StorageReadError: "))
	e.label("a", "still")
	e.configure("two", "one")
	e.await("b can be read again", lists("ab at "))
	e.label("b", "last")
	for got := ""; !strings.HasPrefix(got, "MODIFIED b"); {
		if got = watch.next(); !strings.HasPrefix(got, "MODIFIED ") {
			e.Fatalf("the watch got %q", got)
		}
	}
}

func (e *sealed) await(what string, ok func() bool) {
	e.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			e.Fatalf("in vain: %s", what)
		}
	}
}
