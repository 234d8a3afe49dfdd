package serve

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/internal/tool"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

// shared is a database that several servers have, as they have an etcd.
type shared struct{ *memory.Database }

func newShared() shared { return shared{memory.NewDatabase()} }

func (s shared) of(p program.Server) program.Server {
	p.Storage = func(context.Context, program.StorageConfig) (storage.Backend, error) {
		return storage.Backend{Name: "a shared memory", Shared: true, Open: func(root string, form storage.Form) storage.Interface {
			return memory.New(memory.Config{Database: s.Database, Root: root, Form: form, ProgressInterval: 10 * time.Millisecond})
		}}, nil
	}
	return p
}

// replica is a server on a shared database, in a data directory of its own.
func (s shared) replica(t *testing.T, p program.Server, change func(*program.Options)) (*Instance, *http.Client) {
	t.Helper()
	return runningServer(t, s.of(p), func(o *program.Options) {
		o.Store.InMemory = false
		if change != nil {
			change(o)
		}
	})
}

func secretFile(t *testing.T, secret string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestReplicasAreOneService: to those who have the kubeconfig of one, all servers with the same
// secret are the same.
func TestReplicasAreOneService(t *testing.T) {
	s, secret := newShared(), secretFile(t, "a secret of this cluster")
	var servers []*Instance
	var clients []*http.Client
	for range 3 {
		i, client := s.replica(t, programtest.Widgets(), func(o *program.Options) { o.Store.ClusterSecretFile = secret })
		servers, clients = append(servers, i), append(clients, client)
	}
	post(t, clients[0], servers[0].URL()+widgetsPath, aWidget)
	for n, client := range clients {
		for _, server := range servers {
			if body := getBody(t, client, server.URL()+widgetsPath+"/w"); !strings.Contains(body, `"name":"w"`) {
				t.Errorf("the client of server %d: %s", n, body)
			}
		}
	}
	keys := func(i *Instance, name string) string {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(i.Kubeconfig()), "pki", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, name := range []string{"ca.crt", "ca.key", "service-accounts.key"} {
		if keys(servers[0], name) != keys(servers[1], name) || keys(servers[0], name) != keys(servers[2], name) {
			t.Errorf("the servers have different %s", name)
		}
	}
}

// TestReplicasWithAnotherSecretOrOtherKeys do not start, and say why.
func TestReplicasWithAnotherSecretOrOtherKeys(t *testing.T) {
	s, secret := newShared(), secretFile(t, "a secret of this cluster")
	s.replica(t, programtest.Widgets(), func(o *program.Options) { o.Store.ClusterSecretFile = secret })
	alone, _ := running(t, nil) // has keys of its own
	own := filepath.Dir(alone.Kubeconfig())
	for name, test := range map[string]struct {
		dir, secret, want string
	}{
		"another secret": {t.TempDir(), secretFile(t, "a secret of another cluster"), "--cluster-secret-file=%s: the servers that started before on this database were given another secret"},
		"short secret":   {t.TempDir(), secretFile(t, "short"), "holds 5 bytes, want 16 at least"},
		"no such file":   {t.TempDir(), "/nowhere/secret", "--cluster-secret-file: open /nowhere/secret: no such file"},
		"other keys":     {own, secret, filepath.Join(own, "pki", "ca.crt") + " is not the one of the servers that share this etcd: remove " + filepath.Join(own, "pki")},
	} {
		o := program.NewOptions("widgets")
		o.Serving.SecurePort, o.Store.DataDir, o.Store.ClusterSecretFile = 0, test.dir, test.secret
		o.Log = slog.New(slog.DiscardHandler)
		want := strings.ReplaceAll(test.want, "%s", test.secret)
		if _, err := Open(t.Context(), s.of(programtest.Widgets()), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}

// lines collects what a server logs.
type lines struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.String()
}

// TestServersWithOtherKeysAreTold: two servers on one database that nobody has given a secret run,
// and the second says what does not work and what to do.
func TestServersWithOtherKeysAreTold(t *testing.T) {
	s, log := newShared(), new(lines)
	first, _ := s.replica(t, programtest.Widgets(), nil)
	s.replica(t, programtest.Widgets(), func(o *program.Options) { o.Log = slog.New(slog.NewTextHandler(log, nil)) })
	for _, want := range []string{
		"the server at " + first.URL() + ", on ", "has another certificate authority: kubeconfig files and client certificates of one are refused by the other",
		"has another key of service account tokens", "give all of them the same --cluster-secret-file, or copy the directory ",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("nothing of %q in:\n%s", want, log)
		}
	}
}

// awaitReport waits until the server's report on its storage has a part.
func awaitReport(t *testing.T, client *http.Client, i *Instance, part string) string {
	t.Helper()
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		report := getBody(t, client, i.URL()+"/debug/storage")
		if strings.Contains(report, part) {
			return report
		}
		if time.Since(start) > 30*time.Second {
			t.Fatalf("never %s: %s", part, report)
		}
	}
}

// TestNewReleaseBesideAnOldOne: while a server runs that does not know the new storage version,
// nobody stores it. When the last one has ended all objects are rewritten, and no old one starts
// any more.
func TestNewReleaseBesideAnOldOne(t *testing.T) {
	s, secret := newShared(), secretFile(t, "a secret of this cluster")
	withSecret := func(o *program.Options) { o.Store.ClusterSecretFile = secret }
	oldContext, stopOld := context.WithCancel(t.Context())
	o := program.NewOptions("widgets")
	o.Serving.SecurePort, o.Store.DataDir, o.Log = 0, t.TempDir(), slog.New(slog.NewTextHandler(t.Output(), nil))
	withSecret(o)
	old, err := Open(oldContext, s.of(programtest.OldWidgets()), o)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- old.Serve(oldContext) }()
	config, err := old.AdminTLS()
	if err != nil {
		t.Fatal(err)
	}
	oldClient := &http.Client{Transport: &http.Transport{TLSClientConfig: config.Clone()}}
	defer oldClient.CloseIdleConnections()

	i, client := s.replica(t, programtest.Widgets(), withSecret)
	post(t, client, i.URL()+widgetsPath, aWidget)
	stored := func() string {
		value, _ := s.Get(programtest.Prefix + "default/w")
		return string(value)
	}
	if !strings.Contains(stored(), "shop.example.com/v1beta1") {
		t.Errorf("beside an old server it lies there as %q", stored())
	}
	if body := getBody(t, oldClient, old.URL()+"/apis/shop.example.com/v1beta1/namespaces/default/widgets/w"); !strings.Contains(body, `"name":"w"`) {
		t.Errorf("the old server: %s", body)
	}
	if report := getBody(t, client, i.URL()+"/debug/storage"); !strings.Contains(report, `"state": "waiting"`) || !strings.Contains(report, `"written": "shop.example.com/v1beta1"`) {
		t.Errorf("report: %s", report)
	}
	if metrics := getBody(t, client, i.URL()+"/metrics"); !strings.Contains(metrics, "\ntypeplane_storage_migration_waiting 1\n") || !strings.Contains(metrics, "\ntypeplane_storage_migration_rewritten_total 0\n") {
		t.Errorf("metrics: %s", metrics)
	}

	var said bytes.Buffer
	if err := run(t.Context(), s.of(programtest.Widgets()), []string{"migrate", "--data-dir", t.TempDir()}, tool.Console{Out: &said, Err: &said}); err == nil ||
		!strings.Contains(err.Error(), "would be written in shop.example.com/v1, and these servers can't read that: "+old.URL()) || !strings.Contains(stored(), "v1beta1") {
		t.Errorf("migrate beside an old server: %v, stored is %q", err, stored())
	}

	stopOld()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); strings.Contains(stored(), "v1beta1"); time.Sleep(50 * time.Millisecond) {
		if time.Since(start) > 30*time.Second {
			t.Fatalf("still stored as %q: %s", stored(), getBody(t, client, i.URL()+"/debug/storage"))
		}
	}
	if report := awaitReport(t, client, i, `"rewritten": 1`); !strings.Contains(report, `"state": "idle"`) || strings.Contains(report, `"written": `) {
		t.Errorf("report: %s", report)
	}
	if metrics := getBody(t, client, i.URL()+"/metrics"); !strings.Contains(metrics, "\ntypeplane_storage_migration_waiting 0\n") || !strings.Contains(metrics, "\ntypeplane_storage_migration_rewritten_total 1\n") {
		t.Errorf("metrics: %s", metrics)
	}
	o.Store.DataDir = t.TempDir()
	if _, err := Open(t.Context(), s.of(programtest.OldWidgets()), o); err == nil || !strings.Contains(err.Error(), "may be stored in shop.example.com/v1, which this program does not have any more") {
		t.Errorf("an old server starts again: %v", err)
	}
}
