package auth

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"sync"
	"time"
)

// ClientCertificates authenticates by TLS client certificates: the user is the common name, the
// groups are the organizations. The TLS layer only asks for a certificate. Whether it is good is
// decided here, at each request, so that one that has expired meanwhile is no longer accepted on a
// connection that is still open. It is safe for concurrent use.
type ClientCertificates struct {
	roots *x509.CertPool
	now   func() time.Time

	mu    sync.RWMutex // guards known
	known map[[sha256.Size]byte]verified
}

// verified is a certificate that was found good. Its chain stays good for as long as no certificate
// in it expires, so the costly part, the signatures, is done once. That the client has the private
// key is proved to the TLS layer.
type verified struct {
	user     *User
	notAfter time.Time
}

// maxKnown bounds the memory for certificates that were found good.
const maxKnown = 4096

var _ Authenticator = (*ClientCertificates)(nil)

// NewClientCertificates accepts the certificates that were issued, for client authentication, by
// one of the authorities in the PEM bundle. One without an extended key usage is not for clients.
func NewClientCertificates(pemBundle []byte) (*ClientCertificates, error) {
	return newVerifier(pemBundle, "client CA")
}

// newVerifier calls the bundle what in its errors.
func newVerifier(pemBundle []byte, what string) (*ClientCertificates, error) {
	roots := x509.NewCertPool()
	count := 0
	for block, rest := pem.Decode(pemBundle); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("auth: %s: %w", what, err)
		}
		roots.AddCert(cert)
		count++
	}
	if count == 0 {
		return nil, fmt.Errorf("auth: %s: the PEM data has no certificate", what)
	}
	return &ClientCertificates{roots: roots, now: time.Now, known: map[[sha256.Size]byte]verified{}}, nil
}

// Authenticate returns no user if the connection has no client certificate, and an error if it has
// one that is not good for a client or names nobody.
func (c *ClientCertificates) Authenticate(req *http.Request) (*User, error) {
	if req.TLS == nil || len(req.TLS.PeerCertificates) == 0 {
		return nil, nil
	}
	sum := sha256.Sum256(req.TLS.PeerCertificates[0].Raw)
	c.mu.RLock()
	known, ok := c.known[sum]
	c.mu.RUnlock()
	if ok && !c.now().After(known.notAfter) {
		return known.user, nil
	}
	fresh, err := c.verify(req.TLS.PeerCertificates, sum)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	if len(c.known) >= maxKnown {
		clear(c.known)
	}
	c.known[sum] = fresh
	c.mu.Unlock()
	return fresh.user, nil
}

// chain checks the signatures, dates and purpose of what the client sent, and returns the way to a
// root.
func (c *ClientCertificates) chain(sent []*x509.Certificate) ([]*x509.Certificate, error) {
	leaf := sent[0]
	opts := x509.VerifyOptions{
		Roots:         c.roots,
		Intermediates: x509.NewCertPool(),
		CurrentTime:   c.now(),
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	for _, cert := range sent[1:] {
		opts.Intermediates.AddCert(cert)
	}
	chains, err := leaf.Verify(opts)
	if err != nil {
		return nil, fmt.Errorf("auth: client certificate of %q: %w", leaf.Subject.CommonName, err)
	}
	if !forClients(leaf) {
		return nil, fmt.Errorf("auth: client certificate of %q: it has no extended key usage; want clientAuth", leaf.Subject.CommonName)
	}
	return chains[0], nil
}

// forClients says that a certificate was made for clients, in so many words. For crypto/x509 one
// that names no usage is good for all, and so a certificate that was made for something else would
// be a user.
func forClients(leaf *x509.Certificate) bool {
	return slices.Contains(leaf.ExtKeyUsage, x509.ExtKeyUsageClientAuth) || slices.Contains(leaf.ExtKeyUsage, x509.ExtKeyUsageAny)
}

// verify says whom the certificate names.
func (c *ClientCertificates) verify(sent []*x509.Certificate, sum [sha256.Size]byte) (verified, error) {
	leaf := sent[0]
	chain, err := c.chain(sent)
	if err != nil {
		return verified{}, err
	}
	if leaf.Subject.CommonName == "" {
		return verified{}, errors.New("auth: client certificate: the subject has no common name")
	}
	twin, err := twinID(chain)
	if err != nil {
		return verified{}, fmt.Errorf("auth: client certificate of %q: %w", leaf.Subject.CommonName, err)
	}
	user := &User{
		Name:   leaf.Subject.CommonName,
		UID:    certificateUID(leaf),
		Groups: append(slices.Clone(leaf.Subject.Organization), GroupAuthenticated),
		Extra:  map[string][]string{CredentialID: {certificateID(sum)}},
		Twin:   twin,
	}
	notAfter := leaf.NotAfter
	for _, cert := range chain {
		if cert.NotAfter.Before(notAfter) {
			notAfter = cert.NotAfter
		}
	}
	return verified{user: user, notAfter: notAfter}, nil
}

// twinID is the ID that the first certificate of a chain would have with the other signature that
// is as good. Of a signature (r, s) of ECDSA that is (r, -s), and anybody can work it out. Of no
// other signature there is another one, so "" is none.
func twinID(chain []*x509.Certificate) (string, error) {
	if len(chain) < 2 {
		return "", nil // it is trusted as it is
	}
	key, ok := chain[1].PublicKey.(*ecdsa.PublicKey)
	if !ok {
		return "", nil
	}
	var whole struct {
		Content, Algorithm asn1.RawValue
		Signature          asn1.BitString
	}
	var signature struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(chain[0].Raw, &whole); err != nil {
		return "", err
	}
	if _, err := asn1.Unmarshal(whole.Signature.Bytes, &signature); err != nil {
		return "", err
	}
	signature.S.Sub(key.Curve.Params().N, signature.S)
	other, err := asn1.Marshal(signature)
	if err != nil {
		return "", err
	}
	whole.Signature = asn1.BitString{Bytes: other, BitLength: 8 * len(other)}
	raw, err := asn1.Marshal(whole)
	return certificateID(sha256.Sum256(raw)), err
}

// uidAttribute is the attribute of the subject in which Kubernetes puts the UID of a user.
var uidAttribute = []int{1, 3, 6, 1, 4, 1, 57683, 2}

func certificateUID(cert *x509.Certificate) string {
	for _, name := range cert.Subject.Names {
		if name.Type.Equal(uidAttribute) {
			uid, _ := name.Value.(string)
			return uid
		}
	}
	return ""
}
