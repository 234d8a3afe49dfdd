package serve

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/internal/tool"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

// shelf is a storage of a program's own: memory, with the methods of storage.Interface only.
type shelf struct {
	db     *memory.Database
	writes atomic.Int64
	broken atomic.Bool
	closed atomic.Bool
}

func (s *shelf) open(context.Context, program.StorageConfig) (storage.Backend, error) {
	return storage.Backend{
		Name: "a shelf",
		Open: func(root string, form storage.Form) storage.Interface {
			return shelved{memory.New(memory.Config{Database: s.db, Root: root, Form: form}), s}
		},
		Ready: func(context.Context) error {
			if s.broken.Load() {
				return errors.New("the shelf is broken")
			}
			return nil
		},
		Close: func() error {
			s.closed.Store(true)
			return nil
		},
	}, nil
}

type shelved struct {
	storage.Interface
	shelf *shelf
}

func (s shelved) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	s.shelf.writes.Add(1)
	return s.Interface.Create(ctx, key, value, with...)
}

func (s shelved) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	s.shelf.writes.Add(1)
	return s.Interface.GuaranteedUpdate(ctx, key, try)
}

// TestOwnStorage: a whole server runs over a storage that the program brings, with the watch cache
// and without it.
func TestOwnStorage(t *testing.T) {
	for name, cached := range map[string]bool{"cached": true, "uncached": false} {
		t.Run(name, func(t *testing.T) {
			own := &shelf{db: memory.NewDatabase()}
			s := programtest.Widgets()
			s.Storage = own.open
			t.Cleanup(func() {
				if !own.closed.Load() {
					t.Error("the server has ended and did not close its storage")
				}
			})
			i, client := runningServer(t, s, func(o *program.Options) { o.Store.InMemory, o.Store.WatchCache = false, cached })
			request := func(method, path, body string) (int, string) {
				t.Helper()
				return answer(t, client, method, i.URL()+path, body)
			}
			const widgets = "/apis/shop.example.com/v1/namespaces/default/widgets"
			writes := own.writes.Load()
			for _, step := range []struct {
				method, path, body string
				code               int
				want               string
			}{
				{"POST", widgets, `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"a"}}`, 201, `"name":"a"`},
				{"PATCH", widgets + "/a", `{"spec":{"color":"blue"}}`, 200, `"color":"blue"`},
				{"GET", widgets + "/a", "", 200, `"color":"blue"`},
				{"GET", widgets + "?resourceVersion=0", "", 200, `WidgetList`},
				{"GET", "/readyz", "", 200, "ok"},
				{"DELETE", widgets + "/a", "", 200, ""},
				{"GET", widgets + "/a", "", 404, "NotFound"},
			} {
				if code, text := request(step.method, step.path, step.body); code != step.code || !strings.Contains(text, step.want) {
					t.Fatalf("%s %s: got %d %s, want %d with %q", step.method, step.path, code, text, step.code, step.want)
				}
			}
			if n := own.writes.Load() - writes; n < 2 {
				t.Errorf("a create and a patch came to the storage as %d writes", n)
			}
			own.broken.Store(true)
			if code, text := request("GET", "/readyz?verbose", ""); code != 500 || !strings.Contains(text, "[-]etcd failed") {
				t.Errorf("with a broken storage: got %d %s", code, text)
			}
		})
	}
}

