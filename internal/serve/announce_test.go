package serve

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
)

// TestAnnounce: the log of a start has what a person wants to know, in a few lines.
func TestAnnounce(t *testing.T) {
	e := programtest.StartEtcd(t, map[string]string{programtest.Prefix + "ns/beta": programtest.BetaJSON, programtest.Prefix + "ns/other": programtest.BetaJSON})
	servers := "unix://" + e.Socket()
	config := filepath.Join(t.TempDir(), "encryption.yaml")
	if err := os.WriteFile(config, []byte(anEncryption), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name   string
		change func(*program.Options)
		want   []string
		warns  string
	}{
		{"in memory", func(o *program.Options) { o.Store.InMemory = true },
			[]string{"widgets (devel) listens on https://127.0.0.1:", "objects are in memory", "as=shop.example.com/v1 encrypted=none audit=off", "there are 0 objects"}, ""},
		{"embedded", func(*program.Options) {},
			[]string{"objects are in an etcd inside this process", "etcd=3.", "dir=", "audit=", "audit.log", "there are 0 objects"}, ""},
		{"a cluster", func(o *program.Options) { o.Store.EtcdServers = []string{servers} },
			[]string{"objects are in etcd", "etcd=3.", "servers=" + servers, "below=/registry", "there are 2 objects", "widgets.shop.example.com=2"}, ""},
		{"encrypted", func(o *program.Options) { o.Store.InMemory, o.Store.EncryptionConfig = true, config },
			[]string{"encrypted=widgets.shop.example.com"}, ""},
		{"for others", func(o *program.Options) { o.Store.InMemory, o.Serving.BindAddress = true, "0.0.0.0" }, nil, "built with a Go"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := program.NewOptions("widgets")
			o.Serving.SecurePort, o.Store.DataDir = 0, t.TempDir()
			var out bytes.Buffer
			o.Log = slog.New(slog.NewTextHandler(&out, nil))
			tc.change(o)
			i, err := Open(t.Context(), programtest.Widgets(), o)
			if err != nil {
				t.Fatal(err)
			}
			if err := i.opened.close(); err != nil {
				t.Error(err)
			}
			for _, want := range tc.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("nothing about %q in\n%s", want, &out)
				}
			}
			if n := strings.Count(out.String(), "level=INFO"); n > 6 {
				t.Errorf("%d lines:\n%s", n, &out)
			}
			if warned := strings.Contains(out.String(), "built with a Go"); warned != (tc.warns != "" && faultyGo(runtime.Version())) {
				t.Errorf("warned of Go: %v\n%s", warned, &out)
			}
		})
	}
}

// TestFaultyGo: README.md names the release.
func TestFaultyGo(t *testing.T) {
	for version, want := range map[string]bool{
		"go1.26": true, "go1.26rc1": true, "go1.26.0": true, "go1.26.9": true, "go1.26.9-custom": true,
		"go1.26.10": false, "go1.26.11 X:nodwarf5": false, "go1.27": false, "go1.27.1": false, "devel go1.28-abc": false,
	} {
		if faultyGo(version) != want {
			t.Errorf("%s: %v", version, !want)
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil || !strings.Contains(string(readme), "Go "+strings.TrimPrefix(goodGo, "go")) {
		t.Errorf("README.md names another release: %v", err)
	}
}

const anEncryption = `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources: [{resources: ['*.*'], providers: [{aesgcm: {keys: [{name: a, secret: MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=}]}}]}]
`
