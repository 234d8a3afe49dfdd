package cluster

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/certtest"
	"github.com/typeplane/typeplane/internal/etcdproc"
)

var moveObjects = flag.Int("move-objects", 3000, "how many books TestMoveOfMany moves")

const events = "/api/v1/namespaces/default/events"

// eventLife is how long events are kept: longer than the moves take.
const eventLife = 3 * time.Minute

// newSecured is a world whose etcds want client certificates, and whose books are encrypted.
func newSecured(t *testing.T) *twoEtcds {
	ca, dir := certtest.New(t), t.TempDir()
	pair := ca.Issue(t, x509.Certificate{
		Subject: pkix.Name{CommonName: "etcd"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	files := &etcdproc.TLS{CAFile: ca.Write(t, dir, "ca")}
	files.CertFile, files.KeyFile = certtest.WritePair(t, dir, "etcd", pair)
	config := filepath.Join(dir, "encryption.yaml")
	key := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	must(t, os.WriteFile(config, []byte("apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"+
		"- resources: [books.library.example.com]\n  providers:\n  - aesgcm: {keys: [{name: one, secret: "+key+"}]}\n"), 0o600))

	w := twoEtcdsOf(t, etcdproc.Config{Members: 1, TLS: files})
	w.tls = []string{"--etcd-cafile", files.CAFile, "--etcd-certfile", files.CertFile, "--etcd-keyfile", files.KeyFile}
	w.flags = []string{"--encryption-provider-config", config, "--event-ttl", eventLife.String()}
	return w
}

// TestMoveOfMany moves many books to another etcd and back, and events with them, while eight
// clients write through two servers. Both etcds speak TLS only, books are encrypted, and events end
// by their leases. The log says for how long nobody could read or write.
func TestMoveOfMany(t *testing.T) {
	if testing.Short() {
		t.Skip("TestMoveWhileServing of internal/serve moves a few")
	}
	w := newSecured(t)
	one, two := w.server("main"), w.server("main")
	w.fillMany(one, *moveObjects)
	begun := time.Now()
	made := w.makeEvents(one, 100)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			for n := i; ctx.Err() == nil; n += 8 {
				w.write(t.Context(), []*server{one, two}[n/8%2], fmt.Sprintf("b%d", n%*moveObjects), fmt.Sprint(n))
			}
		})
	}
	for _, m := range []struct{ resource, to string }{{"/events", w.other}, {"library.example.com/books", w.other}, {"library.example.com/books", "main"}} {
		start := time.Now()
		says, ok := w.moveOf(m.resource, m.to, "")
		for tries := 1; !ok; tries++ { // an etcd that gets no processor loses its quorum
			if t.Logf("%s to %s: %s", m.resource, m.to, says); tries == 5 || !strings.Contains(says, "run it again") {
				t.FailNow()
			}
			says, ok = w.moveOf(m.resource, m.to, "")
		}
		t.Logf("%s to %s took %v: %s", m.resource, m.to, time.Since(start).Round(time.Millisecond), movedLine.FindString(says))
	}
	stop()
	writers.Wait()
	w.check("behind the moves", one, two)
	for _, s := range []*server{one, two} {
		if left := w.events(s); left != 100 && time.Since(made) < eventLife {
			t.Errorf("%d of 100 events are there behind the move", left)
		}
	}
	for w.events(one) > 0 || w.events(two) > 0 {
		time.Sleep(500 * time.Millisecond)
		if since := time.Since(made); since > 2*eventLife {
			t.Fatalf("%d events are there after %v, and are kept for %v", w.events(one), since, eventLife)
		}
	}
	if since := time.Since(begun); since < eventLife {
		t.Errorf("the events were gone %v after the first was made, and are kept for %v", since, eventLife)
	}
}

var movedLine = regexp.MustCompile(`(?m)^.* were moved; .*$`)

// fillMany makes books, many at a time.
func (w *twoEtcds) fillMany(s *server, count int) {
	w.t.Helper()
	var makers sync.WaitGroup
	for i := range 16 {
		makers.Go(func() {
			for n := i; n < count; n += 16 {
				name := fmt.Sprintf("b%d", n)
				body := fmt.Appendf(nil, `{"metadata":{"name":%q,"annotations":{"size":%q}},"spec":{"title":"none"}}`, name, strings.Repeat("many ", 100))
				if code, answer, err := s.do(w.t.Context(), http.MethodPost, books, "application/json", body); err != nil || code != http.StatusCreated {
					w.t.Errorf("create: %d %s %v", code, answer, err)
					return
				}
				w.mu.Lock()
				w.acked[name] = "none"
				w.mu.Unlock()
			}
		})
	}
	makers.Wait()
}

// makeEvents makes some, and returns when the last was made.
func (w *twoEtcds) makeEvents(s *server, count int) time.Time {
	w.t.Helper()
	for n := range count {
		body := fmt.Appendf(nil, `{"metadata":{"name":"e%d"},"reason":"Did","type":"Normal","message":"it did","involvedObject":{"kind":"Book","name":"b0","namespace":"default"}}`, n)
		if code, answer, err := s.do(w.t.Context(), http.MethodPost, events, "application/json", body); err != nil || code != http.StatusCreated {
			w.t.Fatalf("create an event: %d %s %v", code, answer, err)
		}
	}
	return time.Now()
}

// events counts those that a server shows.
func (w *twoEtcds) events(s *server) int {
	w.t.Helper()
	code, answer, err := s.do(w.t.Context(), http.MethodGet, events, "", nil)
	var list struct{ Items []json.RawMessage }
	if err == nil {
		err = json.Unmarshal(answer, &list)
	}
	if err != nil || code != http.StatusOK {
		w.t.Fatalf("list events: %d %s %v", code, answer, err)
	}
	return len(list.Items)
}
