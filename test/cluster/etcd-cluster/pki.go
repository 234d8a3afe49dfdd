package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

// certificates returns the files of an authority and of a certificate for 127.0.0.1 that members
// and clients share. What is in dir already is used; otherwise they are made, for a year. The
// authority's key is not kept.
func certificates(dir string) (*etcdproc.TLS, error) {
	files := &etcdproc.TLS{CAFile: filepath.Join(dir, "ca.crt"), CertFile: filepath.Join(dir, "etcd.crt"), KeyFile: filepath.Join(dir, "etcd.key")}
	// The key is written last.
	if _, err := os.Stat(files.KeyFile); !errors.Is(err, fs.ErrNotExist) {
		return files, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ca := &x509.Certificate{
		Subject: pkix.Name{CommonName: "etcd-cluster"}, SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	authority, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := sign(files.CAFile, ca, ca, authority.Public(), authority); err != nil {
		return nil, err
	}
	leaf := &x509.Certificate{
		Subject: pkix.Name{CommonName: "etcd"}, SerialNumber: big.NewInt(2), NotAfter: ca.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := sign(files.CertFile, leaf, ca, key.Public(), authority); err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return files, write(files.KeyFile, "PRIVATE KEY", der)
}

func sign(file string, template, parent *x509.Certificate, of crypto.PublicKey, by crypto.Signer) error {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, of, by)
	if err != nil {
		return err
	}
	return write(file, "CERTIFICATE", der)
}

func write(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
