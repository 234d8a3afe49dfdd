package database

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/storage"
)

// databaseOf is an etcd as a command finds it.
func databaseOf(e *programtest.Etcd) *Database {
	d := etcdDatabase(e.Client())
	d.Root = "/registry"
	return d
}

// relocate does to an etcd what a start does; shared says that others may use it.
func relocate(t *testing.T, e *programtest.Etcd, s program.Server, shared bool, args ...string) (said string, err error) {
	t.Helper()
	o := program.NewOptions("widgets")
	o.Store.EncryptionConfig = strings.Join(args, "")
	known, err := NewKinds(s, &o.Store)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := known.Unlock(&o.Store, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer lock()
	db := databaseOf(e)
	if !shared {
		db.Backend.Shared = false
	}
	quiet := time.Second
	err = Relocation{known, db, quiet, func(line string) { said += line + "\n" }}.Run(t.Context())
	return said, err
}

// keysOf are those of all that lies in an etcd, by the path below the root.
func keysOf(e *programtest.Etcd, t *testing.T) map[string]string {
	t.Helper()
	page, err := databaseOf(e).Source(storage.Form{}).List(t.Context(), "/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, entry := range page.Entries {
		found[entry.Key] = string(entry.Value)
	}
	return found
}

func wantKeys(t *testing.T, e *programtest.Etcd, want ...string) {
	t.Helper()
	found := keysOf(e, t)
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
func earlier(t *testing.T, e *programtest.Etcd) error {
	t.Helper()
	note, ok := keysOf(e, t)["/.stored-versions"]
	if !ok {
		return nil
	}
	return json.Unmarshal([]byte(note), &map[string][]string{})
}

// What an earlier release has stored gets the keys that its resource has now; then no earlier
// release can start.
func TestObjectsGetNewKeys(t *testing.T) {
	e := programtest.StartEtcd(t, map[string]string{programtest.Prefix + "ns/beta": programtest.BetaJSON, programtest.Prefix + "ns/other": programtest.BetaJSON, programtest.Prefix + "placed/b": programtest.BetaJSON,
		"/registry/.stored-versions": `{"widgets.shop.example.com":["shop.example.com/v1beta1"]}`})
	before := revisionOf(e, t)
	said, err := relocate(t, e, programtest.Placed("placed/widgets"), false)
	if err != nil || !strings.Contains(said, "3 objects of widgets.shop.example.com were moved from /shop.example.com/widgets/ to /placed/widgets/") {
		t.Fatalf("%q, %v", said, err)
	}
	wantKeys(t, e, "/placed/widgets/ns/beta", "/placed/widgets/ns/other", "/placed/widgets/placed/b")
	if earlier(t, e) == nil {
		t.Errorf("an earlier release would start: %v", keysOf(e, t))
	}

	// Nobody goes on from a revision before it: at the new keys a part of the history is missing.
	source := databaseOf(e).Source(storage.Form{})
	w, err := source.Watch(t.Context(), "/placed/widgets/", storage.WatchOptions{After: before})
	if err == nil {
		_, err = w.Next(t.Context())
		w.Close()
	}
	if storage.CodeOf(err) != storage.CodeCompacted {
		t.Errorf("a watch from before goes on: %v", err)
	}

	// Once done it costs no write, and other markers, or none, take the objects along.
	at := revisionOf(e, t)
	if said, err := relocate(t, e, programtest.Placed("placed/widgets"), true); err != nil || said != "" || revisionOf(e, t) != at {
		t.Errorf("again: %q, %v", said, err)
	}
	if _, err := relocate(t, e, programtest.Placed("placed"), false); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, e, "/placed/ns/beta", "/placed/ns/other", "/placed/placed/b")
	if _, err := relocate(t, e, programtest.Widgets(), false); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, e, "/shop.example.com/widgets/ns/beta", "/shop.example.com/widgets/ns/other", "/shop.example.com/widgets/placed/b")
	if err := earlier(t, e); err != nil {
		t.Errorf("all is where it was, and an earlier release does not start: %v", err)
	}
}