func answer(t *testing.T, client *http.Client, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if method == "PATCH" {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// TestOwnStorageRefuses: what would have no effect on a storage of one's own is an error that says
// so.
func TestOwnStorageRefuses(t *testing.T) {
	own := &shelf{db: memory.NewDatabase()}
	s := programtest.Widgets()
	s.Storage = own.open
	for _, args := range [][]string{
		{"--etcd-servers=http://127.0.0.1:2379"}, {"--etcd-servers=https://a", "--etcd-cafile=ca"}, {"--etcd-compaction-interval=1m"},
		{"backup", "file"}, {"restore", "file"}, {"inspect", "/"},
	} {
		dir := t.TempDir()
		args = append(args, "--data-dir="+dir)
		err := run(t.Context(), s, args, tool.Console{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
		if err == nil || !strings.Contains(err.Error(), "a storage of its own") || !strings.Contains(err.Error(), strings.Split(args[0], "=")[0]) {
			t.Errorf("%q: got error %v", args, err)
		}
		if made, _ := os.ReadDir(dir); len(made) > 0 {
			t.Errorf("%q: made %v", args, made)
		}
	}
	err := run(t.Context(), s, []string{"inspect", "--decode=-", programtest.Prefix + "ns/w"}, tool.Console{In: strings.NewReader(programtest.BetaJSON), Out: io.Discard, Err: io.Discard})
	if err != nil {
		t.Errorf("to decode a value takes no database: %v", err)
	}
	err = run(t.Context(), s, []string{"migrate", "--etcd-servers=https://a", "--data-dir=" + t.TempDir()}, tool.Console{Out: io.Discard, Err: io.Discard})
	if err == nil || !strings.Contains(err.Error(), "a storage of its own") {
		t.Errorf("migrate, in a cluster: got error %v", err)
	}
	fs, _ := program.NewFlags(s)
	if help := tool.Usage(s, fs); strings.Contains(help, "etcd-servers") || !strings.Contains(help, "in a storage of its own") {
		t.Errorf("the help speaks of an etcd:\n%s", help)
	}
}

// TestCommandsOnOwnStorage: what needs no etcd works on the program's own storage.
func TestCommandsOnOwnStorage(t *testing.T) {
	own := &shelf{db: memory.NewDatabase()}
	s := programtest.Widgets()
	s.Storage = own.open
	own.db.Put(programtest.Prefix+"ns/beta", []byte(programtest.BetaJSON))
	command := func(in string, args ...string) {
		t.Helper()
		args = append(args, "--data-dir="+t.TempDir())
		if err := run(t.Context(), s, args, tool.Console{In: strings.NewReader(in), Out: t.Output(), Err: t.Output()}); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		if !own.closed.Swap(false) {
			t.Errorf("%q did not close the storage", args)
		}
	}
	command("", "migrate")
	if got, _ := own.db.Get(programtest.Prefix + "ns/beta"); string(got) != programtest.Current(t, programtest.BetaJSON) {
		t.Errorf("migrated: %q", got)
	}
	command(`{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"new","namespace":"ns"}}`, "import", "--from=-")
	if got, _ := own.db.Get(programtest.Prefix + "ns/new"); len(got) == 0 {
		t.Error("what was imported is not there")
	}
}

// TestMovesOnOwnStorage: objects are not moved where the history can't be taken away, and nothing
// is begun that can't be ended.
func TestMovesOnOwnStorage(t *testing.T) {
	own := &shelf{db: memory.NewDatabase()}
	s := programtest.Placed("placed")
	s.Storage = own.open
	own.db.Put(programtest.Prefix+"ns/beta", []byte(programtest.BetaJSON))
	o := program.NewOptions("widgets")
	o.Serving.SecurePort, o.Store.DataDir = 0, t.TempDir()
	if _, err := Open(t.Context(), s, o); err == nil || !strings.Contains(err.Error(), "can't take its history away") {
		t.Errorf("got error %v", err)
	}
	if _, at := own.db.Get(programtest.Prefix + "ns/beta"); at == 0 || own.writes.Load() > 0 {
		t.Errorf("the object is at revision %d, and there were %d writes", at, own.writes.Load())
	}
	s.Storage = func(ctx context.Context, c program.StorageConfig) (storage.Backend, error) {
		b, err := own.open(ctx, c)
		b.Forget = func(context.Context) error { return own.db.Compact(own.db.Revision()) }
		return b, err
	}
	i, client := runningServer(t, s, func(o *program.Options) { o.Store.InMemory = false })
	if code, text := answer(t, client, "GET", i.URL()+"/apis/shop.example.com/v1/namespaces/ns/widgets/beta", ""); code != 200 {
		t.Errorf("after the move: %d %s", code, text)
	}
}

// TestStorageThatFails: an error of the program's own is told, and what is no storage is refused.
func TestStorageThatFails(t *testing.T) {
	for want, open := range map[string]func(context.Context, program.StorageConfig) (storage.Backend, error){
		"no disk": func(context.Context, program.StorageConfig) (storage.Backend, error) {
			return storage.Backend{}, errors.New("no disk")
		},
		"without Open": func(context.Context, program.StorageConfig) (storage.Backend, error) { return storage.Backend{}, nil },
	} {
		s := programtest.Widgets()
		s.Storage = open
		o := program.NewOptions("widgets")
		o.Serving.SecurePort, o.Store.DataDir = 0, t.TempDir()
		if _, err := Open(t.Context(), s, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}
