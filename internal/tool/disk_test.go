package tool

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
)

// askDisk asks as the page does.
func askDisk(t *testing.T, store *program.StoreOptions, path string) (int, bytesOf, string) {
	t.Helper()
	kinds, err := database.AllKinds(programtest.Widgets(), store)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /disk/{group}/{resource}/{namespace}/{name}", &disk{program: programtest.Widgets(), store: store, kinds: kinds, c: Console{Out: os.Stdout, Err: t.Output()}})
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	text := w.Body.String()
	var shown bytesOf
	if w.Code == http.StatusOK {
		if err := json.Unmarshal([]byte(text), &shown); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	return w.Code, shown, text
}

func widgetStore(dir string) *program.StoreOptions {
	store := &program.NewOptions("widgets").Store
	store.DataDir = dir
	return store
}

// TestDisk: the page gets the bytes that lie in etcd, and the names of the fields in them.
func TestDisk(t *testing.T) {
	e := programtest.StartEtcd(t, nil)
	stored := programtest.Current(t, programtest.UnknownJSON)
	e.Put(t, programtest.Prefix+"ns/current", stored)
	e.Put(t, programtest.Prefix+"ns/beta", programtest.BetaJSON)
	code, shown, text := askDisk(t, widgetStore(e.Dir), "/disk/shop.example.com/widgets/ns/current")
	if code != http.StatusOK || string(shown.Bytes) != stored || shown.Stored.Key != programtest.Prefix+"ns/current" || shown.Stored.Form != "current" {
		t.Fatalf("%d: %s", code, text)
	}
	if first := shown.Parts[0]; stored[first.Begin:first.End] != "k8s\x00" {
		t.Errorf("the first part is %+v", first)
	}
	end := 0
	for _, p := range shown.Parts {
		if p.Begin > end {
			t.Errorf("nobody names the bytes from %d to %d", end, p.Begin)
		}
		end = max(end, p.End)
	}
	if end != len(stored) {
		t.Errorf("nobody names the bytes from %d on", end)
	}
	code, shown, text = askDisk(t, widgetStore(e.Dir), "/disk/shop.example.com/widgets/ns/beta")
	if code != http.StatusOK || string(shown.Bytes) != programtest.BetaJSON || shown.Parts != nil || string(shown.Object) != programtest.BetaJSON {
		t.Errorf("JSON: %d: %s", code, text)
	}
}

// TestDiskEncrypted: the bytes of etcd are shown as they are, and what was encrypted in them to who
// has the key.
func TestDiskEncrypted(t *testing.T) {
	e := programtest.StartEtcd(t, nil)
	e.Put(t, programtest.Prefix+"ns/locked", "k8s:enc:aesgcm:v1:one:nobody can read this")
	code, shown, text := askDisk(t, widgetStore(e.Dir), "/disk/shop.example.com/widgets/ns/locked")
	if code != http.StatusOK || shown.Stored.Encryption == nil || shown.Value != nil || shown.Parts != nil || !strings.HasPrefix(string(shown.Bytes), "k8s:enc:") {
		t.Errorf("%d: %s", code, text)
	}
}

// TestDiskSaysWhatIsMissing: what can't be shown is a Status with a reason.
func TestDiskSaysWhatIsMissing(t *testing.T) {
	e := programtest.StartEtcd(t, nil)
	for path, want := range map[string]string{
		"/disk/shop.example.com/widgets/ns/none": "etcd holds nothing at /registry/shop.example.com/widgets/ns/none",
		"/disk/core/pods/ns/none":                "this program does not keep pods",
	} {
		if code, _, text := askDisk(t, widgetStore(e.Dir), path); code != http.StatusNotFound || !strings.Contains(text, want) {
			t.Errorf("%s: %d: %s, want %s", path, code, text, want)
		}
	}
	if code, _, text := askDisk(t, widgetStore(t.TempDir()), "/disk/shop.example.com/widgets/ns/a"); code != http.StatusNotFound || !strings.Contains(text, "--etcd-servers") {
		t.Errorf("without a server: %d: %s", code, text)
	}
}
