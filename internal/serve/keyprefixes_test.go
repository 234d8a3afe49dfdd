package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
)

// placedServer keeps its widgets below a prefix of their own.
func placedServer(keyPrefix string) Server {
	s := widgetServer()
	s.Resources = []registry.Resource{registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true, KeyPrefix: keyPrefix,
		StorageVersion: widget.GV1, Versions: []schema.GroupVersion{widget.GV1, widget.GV1beta1},
	})}
	return s
}

// relocate does to an etcd what a start does; shared says that others may use it.
func relocate(t *testing.T, e *etcd, s Server, shared bool, args ...string) (said string, err error) {
	t.Helper()
	o := NewOptions("widgets")
	o.Store.EncryptionConfig = strings.Join(args, "")
	known, err := s.kinds(&o.Store)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := known.unlock(&o.Store, console{err: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	defer lock()
	db := e.database()
	if !shared {
		db.backend.Shared = false
	}
	quiet := time.Second
	err = relocation{known, db, quiet, func(line string) { said += line + "\n" }}.run(t.Context())
	return said, err
}

// keys are those of all that lies in an etcd, by the path below the root.
func (e *etcd) keys(t *testing.T) map[string]string {
	t.Helper()
	page, err := e.database().source(storage.Form{}).List(t.Context(), "/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, entry := range page.Entries {
		found[entry.Key] = string(entry.Value)
	}
	return found
}

func wantKeys(t *testing.T, e *etcd, want ...string) {
	t.Helper()
	found := e.keys(t)
	delete(found, "/.stored-versions")
	for _, key := range want {
		if found[key] == "" {
			t.Errorf("nothing is at %s", key)
		}
		delete(found, key)
	}
	if len(found) > 0 {
		t.Errorf("more lies there: %v", found)
	}
}

// earlier reads the note as earlier releases do.
func earlier(t *testing.T, e *etcd) error {
	t.Helper()
	note, ok := e.keys(t)["/.stored-versions"]
	if !ok {
		return nil
	}
	return json.Unmarshal([]byte(note), &map[string][]string{})
}

// What an earlier release has stored gets the keys that its resource has now; then no earlier
// release can start.
func TestObjectsGetNewKeys(t *testing.T) {
	e := startEtcd(t, map[string]string{prefix + "ns/beta": betaJSON, prefix + "ns/other": betaJSON, prefix + "placed/b": betaJSON})
	before := e.revision(t)
	said, err := relocate(t, e, placedServer("placed/widgets"), false)
	if err != nil || !strings.Contains(said, "3 objects of widgets.shop.example.com were moved from /shop.example.com/widgets/ to /placed/widgets/") {
		t.Fatalf("%q, %v", said, err)
	}
	wantKeys(t, e, "/placed/widgets/ns/beta", "/placed/widgets/ns/other", "/placed/widgets/placed/b")
	if earlier(t, e) == nil {
		t.Errorf("an earlier release would start: %v", e.keys(t))
	}

	// Nobody goes on from a revision before it: at the new keys a part of the history is missing.
	source := e.database().source(storage.Form{})
	w, err := source.Watch(t.Context(), "/placed/widgets/", storage.WatchOptions{After: before})
	if err == nil {
		_, err = w.Next(t.Context())
		w.Close()
	}
	if storage.CodeOf(err) != storage.CodeCompacted {
		t.Errorf("a watch from before goes on: %v", err)
	}

	// Once done it costs no write, and other markers, or none, take the objects along.
	at := e.revision(t)
	if said, err := relocate(t, e, placedServer("placed/widgets"), true); err != nil || said != "" || e.revision(t) != at {
		t.Errorf("again: %q, %v", said, err)
	}
	if _, err := relocate(t, e, placedServer("placed"), false); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, e, "/placed/ns/beta", "/placed/ns/other", "/placed/placed/b")
	if _, err := relocate(t, e, widgetServer(), false); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, e, "/shop.example.com/widgets/ns/beta", "/shop.example.com/widgets/ns/other", "/shop.example.com/widgets/placed/b")
	if err := earlier(t, e); err != nil {
		t.Errorf("all is where it was, and an earlier release does not start: %v", err)
	}
}

