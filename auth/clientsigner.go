package auth

import (
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"time"
)

const (
	// maxClientLifetime bounds that of a client's certificate, as --cluster-signing-duration of
	// kube-controller-manager does by default.
	maxClientLifetime = 365 * 24 * time.Hour
	// clientSkew is how far its start lies in the past, for servers whose clock is behind. It is
	// that of kube-controller-manager. Clients look whether they got more than they asked for.
	clientSkew = 5 * time.Minute
)

// ClientSigner signs the certificates of a server's own clients. It is safe for concurrent use.
type ClientSigner struct {
	authority *x509.Certificate
	key       crypto.Signer
}

// NewClientSigner returns one that signs with the key of an authority which the server trusts.
func NewClientSigner(authority *x509.Certificate, key crypto.Signer) *ClientSigner {
	return &ClientSigner{authority, key}
}

// Sign returns a certificate for the subject and the key of a request, with which one is a client
// and nothing else. It is good for lifetime, a year at most, and not longer than the authority;
// zero is a year. usage is what the key is for.
func (s *ClientSigner) Sign(request *x509.CertificateRequest, usage x509.KeyUsage, lifetime time.Duration) (*x509.Certificate, error) {
	if err := request.CheckSignature(); err != nil {
		return nil, fmt.Errorf("auth: certificate request: %w", err)
	}
	if request.Subject.CommonName == "" {
		return nil, errors.New("auth: certificate request: the subject has no common name, which is the name of the user")
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	if lifetime <= 0 || lifetime > maxClientLifetime {
		lifetime = maxClientLifetime
	}
	now := time.Now()
	if now.After(s.authority.NotAfter) {
		return nil, fmt.Errorf("auth: the server's authority was good until %s", s.authority.NotAfter.Format(time.RFC3339))
	}
	end := now.Add(lifetime)
	if end.After(s.authority.NotAfter) {
		end = s.authority.NotAfter
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: serial, Subject: request.Subject,
		NotBefore: now.Add(-clientSkew), NotAfter: end,
		DNSNames: request.DNSNames, EmailAddresses: request.EmailAddresses, IPAddresses: request.IPAddresses, URIs: request.URIs,
		KeyUsage: usage, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true,
	}, s.authority, request.PublicKey, s.key)
	if err != nil {
		return nil, fmt.Errorf("auth: sign a client's certificate: %w", err)
	}
	return x509.ParseCertificate(der)
}

// CertificateID is the CredentialID of a client certificate.
func CertificateID(cert *x509.Certificate) string {
	return certificateID(sha256.Sum256(cert.Raw))
}

func certificateID(sum [sha256.Size]byte) string { return "X509SHA256=" + hex.EncodeToString(sum[:]) }
