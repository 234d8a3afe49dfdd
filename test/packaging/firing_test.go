package packaging

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
	"github.com/typeplane/typeplane/internal/testserver"
)

// TestAlertsFire makes a server ill in one way after the other. A Prometheus that scrapes it has no
// alert while it is well, and then those of what was done.
func TestAlertsFire(t *testing.T) {
	binary, err := etcdproc.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	etcd, err := etcdproc.Start(t.Context(), etcdproc.Config{Binary: binary, Dir: t.TempDir(), Args: []string{"--quota-backend-bytes", "33554432"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { etcd.Close() })
	certificates := t.TempDir()
	cert, key := serving(t, certificates, 365*24*time.Hour)
	program := built(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	server, err := testserver.Start(ctx, exec.Command(program, "--data-dir", t.TempDir(), "--secure-port", "0",
		"--etcd-servers", strings.Join(etcd.Endpoints(), ","), "--tls-cert-file", cert, "--tls-private-key-file", key))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	p := scraped(t, server)
	eventually(t, func() string {
		send(t.Context(), server, "", http.MethodGet, "api/v1/namespaces", "")
		if len(p.lately(t, `rate(apiserver_request_total{verb="LIST"}[5m])`)) == 0 {
			return "no rate of requests is known"
		}
		return ""
	})
	p.wantAlerts(t)

	serving(t, certificates, 10*24*time.Hour)
	p.wantAlerts(t, "TypeplaneCertificateEnds")

	for i := 0; full(t, server) < 1.02; i++ {
		body := fmt.Sprintf(`{"metadata":{"name":"large-%d"},"data":{"a":%q}}`, i, strings.Repeat("x", 1<<18))
		if code, answer := send(t.Context(), server, "", http.MethodPost, "api/v1/namespaces/default/configmaps", body); code != http.StatusCreated {
			t.Fatalf("the %d. object: %d %.300s", i+1, code, answer)
		}
	}
	p.wantAlerts(t, "TypeplaneCertificateEnds", "TypeplaneDatabaseFull")

	if err := etcd.Members()[0].Kill(); err != nil {
		t.Fatal(err)
	}
	writing, stop := context.WithCancel(t.Context())
	defer stop()
	for range 4 {
		go func() {
			for writing.Err() == nil {
				send(writing, server, "", http.MethodDelete, "api/v1/namespaces/default/configmaps/large-0", "")
			}
		}()
	}
	p.wantAlerts(t, "TypeplaneCertificateEnds", "TypeplaneDatabaseFails", "TypeplaneErrors")
	stop()

	server.Kill()
	p.wantAlerts(t, "TypeplaneDown")
}

// full is how near a database is to the limits of TypeplaneDatabaseFull, 1 for at one.
func full(t *testing.T, server *testserver.Process) float64 {
	t.Helper()
	_, page := send(t.Context(), server, "", http.MethodGet, "metrics", "")
	value := func(name string) float64 {
		m := regexp.MustCompile(`(?m)^` + name + `\{.*\} (\S+)$`).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("/metrics lacks %s:\n%.500s", name, page)
		}
		number, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	return max(value("typeplane_storage_in_use_bytes")/0.8, value("apiserver_storage_size_bytes")/0.9) / value("typeplane_storage_quota_bytes")
}

// wantAlerts waits until all these fire. Without one, none may have fired for longer than any waits
// here.
func (p prometheus) wantAlerts(t *testing.T, want ...string) {
	t.Helper()
	began := time.Now()
	var firing []string
	eventually(t, func() string {
		firing = p.firing(t)
		if len(want) == 0 {
			if len(firing) > 0 {
				t.Fatalf("%v fire, and the server is well", firing)
			}
			if time.Since(began) < 20*time.Second {
				return "it is too early to say"
			}
		}
		for _, name := range want {
			if !slices.Contains(firing, name) {
				return fmt.Sprintf("%s does not fire; %v do", name, firing)
			}
		}
		return ""
	})
	t.Logf("%v after %s", firing, time.Since(began).Round(time.Second))
}

func (p prometheus) firing(t *testing.T) []string {
	t.Helper()
	var answer struct {
		Alerts []struct {
			State  string
			Labels struct{ Alertname string }
		}
	}
	p.ask(t, "alerts", nil, &answer)
	var firing []string
	for _, a := range answer.Alerts {
		if a.State == "firing" {
			firing = append(firing, a.Labels.Alertname)
		}
	}
	slices.Sort(firing)
	return slices.Compact(firing)
}

// serving writes a certificate for loopback that lasts so long, and its key.
func serving(t *testing.T, dir string, lasts time.Duration) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(lasts),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, dir, "serving.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		write(t, dir, "serving.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
}
