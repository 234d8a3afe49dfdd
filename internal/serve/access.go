package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/typeplane/typeplane/internal/program"
)

// access is who may come in, and how: the server's authority and what it signed.
type access struct {
	authority  *authority
	hosts      []string
	kubeconfig string
	// operators is the certificate out of files; nil: the server shows one of its own authority.
	// Then serverName is what the administrator calls the server.
	operators  *fileCertificate
	serverName string
	// rootCA are the authorities of the certificate that pods see, in PEM; nil: it is the
	// operator's, who did not say.
	rootCA []byte
}

// openAccess finds out who may come in. It writes nothing: the data directory may be somebody
// else's.
func openAccess(o *program.Options, log *slog.Logger) (*access, error) {
	dir, err := filepath.Abs(o.Store.DataDir)
	if err != nil {
		return nil, err
	}
	ca, err := openAuthority(filepath.Join(dir, "pki"))
	if err != nil {
		return nil, err
	}
	if !ca.renewed.IsZero() {
		log.Warn("the authority in pki/ca.crt has ended, or will: it is made anew at each start, of the same key; hand out new kubeconfig files before its end", "end", ca.renewed)
	}
	a := &access{authority: ca, hosts: append(servingHosts(o.Serving.BindAddress), o.Serving.TLSNames...), kubeconfig: filepath.Join(dir, "admin.kubeconfig")}
	if o.Serving.TLSCertFile != "" {
		if a.operators, err = openCertificate(o.Serving.TLSCertFile, o.Serving.TLSPrivateKeyFile, log); err != nil {
			return nil, fmt.Errorf("--tls-cert-file: %w", err)
		}
		a.hosts, a.serverName = append(a.hosts, adminServerName), adminServerName
	}
	if a.rootCA, err = a.readRootCA(o.Authentication.RootCAFile); err != nil {
		return nil, fmt.Errorf("--root-ca-file: %w", err)
	}
	return a, nil
}

// keep makes the data directory on the first start, and the admin's kubeconfig on every one, in
// which the server has the name and the address.
func (a *access) keep(name string, addr net.Addr) error {
	dir := filepath.Dir(a.kubeconfig)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	if err := a.authority.keep(filepath.Join(dir, "pki")); err != nil {
		return err
	}
	return writeAdminKubeconfig(a.kubeconfig, name, clientURL(addr), a.serverName, a.authority)
}

// readRootCA returns what is in file, or else the server's own authority if that signs what pods
// see.
func (a *access) readRootCA(file string) ([]byte, error) {
	switch {
	case file != "":
		certificates, err := os.ReadFile(file)
		if err == nil && !x509.NewCertPool().AppendCertsFromPEM(certificates) {
			err = fmt.Errorf("%s: no certificates in PEM", file)
		}
		return certificates, err
	case a.operators != nil:
		return nil, nil
	}
	return a.authority.certPEM, nil
}

// adminServerName is the name by which the administrator's kubeconfig asks for the certificate of
// the server's own authority, where everybody else gets the operator's.
const adminServerName = "admin.typeplane.invalid"

func (a *access) tls() *tls.Config {
	own := &servingCertificate{authority: a.authority, hosts: a.hosts, now: time.Now}
	if a.operators == nil {
		return &tls.Config{GetCertificate: own.get}
	}
	return &tls.Config{GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if hello.ServerName == adminServerName {
			return own.get(hello)
		}
		return a.operators.choose(hello)
	}}
}

// named says whether a host is a name in the certificate that the server shows.
func (a *access) named(host string) bool {
	if a.operators != nil {
		return a.operators.get().Leaf.VerifyHostname(host) == nil
	}
	own := new(x509.Certificate)
	nameHosts(own, a.hosts)
	return own.VerifyHostname(host) == nil
}

// reportCertificates tells metrics when those certificates end that the server does not make anew.
func (a *access) reportCertificates(registry prometheus.Registerer) {
	report := func(name string, end func() time.Time) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "typeplane_certificate_expiration_timestamp_seconds", Help: "When a certificate ends that the operator has to replace.",
			ConstLabels: prometheus.Labels{"certificate": name},
		}, func() float64 { return float64(end().Unix()) }))
	}
	report("authority", func() time.Time { return a.authority.cert.NotAfter })
	if a.operators != nil {
		report("serving", func() time.Time { return a.operators.get().Leaf.NotAfter })
	}
}

// certificateHealth fails if the operator's certificate must be replaced.
func (a *access) certificateHealth(ctx context.Context) error {
	if a.operators == nil {
		return nil
	}
	return a.operators.health(ctx)
}

func (a *access) adminTLS() (*tls.Config, error) {
	certPEM, keyPEM, err := a.authority.issueClient(adminUser, adminGroup)
	if err != nil {
		return nil, fmt.Errorf("admin certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("admin certificate: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.authority.cert)
	return &tls.Config{ServerName: a.serverName, RootCAs: roots, Certificates: []tls.Certificate{pair}}, nil
}
