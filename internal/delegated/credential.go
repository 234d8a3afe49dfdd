package delegated

import (
	"crypto/tls"
	"fmt"
	"os"
	"strings"
)

// Credential returns what shows others who we are: certificate for each connection, token for each
// call. Files are read each time. Either is nil where there is none.
func (c *Config) Credential() (certificate func(*tls.CertificateRequestInfo) (*tls.Certificate, error), token func() (string, error)) {
	if c.hasCertificate() {
		certificate = c.certificate
	}
	if c.Token != "" || c.TokenFile != "" {
		token = c.token
	}
	return certificate, token
}

// checkCredential says whether the files are there and of the right form.
func (c *Config) checkCredential() (err error) {
	if c.hasCertificate() {
		_, err = c.certificate(nil)
	}
	if err == nil {
		_, err = c.token()
	}
	return err
}

func (c *Config) hasCertificate() bool { return c.CertFile != "" || len(c.Cert) > 0 }

// certificate reads our certificate at each handshake: files change when it is renewed.
func (c *Config) certificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	cert, key := c.Cert, c.Key
	for file, to := range map[string]*[]byte{c.CertFile: &cert, c.KeyFile: &key} {
		if file == "" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		*to = data
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("client certificate: %w", err)
	}
	return &pair, nil
}

func (c *Config) token() (string, error) {
	if c.TokenFile == "" {
		return c.Token, nil
	}
	data, err := os.ReadFile(c.TokenFile)
	return strings.TrimSpace(string(data)), err
}
