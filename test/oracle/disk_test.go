package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
	"github.com/typeplane/typeplane/internal/faultdisk"
)

// onDisk is a server with its own etcd, on a disk that can fail.
func onDisk(t *testing.T, ctx context.Context) *server {
	t.Helper()
	needDisk(t, Config{})
	library, _ := build(t)
	dir := filepath.Join(t.TempDir(), "data")
	disk, err := faultdisk.New(filepath.Join(dir, "member"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(ctx, 0, library, dir, "", disk, []string{"--enable-api=none"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	return s
}

// says wants an answer with a status and a part of its text.
func (s *server) says(t *testing.T, r request, code int, text string) {
	t.Helper()
	if a := s.do(t.Context(), r); a.code != code || !strings.Contains(string(a.data), text) {
		t.Errorf("%s %s?%s: %d %s %s; want %d with %q", r.method, r.path, r.query.Encode(), a.code, a.message, a.data, code, text)
	}
}

// createUntil creates books until one is refused for certain, and wants that to have a status and a
// part of its text.
func (s *server) createUntil(t *testing.T, ctx context.Context, code int, text string) {
	t.Helper()
	for i := 0; ctx.Err() == nil; i++ {
		a := s.do(ctx, longBookRequest("east/new-"+time.Now().Format("150405.000000000")))
		switch {
		case a.code == http.StatusCreated, a.code == http.StatusGatewayTimeout:
			// It came before the fault, or was on its way.
		case a.code == code && strings.Contains(string(a.data), text):
			return
		default:
			t.Fatalf("a create: %d %s", a.code, a.data)
		}
	}
	t.Fatalf("no create was refused: %v", ctx.Err())
}

// longBookRequest creates a book that makes the database grow.
func longBookRequest(key string) request {
	return newBookRequest(key, Content{Token: strings.Repeat("long ", 2000), Title: "title", Group: "red", Shelf: "low"})
}

var (
	latest   = request{method: http.MethodGet, path: path(storedVersion, "")}
	inMemory = request{method: http.MethodGet, path: path(storedVersion, ""), query: url.Values{"resourceVersion": {"0"}}}
)

// A server on a disk that has failed goes on: it says why it writes nothing, and answers what it
// can.
func TestServerOnFailingDisk(t *testing.T) {
	for _, tc := range []struct {
		name   string
		fault  faultdisk.Fault
		latest int // the status of a read of the newest state
		text   string
	}{
		{"log", faultdisk.NoSyncs.Of("/wal/"), 200, "east/book"},
		{"database", faultdisk.NoSyncs.Of("/db"), 500, "resourceVersion=0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			s := onDisk(t, ctx)
			s.says(t, longBookRequest("east/book"), 201, "")
			watch, _, err := s.open(ctx, request{method: http.MethodGet, path: latest.path, query: url.Values{"watch": {"true"}}})
			if err != nil {
				t.Fatal(err)
			}
			defer watch.Body.Close()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				io.Copy(io.Discard, watch.Body)
			}()

			s.says(t, latest, 200, `"name":"book"`)
			s.disk.Fail(tc.fault)
			s.createUntil(t, ctx, 500, "the disk of the storage has failed, and nothing can be written")
			s.says(t, inMemory, 200, `"name":"book"`)
			if tc.latest == 200 {
				tc.text = `"name":"book"`
			}
			s.says(t, latest, tc.latest, tc.text)
			s.says(t, request{method: http.MethodGet, path: "/livez"}, 200, "ok")
			s.says(t, request{method: http.MethodGet, path: "/readyz"}, 500, "[-]etcd failed")
			s.says(t, request{method: http.MethodGet, path: "/readyz/etcd"}, 500, "mend the disk")
			s.says(t, request{method: http.MethodGet, path: "/metrics"}, 200, "typeplane_storage_disk_free_bytes")
			select {
			case <-ended:
				t.Error("the watch ended")
			default:
			}
			if err := s.stop(); err != nil {
				t.Error(err)
			}
			s.wantLog(t, "the disk of the storage has failed")
		})
	}
}

// A server on a disk that is full refuses writes with 507, and ends when there is room, for whoever
// starts it again.
func TestServerOnFullDisk(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s := onDisk(t, ctx)
	s.says(t, longBookRequest("east/book"), 201, "")
	full := time.Now()
	s.disk.Fail(faultdisk.Full) // the system goes on to say that there is room
	s.createUntil(t, ctx, 507, "the disk of the storage is full")
	select {
	case <-s.process.Ended():
	case <-ctx.Done():
		t.Fatal("it has not ended")
	}
	s.wantLog(t, "the disk of the storage is full")
	s.wantLog(t, "library: the embedded etcd has stopped: the disk was full and has room again")
	s.disk.Fail(faultdisk.NotFaulty)
	if err := s.disk.Cut(nil); err != nil {
		t.Fatal(err)
	}
	if err := s.start(ctx); err != nil {
		t.Fatal(err)
	}
	s.says(t, latest, 200, `"name":"book"`)
	s.says(t, longBookRequest("east/last"), 201, "")
	drill.FullDisk.Count("full disks", 1)
	drill.FullDisk.Worst("writes again", time.Since(full))
}

// wantLog wants a text in the log, and no stack.
func (s *server) wantLog(t *testing.T, text string) {
	t.Helper()
	log, err := os.ReadFile(s.logFile())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(log), text) || strings.Contains(string(log), "goroutine ") {
		t.Errorf("the log has no %q, or a stack:\n%s", text, log)
	}
}