func (e *etcd) revision(t *testing.T) int64 {
	t.Helper()
	now, err := e.database().source(storage.Form{}).Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// A new database is noted at once, so that no earlier release writes to it; one without such kinds
// is for both.
func TestNewDatabaseIsNoted(t *testing.T) {
	e := startEtcd(t, nil)
	if _, err := relocate(t, e, widgetServer(), true); err != nil || len(e.keys(t)) != 0 {
		t.Errorf("%v, %v", e.keys(t), err)
	}
	if _, err := relocate(t, e, placedServer("placed"), true); err != nil || earlier(t, e) == nil {
		t.Errorf("%v, %v", e.keys(t), err)
	}
}

// A move that was stopped is gone on with from wherever that was, by this program or by another.
func TestStoppedMove(t *testing.T) {
	for _, s := range []struct {
		name string
		next Server
		at   string
	}{{"the same", placedServer("placed"), "/placed/"}, {"another marker", placedServer("elsewhere"), "/elsewhere/"}, {"no marker", widgetServer(), "/shop.example.com/widgets/"}} {
		t.Run(s.name, func(t *testing.T) {
			e := startEtcd(t, map[string]string{
				prefix + "ns/a": betaJSON, "/registry/placed/ns/b": betaJSON,
				"/registry/.stored-versions": `{"keyPrefixes":{"widgets.shop.example.com":["/placed/","/shop.example.com/widgets/"]},"versions":{}}`,
			})
			if _, err := relocate(t, e, s.next, false); err != nil {
				t.Fatal(err)
			}
			wantKeys(t, e, s.at+"ns/a", s.at+"ns/b")
		})
	}
	// All was moved, and then it was stopped: what comes after the last object is made up for.
	e := startEtcd(t, map[string]string{
		"/registry/placed/ns/b":      betaJSON,
		"/registry/.stored-versions": `{"keyPrefixes":{"widgets.shop.example.com":["/placed/","/shop.example.com/widgets/"]},"versions":{}}`,
	})
	before := e.revision(t)
	if _, err := relocate(t, e, placedServer("placed"), false); err != nil {
		t.Fatal(err)
	}
	source := e.database().source(storage.Form{})
	if _, err := source.List(t.Context(), "/placed/", storage.ListOptions{Match: storage.Exact, Revision: before - 1}); storage.CodeOf(err) != storage.CodeCompacted {
		t.Errorf("the history before it is there: %v", err)
	}
	if note := e.keys(t)["/.stored-versions"]; note != `{"keyPrefixes":{"widgets.shop.example.com":["/placed/"]},"versions":{}}` {
		t.Errorf("%s", note)
	}
}

// Nothing moves under a server that runs.
func TestMoveWaitsForOthers(t *testing.T) {
	e := startEtcd(t, map[string]string{prefix + "ns/beta": betaJSON})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ctx.Err() == nil; i++ {
			_, _ = e.Client().Put(ctx, "/registry/leases/kube-system/somebody", fmt.Sprint(i))
			time.Sleep(10 * time.Millisecond)
		}
	}()
	_, err := relocate(t, e, placedServer("placed"), true)
	if err == nil || !strings.Contains(err.Error(), "the objects of widgets.shop.example.com have to be moved from /shop.example.com/widgets/ to /placed/") ||
		!strings.Contains(err.Error(), "somebody else writes to this database (/leases/kube-system/somebody at revision") {
		t.Errorf("%v", err)
	}
	stop()
	<-done
	wantKeys(t, e, "/shop.example.com/widgets/ns/beta", "/leases/kube-system/somebody")
	if err := earlier(t, e); err != nil {
		t.Errorf("the server that runs could not be started again: %v", err)
	}
	if _, err := relocate(t, e, placedServer("placed"), true); err != nil {
		t.Errorf("when it is quiet: %v", err)
	}
	wantKeys(t, e, "/placed/ns/beta", "/leases/kube-system/somebody")
}

