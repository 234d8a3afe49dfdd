package delegated

import (
	"crypto/tls"
	"fmt"
	"os"
	"strings"
)

// Credential returns what shows others who we are, from memory or from files, which are read each time: certificate for each
// connection, token for each call. Either is nil where there is none. An error is a file that is missing or of the
// wrong form at this moment.
func (c *Config) Credential() (certificate func(*tls.CertificateRequestInfo) (*tls.Certificate, error), token func() (string, error), err error) {
	if c.hasCertificate() {
		if _, err := c.certificate(nil); err != nil {
			return nil, nil, err
		}
		certificate = c.certificate
	}
	if c.Token != "" || c.TokenFile != "" {
		if _, err := c.token(); err != nil {
			return nil, nil, err
		}
		token = c.token
	}
	return certificate, token, nil
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
