package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	caLifetime   = 10 * 365 * 24 * time.Hour
	leafLifetime = 365 * 24 * time.Hour
	// clockSkew is how far a certificate's start lies in the past, for those whose clock is behind.
	// It is a day, since clocks are off by hours where somebody has set them to local time.
	clockSkew = 24 * time.Hour
)

// authority is the server's own certificate authority: it signs the serving certificate and the
// clients'.
type authority struct {
	cert    *x509.Certificate
	key     *ecdsa.PrivateKey
	certPEM []byte
	made    bool // by this start
	// renewed is when the certificate on the disk ends, if this one was made in its place. Else it
	// is zero.
	renewed time.Time
}

// openAuthority reads the authority kept in dir, or makes one, which it does not write: see keep.
// In the last third of its life the certificate is made anew at each start, of the same key and
// name. The file stays, since servers that share it compare it.
func openAuthority(dir string) (*authority, error) {
	certFile, keyFile := authorityFiles(dir)
	certPEM, err := os.ReadFile(certFile)
	if errors.Is(err, fs.ErrNotExist) {
		return makeAuthority(keyFile)
	}
	if err != nil {
		return nil, err
	}
	keyPEM, err := os.ReadFile(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing: put it back from a copy; %s", keyFile, newAuthority(certFile))
	}
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w; put them back from a copy; %s", certFile, keyFile, err, newAuthority(certFile, keyFile))
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return nil, fmt.Errorf("%s is no certificate authority made by this server: put that back from a copy; %s", certFile, newAuthority(certFile, keyFile))
	}
	if time.Now().Before(pair.Leaf.NotAfter.Add(-caLifetime / 3)) {
		return &authority{cert: pair.Leaf, key: key, certPEM: certPEM}, nil
	}
	a, err := certify(key)
	if err != nil {
		return nil, err
	}
	a.renewed = pair.Leaf.NotAfter
	return a, nil
}

func authorityFiles(dir string) (certFile, keyFile string) {
	return filepath.Join(dir, authorityCertFile), filepath.Join(dir, authorityKeyFile)
}

// newAuthority says how to get a new authority, and at what price.
func newAuthority(files ...string) string {
	return "or remove " + strings.Join(files, " and ") + " to get a new certificate authority (old kubeconfig files stop working)"
}

// makeAuthority makes the certificate of an authority, of the key that is there. A first start may
// have ended behind the key. Where the certificate was lost, a new one of the same key and name is
// as good to those who have the old one.
func makeAuthority(keyFile string) (*authority, error) {
	key, err := readAuthorityKey(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = newKey()
	}
	if err != nil {
		return nil, err
	}
	a, err := certify(key)
	if err != nil {
		return nil, err
	}
	a.made = true
	return a, nil
}

// certify makes the certificate of an authority.
func certify(key *ecdsa.PrivateKey) (*authority, error) {
	template, err := newTemplate(pkix.Name{CommonName: "typeplane-ca"}, caLifetime)
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{cert: cert, key: key, certPEM: encodeCertificate(der)}, nil
}

func readAuthorityKey(file string) (*ecdsa.PrivateKey, error) {
	keyPEM, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(keyPEM)
	if block == nil {
		return nil, fmt.Errorf("%s has no key in PEM: put it back from a copy; %s", file, newAuthority(file))
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; put it back from a copy; %s", file, err, newAuthority(file))
	}
	return key, nil
}

// keep writes an authority that was made into dir.
func (a *authority) keep(dir string) error {
	if !a.made {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	keyPEM, err := encodeKey(a.key)
	if err != nil {
		return err
	}
	certFile, keyFile := authorityFiles(dir)
	// The certificate is written last: its presence says that the pair is complete.
	if err := writeFile(keyFile, keyPEM); err != nil {
		return err
	}
	return writeFile(certFile, a.certPEM)
}

// issueClient makes a client certificate for a user, both parts in PEM.
func (a *authority) issueClient(user string, groups ...string) (certPEM, keyPEM []byte, err error) {
	template, err := newTemplate(pkix.Name{CommonName: user, Organization: groups}, leafLifetime)
	if err != nil {
		return nil, nil, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	der, key, err := a.sign(template)
	if err != nil {
		return nil, nil, err
	}
	keyPEM, err = encodeKey(key)
	return encodeCertificate(der), keyPEM, err
}

// issueServing makes a serving certificate for hosts, which are names or IP addresses.
func (a *authority) issueServing(hosts []string) (*tls.Certificate, error) {
	template, err := newTemplate(pkix.Name{CommonName: "typeplane-server"}, leafLifetime)
	if err != nil {
		return nil, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	nameHosts(template, hosts)
	der, key, err := a.sign(template)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: key, Leaf: leaf}, nil
}

// nameHosts makes a certificate one of hosts.
func nameHosts(certificate *x509.Certificate, hosts []string) {
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			certificate.IPAddresses = append(certificate.IPAddresses, ip)
		} else {
			certificate.DNSNames = append(certificate.DNSNames, host)
		}
	}
}

func (a *authority) sign(template *x509.Certificate) ([]byte, *ecdsa.PrivateKey, error) {
	key, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	return der, key, err
}

func newTemplate(subject pkix.Name, lifetime time.Duration) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    now.Add(-clockSkew),
		NotAfter:     now.Add(lifetime),
	}, nil
}

// servingCertificate is the certificate that the listener shows. It lives in memory and is made
// anew when two thirds of its life are over, so a server that runs for years never shows an expired
// one.
type servingCertificate struct {
	authority *authority
	hosts     []string
	now       func() time.Time

	mu      sync.Mutex // guards current
	current *tls.Certificate
}

func (s *servingCertificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && s.now().Before(s.current.Leaf.NotAfter.Add(-leafLifetime/3)) {
		return s.current, nil
	}
	cert, err := s.authority.issueServing(s.hosts)
	if err != nil {
		return nil, err
	}
	s.current = cert
	return cert, nil
}

// servingHosts are the names and addresses under which clients may reach a server bound to address.
func servingHosts(address string) []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if name, err := os.Hostname(); err == nil && name != "" {
		hosts = append(hosts, name)
	}
	ip := net.ParseIP(address)
	if !ip.IsUnspecified() {
		if !ip.IsLoopback() {
			hosts = append(hosts, address)
		}
		return hosts
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return hosts
	}
	for _, addr := range addrs {
		if network, ok := addr.(*net.IPNet); ok && !network.IP.IsLoopback() {
			hosts = append(hosts, network.IP.String())
		}
	}
	return hosts
}

func encodeCertificate(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

// makeKey makes a key if there is none.
func makeKey(name string) error {
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key, err := newKey()
	if err != nil {
		return err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return err
	}
	return writeFile(name, keyPEM)
}

// writeFile replaces a file of the data directory in one step; only the owner may read it.
func writeFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*") // made with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
