package serve

import (
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/certtest"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
)

func TestInvalidity(t *testing.T) {
	begin, end := time.Date(2025, 3, 1, 6, 0, 0, 0, time.UTC), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		now  time.Time
		want string
	}{
		{begin, ""},
		{end, ""},
		{end.Add(time.Second), "expired less than a day ago, on 2026-03-01"},
		{end.Add(47 * time.Hour), "expired 1 day ago, on 2026-03-01"},
		{time.Date(2026, 11, 28, 13, 0, 0, 0, time.FixedZone("", 3600)), "expired 272 days ago, on 2026-03-01"},
		{begin.Add(-time.Second), "is not valid yet: it starts in less than a day, on 2025-03-01"},
		{begin.Add(-48 * time.Hour), "is not valid yet: it starts in 2 days, on 2025-03-01"},
	} {
		if got := invalidity(&x509.Certificate{NotBefore: begin, NotAfter: end}, tc.now); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.now, got, tc.want)
		}
	}
}

// TestInvalidCertificates: each file with certificates is checked at the start, and again when it
// was replaced.
func TestInvalidCertificates(t *testing.T) {
	dir, ca := t.TempDir(), certtest.New(t)
	expired := ca.Issue(t, x509.Certificate{NotBefore: time.Now().AddDate(-1, 0, 0), NotAfter: time.Now().Add(-272*24*time.Hour - time.Hour)})
	certFile, keyFile := certtest.WritePair(t, dir, "expired", expired)
	good, goodKey := certtest.WritePair(t, dir, "good", ca.Server(t))
	kubeconfig := filepath.Join(dir, "kubeconfig")
	writeFiles(t, map[string][]byte{kubeconfig: []byte(fmt.Sprintf(`{"current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
		"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1", "certificate-authority": %q}}],
		"users": [{"name": "u", "user": {"client-certificate": %q, "client-key": %q}}]}`, certFile, certFile, keyFile))})

	for name, tc := range map[string]struct {
		set  func(*program.Options)
		open func(*plan) error
		want int // lines
	}{
		"serving certificate":                       {open: func(p *plan) error { _, err := openCertificate(certFile, keyFile, p.log); return err }, want: 1},
		"authority of clients":                      {set: func(o *program.Options) { o.Authentication.ClientCAFile = certFile }, open: func(p *plan) error { _, err := openClients(&p.options.Authentication, ca.PEM, p.log); return err }, want: 1},
		"authority of front proxies":                {set: func(o *program.Options) { o.Authentication.RequestHeaderCAFile = certFile }, open: func(p *plan) error { _, err := openFrontProxy(&p.options.Authentication, p.log); return err }, want: 1},
		"certificate of --root-ca-file":             {set: func(o *program.Options) { o.Authentication.RootCAFile = certFile }, want: 1},
		"certificate of --oidc-ca-file":             {set: func(o *program.Options) { o.Authentication.OIDC.CAFile = certFile }, want: 1},
		"certificate of --etcd-cafile":              {set: func(o *program.Options) { o.Store.EtcdCAFile = certFile }, want: 1},
		"certificate of --etcd-certfile":            {set: func(o *program.Options) { o.Store.EtcdCertFile, o.Store.EtcdKeyFile = certFile, keyFile }, want: 1},
		"certificate of --authorization-kubeconfig": {set: func(o *program.Options) { o.Delegation.AuthorizationKubeconfig = kubeconfig }, open: func(p *plan) error { _, err := p.openDelegation(t.Context(), new(closers)); return err }, want: 2},
		"none": {set: func(o *program.Options) {
			o.Authentication.RootCAFile, o.Authentication.OIDC.CAFile, o.Store.EtcdCertFile = good, filepath.Join(dir, "missing"), goodKey
		}},
	} {
		var log strings.Builder
		p := &plan{options: program.NewOptions("widgets"), log: slog.New(slog.NewTextHandler(&log, nil))}
		if tc.set != nil {
			tc.set(p.options)
		}
		p.logInvalidFiles()
		if tc.open != nil {
			if err := tc.open(p); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		want := fmt.Sprintf(`level=ERROR msg="the %s in %s expired 272 days ago, on %s"`, name, certFile, expired.Leaf.NotAfter.UTC().Format(time.DateOnly))
		if got := strings.Count(log.String(), want); got != tc.want || strings.Count(log.String(), "\n") != tc.want {
			t.Errorf("%s: %d times, want %d:\n%s", name, got, tc.want, &log)
		}
	}
}

// TestInvalidAfterReload: a certificate that takes the place of a good one is checked, too, as each
// certificate of a file.
func TestInvalidAfterReload(t *testing.T) {
	dir, ca := t.TempDir(), certtest.New(t)
	certFile, keyFile := certtest.WritePair(t, dir, "tls", ca.Server(t))
	var log strings.Builder
	f, err := openCertificate(certFile, keyFile, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	f.now = func() time.Time { return now }
	certtest.WritePair(t, dir, "tls", ca.Issue(t, x509.Certificate{NotBefore: now.Add(50 * time.Hour), NotAfter: now.Add(100 * time.Hour)}))
	chain, err := os.ReadFile(certFile)
	if err != nil {
		t.Fatal(err)
	}
	old := ca.Issue(t, x509.Certificate{NotBefore: now.Add(-50 * time.Hour), NotAfter: now.Add(-40 * time.Hour)})
	writeFiles(t, map[string][]byte{certFile: append(chain, encodeCertificate(old.Certificate[0])...)})
	now = now.Add(readAgainEvery)
	f.get()
	for _, want := range []string{"is not valid yet: it starts in 2 days", "expired 1 day ago"} {
		if got := strings.Count(log.String(), want); got != 1 {
			t.Errorf("%q: %d times, want once:\n%s", want, got, &log)
		}
	}
	if err := f.health(t.Context()); err == nil || !strings.Contains(err.Error(), certFile+" is not valid yet: it starts in 2 days") {
		t.Errorf("health: %v", err)
	}
	now = now.Add(99 * time.Hour)
	if err := f.health(t.Context()); err == nil || !strings.Contains(err.Error(), certFile+" expires in less than a day, at ") {
		t.Errorf("health in its last hour: %v", err)
	}
	now = now.Add(26 * time.Hour)
	if err := f.health(t.Context()); err == nil || !strings.Contains(err.Error(), certFile+" expired 1 day ago, on ") {
		t.Errorf("health later: %v", err)
	}
}

// TestStartsWithExpiredCertificate: it is an error in the log, and none of the start, because a
// server that does not start is no better for its clients.
func TestStartsWithExpiredCertificate(t *testing.T) {
	certFile, keyFile := certtest.WritePair(t, t.TempDir(), "tls", certtest.New(t).Issue(t, x509.Certificate{NotAfter: time.Now().Add(-time.Minute)}))
	var log strings.Builder
	o := program.NewOptions("widgets")
	o.Serving.SecurePort, o.Store.DataDir, o.Store.InMemory = 0, t.TempDir(), true
	o.Serving.TLSCertFile, o.Serving.TLSPrivateKeyFile = certFile, keyFile
	o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}))
	ctx, stop := context.WithCancel(t.Context())
	i, err := Open(ctx, programtest.Widgets(), o)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if err := i.Serve(ctx); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "the serving certificate in "+certFile+" expired less than a day ago") {
		t.Errorf("the log has\n%s", &log)
	}
}
