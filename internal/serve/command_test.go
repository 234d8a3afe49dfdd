package serve

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage/embedded"
)

// widgetServer serves the kind of package widget.
func widgetServer() Server {
	return Server{
		Name:        "widgets",
		AddToScheme: widget.AddToScheme,
		Resources: []registry.Resource{registry.Define(registry.Definition[*widget.Widget]{
			GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true,
			StorageVersion: widget.GV1,
			Versions:       []schema.GroupVersion{widget.GV1, widget.GV1beta1},
		})},
	}
}

// Stored forms of a widget: today's, and two of former days.
const (
	prefix      = "/registry/shop.example.com/widgets/"
	betaJSON    = `{"kind":"Widget","apiVersion":"shop.example.com/v1beta1","metadata":{"name":"beta","namespace":"ns"},"spec":{"colour":"red"}}`
	unknownJSON = `{"kind":"Widget","apiVersion":"shop.example.com/v1","metadata":{"name":"loose","namespace":"ns"},"spec":{"color":"blue","gone":true}}`
)

// current is what a server would write of a stored value.
func current(t *testing.T, stored string) string {
	t.Helper()
	form, err := widgetServer().Resources[0].Form(widget.Scheme(), registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	value, _, err := form.Canonical("/k", []byte(stored))
	if err != nil {
		t.Fatal(err)
	}
	return string(value)
}

// etcd is a data directory in which an etcd runs, with some keys.
type etcd struct {
	dir string
	*embedded.Server
}

// database is that etcd as a command finds it.
func (e *etcd) database() *database {
	d := etcdDatabase(e.Client())
	d.root = "/registry"
	return d
}

func startEtcd(t *testing.T, keys map[string]string) *etcd {
	t.Helper()
	e := &etcd{dir: t.TempDir()}
	s, err := embedded.Start(t.Context(), embedded.Config{Dir: e.dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	e.Server = s
	for key, value := range keys {
		e.put(t, key, value)
	}
	return e
}

func (e *etcd) put(t *testing.T, key, value string, opts ...clientv3.OpOption) {
	t.Helper()
	if _, err := e.Client().Put(t.Context(), key, value, opts...); err != nil {
		t.Fatal(err)
	}
}

// do runs a command as main does, and returns what it wrote.
func do(t *testing.T, in string, args ...string) (out, log string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	err = run(t.Context(), widgetServer(), args, console{in: strings.NewReader(in), out: &o, err: &e})
	return o.String(), e.String(), err
}

// must is do for a command that succeeds.
func must(t *testing.T, args ...string) string {
	t.Helper()
	out, log, err := do(t, "", args...)
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out, log)
	}
	return out
}

func TestHelp(t *testing.T) {
	if out := must(t, "help"); !strings.Contains(out, "widgets migrate") || !strings.Contains(out, "--secure-port") {
		t.Errorf("help:\n%s", out)
	}
	if out := must(t, "help", "backup"); !strings.Contains(out, "Usage: widgets backup FILE [flags]") || !strings.Contains(out, "--force") {
		t.Errorf("help backup:\n%s", out)
	}
	out, _, err := do(t, "", "restore", "--help")
	if !errors.Is(err, pflag.ErrHelp) || !strings.Contains(out, "--replace") {
		t.Errorf("restore --help: %v\n%s", err, out)
	}
}

func TestRefusedCommandLines(t *testing.T) {
	for line, want := range map[string]string{
		"inspct":                                "did you mean inspect?",
		"serve":                                 "there are help, inspect, backup, restore, migrate",
		"help bakup":                            "did you mean backup?",
		"inspect":                               "want one argument, a key or a prefix",
		"inspect a b":                           "got 2",
		"inspect a b --decode -":                "its key at most",
		"inspect a/ --decode -":                 "its key at most",
		"inspect --decode -":                    "there is nothing in it",
		"inspect a -o xml":                      "want yaml, json, raw or table",
		"inspect a --etcd-prefix registry":      "begins with a slash",
		"inspect a --data-dir /nonexistent/dir": "there is no database in it",
		"backup":                                "the file to write",
		"backup f --etcd-cafile x":              "--etcd-servers",
		"backup /dev/null --force":              "/dev/null is not a file",
		"backup f --forc":                       "did you mean --force?",
		"restore":                               "the file to restore from",
		"restore /nonexistent --data-dir x":     "no such file",
		"migrate now":                           "no arguments",
		"migrate --rate -1":                     "--rate=-1",
		"migrate --storage-versions a/b/c":      "group/version",
		"migrate --storage-versions other/v1":   "fits no resource",
	} {
		_, _, err := do(t, "", strings.Fields(line)...)
		if err == nil || !strings.Contains(err.Error(), want) || exitCode(err) != 1 {
			t.Errorf("%s: %v (exit %d), want %q", line, err, exitCode(err), want)
		}
	}
}

func TestProgress(t *testing.T) {
	var lines, painted bytes.Buffer
	for terminal, w := range map[bool]*bytes.Buffer{false: &lines, true: &painted} {
		p := newProgress(console{err: w, terminal: terminal}, "work", plainCount)
		p.set(1, 10)
		if w.Len() > 0 {
			t.Errorf("terminal %v, shown at once: %q", terminal, w)
		}
		p.last = p.last.Add(-lineEvery)
		p.set(5, 10)
		p.set(10, 10)
		p.end()
	}
	if got := strings.Count(lines.String(), "\n"); got != 2 || !strings.HasPrefix(lines.String(), "work: 5 of 10, ") || strings.Contains(lines.String(), "\r") {
		t.Errorf("lines: %q", lines.String())
	}
	if got := painted.String(); !strings.HasPrefix(got, "\rwork [###############               ] 5 of 10, ") || strings.Count(got, "\n") != 1 {
		t.Errorf("painted: %q", got)
	}
}
