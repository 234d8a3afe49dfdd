package encryption

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/kmstest"
	"github.com/typeplane/typeplane/storage"
)

var pods = Resource{"", "pods"}

const quick = 20 * time.Millisecond

// secret returns a new key of n bytes as the file has it.
func secret(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return base64.StdEncoding.EncodeToString(b)
}

// keysOf is a provider with new keys.
func keysOf(provider string, names ...string) string {
	s := "{" + provider + ": {keys: ["
	for _, name := range names {
		s += "{name: " + name + ", secret: " + secret(32) + "},"
	}
	return s + "]}}"
}

func kmsOf(name string, p *kmstest.Plugin) string {
	return "{kms: {apiVersion: v2, name: " + name + ", endpoint: '" + p.Endpoint() + "', timeout: 1m}}"
}

// impatient makes the minute that plug-ins have for a call, on a machine that has other things to
// do, a second.
func impatient(config string) string { return strings.ReplaceAll(config, "timeout: 1m", "timeout: 1s") }

// file is a configuration with one rule.
func file(resource string, providers ...string) string {
	return "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: ['" + resource +
		"']\n  providers:\n  - " + strings.Join(providers, "\n  - ") + "\n"
}

// opened is an Encryption over a file that the test may change.
type opened struct {
	*Encryption
	t    testing.TB
	file string
	log  *logBuffer
	news chan struct{} // filled by changed
}

func open(t testing.TB, content string, change ...func(*Options)) *opened {
	t.Helper()
	o := &opened{t: t, file: filepath.Join(t.TempDir(), "encryption.yaml"), log: &logBuffer{}, news: make(chan struct{}, 100)}
	o.write(content)
	options := Options{File: o.file, Reload: true, Log: slog.New(slog.NewTextHandler(o.log, nil)), every: quick, pace: pace{quick, quick}}
	for _, c := range change {
		c(&options)
	}
	e, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	o.Encryption = e
	t.Cleanup(e.Close)
	e.Start(func() { o.news <- struct{}{} })
	return o
}

// write replaces the file.
func (o *opened) write(content string) {
	o.t.Helper()
	next := o.file + ".next"
	if err := os.WriteFile(next, []byte(content), 0o600); err != nil {
		o.t.Fatal(err)
	}
	if err := os.Rename(next, o.file); err != nil {
		o.t.Fatal(err)
	}
}

// reload replaces the file and waits until it is in effect.
func (o *opened) reload(content string) {
	o.t.Helper()
	o.write(content)
	o.wait()
}

// wait waits until caches are told to read again.
func (o *opened) wait() {
	o.t.Helper()
	select {
	case <-o.news:
	case <-time.After(time.Minute):
		o.t.Fatalf("nothing changed in a minute; the log:\n%s", o.log)
	}
}

// form is that of pods, whose values lie below /registry as they are except for encryption.
func (o *opened) form() storage.Form {
	return o.Form(Target{Resource: pods, Root: "/registry"})
}

// eventually fails the test unless ok becomes true.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("after a minute: not " + what)
		}
	}
}

type logBuffer struct {
	mu     sync.Mutex // guards buffer
	buffer bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
