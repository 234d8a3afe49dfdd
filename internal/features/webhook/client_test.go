package webhook

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newCA(t *testing.T) *authority {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a := &authority{}
	a.key, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	a.cert, _ = x509.ParseCertificate(der)
	a.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return a
}

func (a *authority) issue(t *testing.T, name string) *tls.Certificate {
	t.Helper()
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// A service is found by the resolver, and proves its name in the DNS of a cluster.
func TestService(t *testing.T) {
	ca, hook := newCA(t), newRemote(t, allow)
	hook.TLS.Certificates = []tls.Certificate{*ca.issue(t, "hooks.tools.svc")}
	address := hook.Listener.Addr().String()
	type asked struct {
		namespace, name string
		port            int32
	}
	var got []asked
	w := newWorld(t, Config{Resolve: func(_ context.Context, namespace, name string, port int32) (string, error) {
		got = append(got, asked{namespace, name, port})
		if name != "hooks" {
			return "", errors.New("no such service")
		}
		return address, nil
	}})
	path, port := "/v", int32(8443)
	h := validatingHook(t, hook, "v.example.com", "")
	h.ClientConfig = admissionregistrationv1.WebhookClientConfig{CABundle: ca.pem, Service: &admissionregistrationv1.ServiceReference{Namespace: "tools", Name: "hooks", Path: &path, Port: &port}}
	w.validate(h)
	if _, err := w.create(`{"metadata":{"name":"w"}}`); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0] != (asked{"tools", "hooks", 8443}) {
		t.Errorf("%v", got)
	}
	h.ClientConfig.Service = &admissionregistrationv1.ServiceReference{Namespace: "tools", Name: "other"}
	w.validate(h)
	_, err := w.create(`{"metadata":{"name":"x"}}`)
	wantStatus(t, err, 500, `failed calling webhook "v.example.com": failed to call webhook: Post "https://other.tools.svc:443?timeout=10s": no such service`)
}

// Connections are shared and reused while nothing changes, and dropped when nobody needs them any
// more.
func TestConnections(t *testing.T) {
	w, hook := newWorld(t, Config{}), newRemote(t, allow)
	h := validatingHook(t, hook, "v.example.com", "")
	other := validatingHook(t, hook, "w.example.com", "")
	path := *other.ClientConfig.URL + "/other"
	other.ClientConfig.URL = &path
	w.validate(h, other)
	write := func() {
		t.Helper()
		if _, err := w.create(`{"metadata":{"generateName":"w"}}`); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		write()
		w.validate(h, other) // as after any write of a configuration
	}
	if n := hook.open(); n > 2 {
		t.Errorf("%d connections after 20 calls of webhooks on one server", n)
	}
	before := len(hook.protocols)
	var all sync.WaitGroup
	for range 20 {
		all.Go(write)
	}
	all.Wait()
	if n := hook.open(); n > 2 || len(hook.protocols) != before+40 {
		t.Errorf("%d connections, %d calls", n, len(hook.protocols))
	}

	// Another CA means other connections.
	h.ClientConfig.CABundle = append(newCA(t).pem, h.ClientConfig.CABundle...)
	w.validate(h)
	eventually(t, "the old connections are gone", func() bool { return hook.open() == 0 })
	write()
	if n := hook.open(); n != 1 {
		t.Errorf("%d connections", n)
	}
	h.ClientConfig.CABundle = newCA(t).pem
	w.validate(h)
	_, err := w.create(`{"metadata":{"name":"x"}}`)
	wantStatus(t, err, 500, "certificate signed by unknown authority")
	w.validate()
	eventually(t, "nobody needs a connection", func() bool { return hook.open() == 0 })
}

// A call that is under way when its webhook is removed goes on, and leaves no connection.
func TestRemovedWhileCalled(t *testing.T) {
	w := newWorld(t, Config{})
	begun, end := make(chan struct{}), make(chan struct{})
	hook := newRemote(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		close(begun)
		<-end
		return &admissionv1.AdmissionResponse{Allowed: true}
	})
	w.validate(validatingHook(t, hook, "v.example.com", ""))
	done := make(chan error)
	go func() {
		_, err := w.create(`{"metadata":{"name":"w"}}`)
		done <- err
	}()
	<-begun
	w.validate()
	close(end)
	if err := <-done; err != nil {
		t.Error(err)
	}
	eventually(t, "the connection is closed", func() bool { return hook.open() == 0 })
}

// The server shows who it is, to those that it has a credential for.
func TestCredentials(t *testing.T) {
	ca := newCA(t)
	var mu sync.Mutex
	var header, name string
	hook := newRaw(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		header, name = r.Header.Get("Authorization"), ""
		if len(r.TLS.PeerCertificates) > 0 {
			name = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		body, _ := io.ReadAll(r.Body)
		var review admissionv1.AdmissionReview
		json.NewDecoder(bytes.NewReader(body)).Decode(&review)
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		json.NewEncoder(w).Encode(review)
	})
	hook.TLS.ClientAuth = tls.RequestClientCert
	cert, token := ca.issue(t, "me"), "s3cret"
	host := hook.Listener.Addr().String()
	w := newWorld(t, Config{Credentials: func(hostPort string) Credential {
		if _, _, err := net.SplitHostPort(hostPort); err != nil || hostPort != host {
			t.Errorf("asked for %q", hostPort)
		}
		return Credential{
			Certificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil },
			Token:       func() (string, error) { return token, nil },
		}
	}})
	w.validate(validatingHook(t, hook, "v.example.com", ""))
	if _, err := w.create(`{"metadata":{"name":"w"}}`); err != nil {
		t.Fatal(err)
	}
	if header != "Bearer s3cret" || name != "me" {
		t.Errorf("%q %q", header, name)
	}
	token = ""
	if _, err := w.create(`{"metadata":{"name":"w2"}}`); err != nil || header != "" {
		t.Errorf("%v %q", err, header)
	}
}

func TestWholeSeconds(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{
		-time.Second: time.Second, 0: time.Second, 1: time.Second, time.Second: time.Second, time.Second + 1: 2 * time.Second, 9999 * time.Millisecond: 10 * time.Second,
	} {
		if got := wholeSeconds(d); got != want {
			t.Errorf("%v: %v, want %v", d, got, want)
		}
	}
}