// A server of an earlier release that nobody had noticed is noticed when it writes.
func TestGuard(t *testing.T) {
	e := startEtcd(t, nil)
	o := NewOptions("widgets")
	known, err := placedServer("placed").kinds(&o.Store)
	if err != nil {
		t.Fatal(err)
	}
	r := relocation{known: known, db: e.database()}
	failed := make(chan error, 1)
	go func() { failed <- r.guard(t.Context()) }()
	e.put(t, "/registry/placed/ns/good", betaJSON)
	e.put(t, prefix+"not/of/them", betaJSON)
	e.put(t, prefix+"ns/bad", betaJSON)
	select {
	case err := <-failed:
		if err == nil || !strings.Contains(err.Error(), "/shop.example.com/widgets/ns/bad is where servers of an earlier release keep widgets.shop.example.com; stop all of those") {
			t.Errorf("%v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it was not noticed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.guard(ctx); err != nil {
		t.Errorf("a server that ends: %v", err)
	}
}

// Encrypted values are bound to their keys: they are encrypted anew, and never moved as they are.
func TestEncryptedObjectsGetNewKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "encryption.yaml")
	config := `{"kind":"EncryptionConfiguration","apiVersion":"apiserver.config.k8s.io/v1","resources":[{"resources":["widgets.shop.example.com"],"providers":[` +
		`{"aesgcm":{"keys":[{"name":"k","secret":"MDEyMzQ1Njc4OWFiY2RlZg=="}]}},{"identity":{}}]}]}`
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	e := startEtcd(t, map[string]string{prefix + "ns/beta": betaJSON})
	if _, err := relocate(t, e, placedServer("first"), false, file); err != nil {
		t.Fatal(err)
	}
	sealed := e.keys(t)["/first/ns/beta"]
	if !strings.HasPrefix(sealed, "k8s:enc:aesgcm:v1:k:") {
		t.Fatalf("%q", sealed)
	}
	_, err := relocate(t, e, placedServer("second"), false)
	if err == nil || !strings.Contains(err.Error(), "there is no encryption configuration") || e.keys(t)["/first/ns/beta"] != sealed {
		t.Errorf("without the keys: %v", err)
	}
	if _, err := relocate(t, e, placedServer("second"), false, file); err != nil {
		t.Fatal(err)
	}
	moved := e.keys(t)["/second/ns/beta"]
	if !strings.HasPrefix(moved, "k8s:enc:aesgcm:v1:k:") || moved == sealed {
		t.Errorf("%q", moved)
	}
	o := NewOptions("widgets")
	o.Store.EncryptionConfig = file
	known, err := placedServer("second").kinds(&o.Store)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := known.unlock(&o.Store, console{err: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	defer lock()
	value, _, err := known.decrypted(known.resources[0], "/registry").Canonical("/second/ns/beta", []byte(moved))
	if err != nil || string(value) != betaJSON {
		t.Errorf("%q, %v", value, err)
	}
}

func TestPrefixesThatMeet(t *testing.T) {
	s := placedServer("placed")
	s.Resources = append(s.Resources, placedServer("placed/inside").Resources...)
	if err := s.checkPrefixes(); err == nil || !strings.Contains(err.Error(), "below /placed/inside/, which is the same place or inside it") {
		t.Errorf("%v", err)
	}
}

// A server on a data directory of an earlier release serves what is in it. The tools say what is to
// come before.
func TestServerMovesObjects(t *testing.T) {
	dir := t.TempDir()
	s, err := embedded.Start(t.Context(), embedded.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Client().Put(t.Context(), prefix+"ns/beta", betaJSON); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if err := run(t.Context(), placedServer("placed"), append(args, "--data-dir", dir), console{out: &out, err: &out}); err != nil && exitCode(err) != exitLeft {
			t.Fatalf("%v: %v\n%s", args, err, &out)
		}
		return out.String()
	}
	if out := command("inspect", prefix+"ns/beta"); !strings.Contains(out, "# form: misplaced") || !strings.Contains(out, "colour: red") {
		t.Errorf("inspect: %s", out)
	}
	if out := command("migrate", "--dry-run"); !strings.Contains(out, "objects of widgets.shop.example.com lie below /shop.example.com/widgets/ and are not counted") {
		t.Errorf("dry run: %s", out)
	}
	s.Close()
	i, client := runningServer(t, placedServer("placed"), func(o *Options) { o.Store.InMemory, o.Store.DataDir = false, dir })
	if body := getBody(t, client, i.URL()+"/apis/shop.example.com/v1/namespaces/ns/widgets/beta"); !strings.Contains(body, `"color":"red"`) {
		t.Errorf("%s", body)
	}
	if out := command("inspect", "/registry/placed/ns/beta"); !strings.Contains(out, "# form: stale") {
		t.Errorf("inspect: %s", out)
	}
}
