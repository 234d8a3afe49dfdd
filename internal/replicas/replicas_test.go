package replicas_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/bookkeeping"
	"github.com/typeplane/typeplane/internal/replicas"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

func secret(t *testing.T, text string) replicas.Secret {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := replicas.ReadSecret(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// If servers start at the same time, each with keys of its own, all get the keys of one.
func TestAllShareOneIdentity(t *testing.T) {
	store, given := memory.New(memory.Config{}), secret(t, " sixteen bytes or more\n")
	var wg sync.WaitGroup
	got := make([]replicas.Identity, 4)
	for n := range got {
		wg.Go(func() {
			var err error
			got[n], err = replicas.Share(t.Context(), store, given, func() (replicas.Identity, error) {
				return replicas.Identity{"ca.key": []byte(fmt.Sprint("of server ", n))}, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, id := range got {
		if len(id["ca.key"]) == 0 || id.Differs(got[0]) != "" {
			t.Errorf("identities: %q", got)
		}
	}
	page, err := store.List(t.Context(), "/", storage.ListOptions{})
	if err != nil || len(page.Entries) != 1 {
		t.Fatalf("%d entries, %v", len(page.Entries), err)
	}
	if bytes.Contains(page.Entries[0].Value, []byte("of server")) {
		t.Errorf("the database has the identity in the open: %s", page.Entries[0].Value)
	}
}

// Another secret opens nothing, and nothing of it is made anew.
func TestAnotherSecret(t *testing.T) {
	store := memory.New(memory.Config{})
	mine := func() (replicas.Identity, error) { return replicas.Identity{"a": []byte("b")}, nil }
	if _, err := replicas.Share(t.Context(), store, secret(t, "the secret of the first"), mine); err != nil {
		t.Fatal(err)
	}
	_, err := replicas.Share(t.Context(), store, secret(t, "the secret of the other"), func() (replicas.Identity, error) {
		t.Error("an identity was made where there is one")
		return nil, nil
	})
	if want := (replicas.SecretError{}); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

// What was changed in the database is an error, whatever the change is.
func TestADamagedIdentity(t *testing.T) {
	store, given := memory.New(memory.Config{}), secret(t, "sixteen bytes or more")
	mine := func() (replicas.Identity, error) { return replicas.Identity{"a": []byte("b")}, nil }
	if _, err := replicas.Share(t.Context(), store, given, mine); err != nil {
		t.Fatal(err)
	}
	page, err := store.List(t.Context(), "/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	whole := page.Entries[0]
	for _, damaged := range []string{
		"", "{}", `{"pbkdf2Iterations":-1}`, `{"pbkdf2Iterations":99999999999}`, `{"pbkdf2Iterations":1,"salt":"AAAA","value":"AAAA"}`,
		strings.Replace(string(whole.Value), `"value":"`, `"value":"AAAA`, 1), string(whole.Value[:len(whole.Value)/2]),
	} {
		if _, err := store.GuaranteedUpdate(t.Context(), whole.Key, func(storage.Entry) ([]byte, []storage.Op, error) { return []byte(damaged), nil, nil }); err != nil {
			t.Fatal(err)
		}
		if id, err := replicas.Share(t.Context(), store, given, mine); err == nil {
			t.Errorf("of %q it made %q", damaged, id)
		}
	}
}

func TestAShortSecretIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("  short          \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := replicas.ReadSecret(file); err == nil || !strings.Contains(err.Error(), "holds 5 bytes, want 16 at least") {
		t.Error(err)
	}
}

// A server is in the register while it runs, and not once it has ended.
func TestRegister(t *testing.T) {
	ctx := t.Context()
	register := replicas.Register{Store: memory.New(memory.Config{}), Log: slog.New(slog.DiscardHandler)}
	names := func(except string) string {
		all, err := register.List(ctx, except)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range all {
			ids = append(ids, r.ID)
		}
		return strings.Join(ids, ",")
	}
	start := time.Now()
	for n, id := range []string{"b", "a", "c"} {
		if err := register.Enter(ctx, replicas.Replica{ID: id, Started: start.Add(time.Duration(n) * time.Second)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := names(""); got != "b,a,c" {
		t.Errorf("they run: %s", got)
	}
	if got := names("b"); got != "a,c" {
		t.Errorf("the others of b: %s", got)
	}
	if err := register.Leave(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if err := register.Leave(ctx, "a"); err != nil {
		t.Errorf("leave twice: %v", err)
	}
	if got := names(""); got != "b,c" {
		t.Errorf("when a has ended: %s", got)
	}
}

// TestKeysOfALaterRelease covers keys that this program can't read: it does not start beside them.
func TestKeysOfALaterRelease(t *testing.T) {
	store := memory.New(memory.Config{})
	for _, key := range []string{"/.identity", "/.replicas/a"} {
		value := bookkeeping.Format{Number: 2, Release: "v9.0.0"}.Encode([]byte("{}"))
		if _, err := store.Create(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	_, shared := replicas.Share(t.Context(), store, secret(t, "sixteen bytes or more"), nil)
	_, listed := replicas.Register{Store: store}.List(t.Context(), "")
	for key, err := range map[string]error{"/.identity": shared, "/.replicas/a": listed} {
		if want := key + " in the database has format 2, and this program reads formats up to 1: start a program that is built with Typeplane v9.0.0 or later"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", key, err)
		}
	}
}
