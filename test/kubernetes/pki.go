package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// authority signs certificates. Its own is in a file of its directory.
type authority struct {
	dir, name string
	cert      *x509.Certificate
	key       *ecdsa.PrivateKey
}

// newAuthority makes one, with name.crt and name.key in dir.
func newAuthority(dir, name string) (*authority, error) {
	key, err := newKey(filepath.Join(dir, name+".key"))
	if err != nil {
		return nil, err
	}
	a := &authority{dir: dir, name: name, key: key, cert: &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}}
	a.cert, err = a.sign(*a.cert, key.Public())
	return a, errors.Join(err, writePEM(a.file(), "CERTIFICATE", a.cert.Raw))
}

// readAuthority is one that newAuthority has made.
func readAuthority(dir, name string) (*authority, error) {
	a := &authority{dir: dir, name: name}
	for file, parse := range map[string]func([]byte) error{
		name + ".crt": func(der []byte) (err error) { a.cert, err = x509.ParseCertificate(der); return err },
		name + ".key": func(der []byte) (err error) { a.key, err = x509.ParseECPrivateKey(der); return err },
	} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return nil, err
		}
		block, _ := pem.Decode(text)
		if block == nil {
			return nil, fmt.Errorf("%s has nothing in PEM", file)
		}
		if err := parse(block.Bytes); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return a, nil
}

// file is where its certificate is.
func (a *authority) file() string { return filepath.Join(a.dir, a.name+".crt") }

func (a *authority) sign(template x509.Certificate, key crypto.PublicKey) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 100))
	if err != nil {
		return nil, err
	}
	template.SerialNumber, template.NotBefore, template.NotAfter = serial, time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, &template, a.cert, key, a.key)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// issue writes a certificate and its key to name.crt and name.key.
func (a *authority) issue(name string, template x509.Certificate) error {
	key, err := newKey(filepath.Join(a.dir, name+".key"))
	if err != nil {
		return err
	}
	cert, err := a.sign(template, key.Public())
	if err != nil {
		return err
	}
	return writePEM(filepath.Join(a.dir, name+".crt"), "CERTIFICATE", cert.Raw)
}

// server issues the certificate of a server on loopback that has some names.
func (a *authority) server(name string, names ...string) error {
	return a.issue(name, x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: append(names, "localhost"), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

// client issues the certificate of a user.
func (a *authority) client(name, user string, groups ...string) error {
	return a.issue(name, x509.Certificate{
		Subject: pkix.Name{CommonName: user, Organization: groups}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// kubeconfig writes name.kubeconfig, with which the user of name.crt talks to a server.
func (a *authority) kubeconfig(name, url string) (string, error) {
	user := ""
	for _, part := range []struct{ key, file string }{{"client-certificate-data", name + ".crt"}, {"client-key-data", name + ".key"}} {
		text, err := os.ReadFile(filepath.Join(a.dir, part.file))
		if err != nil {
			return "", err
		}
		user += "    " + part.key + ": " + base64.StdEncoding.EncodeToString(text) + "\n"
	}
	return a.writeKubeconfig(name, url, user)
}

// tokenKubeconfig writes name.kubeconfig, with which the owner of a token talks to a server.
func (a *authority) tokenKubeconfig(name, url, token string) (string, error) {
	return a.writeKubeconfig(name, url, "    token: "+token+"\n")
}

func (a *authority) writeKubeconfig(name, url, user string) (string, error) {
	file := filepath.Join(a.dir, name+".kubeconfig")
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}))
	return file, os.WriteFile(file, fmt.Appendf(nil, kubeconfig, ca, url, user), 0o600)
}

const kubeconfig = `apiVersion: v1
kind: Config
clusters:
- name: test
  cluster:
    certificate-authority-data: %s
    server: %s
contexts:
- name: test
  context:
    cluster: test
    user: test
current-context: test
users:
- name: test
  user:
%s`

// newKey writes a private key to a file.
func newKey(file string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writePEM(file, "EC PRIVATE KEY", der)
}

func writePEM(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