func revisionOf(e *programtest.Etcd, t *testing.T) int64 {
	t.Helper()
	now, err := databaseOf(e).Source(storage.Form{}).Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// A new database is noted at once, so that no earlier release writes to it; one without such kinds
// is for both.
func TestNewDatabaseIsNoted(t *testing.T) {
	e := programtest.StartEtcd(t, nil)
	if _, err := relocate(t, e, programtest.Widgets(), true); err != nil || len(keysOf(e, t)) != 0 {
		t.Errorf("%v, %v", keysOf(e, t), err)
	}
	if _, err := relocate(t, e, programtest.Placed("placed"), true); err != nil || earlier(t, e) == nil {
		t.Errorf("%v, %v", keysOf(e, t), err)
	}
}

// A move that was stopped is continued from wherever that was, by this program or by another.
func TestStoppedMove(t *testing.T) {
	for _, s := range []struct {
		name string
		next program.Server
		at   string
	}{{"the same", programtest.Placed("placed"), "/placed/"}, {"another marker", programtest.Placed("elsewhere"), "/elsewhere/"}, {"no marker", programtest.Widgets(), "/shop.example.com/widgets/"}} {
		t.Run(s.name, func(t *testing.T) {
			e := programtest.StartEtcd(t, map[string]string{
				programtest.Prefix + "ns/a": programtest.BetaJSON, "/registry/placed/ns/b": programtest.BetaJSON,
				"/registry/.stored-versions": `{"keyPrefixes":{"widgets.shop.example.com":["/placed/","/shop.example.com/widgets/"]},"versions":{}}`,
			})
			if _, err := relocate(t, e, s.next, false); err != nil {
				t.Fatal(err)
			}
			wantKeys(t, e, s.at+"ns/a", s.at+"ns/b")
		})
	}
	// All was moved, and then it was stopped: what comes after the last object is made up for.
	e := programtest.StartEtcd(t, map[string]string{
		"/registry/placed/ns/b":      programtest.BetaJSON,
		"/registry/.stored-versions": `{"keyPrefixes":{"widgets.shop.example.com":["/placed/","/shop.example.com/widgets/"]},"versions":{}}`,
	})
	before := revisionOf(e, t)
	if _, err := relocate(t, e, programtest.Placed("placed"), false); err != nil {
		t.Fatal(err)
	}
	source := databaseOf(e).Source(storage.Form{})
	if _, err := source.List(t.Context(), "/placed/", storage.ListOptions{Match: storage.Exact, Revision: before - 1}); storage.CodeOf(err) != storage.CodeCompacted {
		t.Errorf("the history before it is there: %v", err)
	}
	if note := keysOf(e, t)["/.stored-versions"]; note != `{"keyPrefixes":{"widgets.shop.example.com":["/placed/"]},"versions":{}}` {
		t.Errorf("%s", note)
	}
}

// Nothing moves under a server that runs.
func TestMoveWaitsForOthers(t *testing.T) {
	e := programtest.StartEtcd(t, map[string]string{programtest.Prefix + "ns/beta": programtest.BetaJSON})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ctx.Err() == nil; i++ {
			_, _ = e.Client().Put(ctx, "/registry/leases/kube-system/somebody", fmt.Sprint(i))
			time.Sleep(10 * time.Millisecond)
		}
	}()
	_, err := relocate(t, e, programtest.Placed("placed"), true)
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
	if _, err := relocate(t, e, programtest.Placed("placed"), true); err != nil {
		t.Errorf("when it is quiet: %v", err)
	}
	wantKeys(t, e, "/placed/ns/beta", "/leases/kube-system/somebody")
}

// A server of an earlier release that nobody had noticed is noticed when it writes.
func TestGuard(t *testing.T) {
	e := programtest.StartEtcd(t, nil)
	o := program.NewOptions("widgets")
	known, err := NewKinds(programtest.Placed("placed"), &o.Store)
	if err != nil {
		t.Fatal(err)
	}
	r := Relocation{known: known, db: databaseOf(e)}
	failed := make(chan error, 1)
	go func() { failed <- r.Guard(t.Context()) }()
	e.Put(t, "/registry/placed/ns/good", programtest.BetaJSON)
	e.Put(t, programtest.Prefix+"not/of/them", programtest.BetaJSON)
	e.Put(t, programtest.Prefix+"ns/bad", programtest.BetaJSON)
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
	if err := r.Guard(ctx); err != nil {
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
	e := programtest.StartEtcd(t, map[string]string{programtest.Prefix + "ns/beta": programtest.BetaJSON})
	if _, err := relocate(t, e, programtest.Placed("first"), false, file); err != nil {
		t.Fatal(err)
	}
	sealed := keysOf(e, t)["/first/ns/beta"]
	if !strings.HasPrefix(sealed, "k8s:enc:aesgcm:v1:k:") {
		t.Fatalf("%q", sealed)
	}
	_, err := relocate(t, e, programtest.Placed("second"), false)
	if err == nil || !strings.Contains(err.Error(), "there is no encryption configuration") || keysOf(e, t)["/first/ns/beta"] != sealed {
		t.Errorf("without the keys: %v", err)
	}
	if _, err := relocate(t, e, programtest.Placed("second"), false, file); err != nil {
		t.Fatal(err)
	}
	moved := keysOf(e, t)["/second/ns/beta"]
	if !strings.HasPrefix(moved, "k8s:enc:aesgcm:v1:k:") || moved == sealed {
		t.Errorf("%q", moved)
	}
	o := program.NewOptions("widgets")
	o.Store.EncryptionConfig = file
	known, err := NewKinds(programtest.Placed("second"), &o.Store)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := known.Unlock(&o.Store, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer lock()
	value, _, err := known.Decrypted(known.Resources[0], "/registry").Canonical("/second/ns/beta", []byte(moved))
	if err != nil || string(value) != programtest.BetaJSON {
		t.Errorf("%q, %v", value, err)
	}
}

func TestPrefixesThatMeet(t *testing.T) {
	s := programtest.Placed("placed")
	s.Resources = append(s.Resources, programtest.Placed("placed/inside").Resources...)
	if err := CheckPrefixes(s); err == nil || !strings.Contains(err.Error(), "below /placed/inside/, which is the same place or inside it") {
		t.Errorf("%v", err)
	}
}
