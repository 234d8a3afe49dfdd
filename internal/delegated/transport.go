package delegated

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"
)

// Passage takes requests of somebody else to the server, as the user of the config. A request goes
// to the config's server, whatever host it names, below the path that the server's URL has.
type Passage struct {
	config    Config
	base      *url.URL
	transport *http.Transport
}

// NewPassage keeps the config, which must not be modified any more. It makes no connection, but
// finds files that are missing or of the wrong form.
func NewPassage(config Config) (*Passage, error) {
	if err := checkURL(config.Server); err != nil {
		return nil, fmt.Errorf("delegated: %w", err)
	}
	base, err := url.Parse(config.Server)
	if err != nil {
		return nil, fmt.Errorf("delegated: %w", err)
	}
	if base.Path == "" {
		base.Path = "/" // without it JoinPath makes relative paths
	}
	transport, err := config.transport()
	if err != nil {
		return nil, fmt.Errorf("delegated: %w", err)
	}
	return &Passage{config: config, base: base, transport: transport}, nil
}

// RoundTrip sends a request with the config's credential in place of any that it has.
func (p *Passage) RoundTrip(r *http.Request) (*http.Response, error) {
	token, err := p.config.token()
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	query := r.URL.RawQuery
	r.URL, r.Host = p.base.JoinPath(r.URL.EscapedPath()), p.base.Host
	r.URL.RawQuery = query
	r.Header.Del("Cookie")
	r.Header.Del("Authorization")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return p.transport.RoundTrip(r)
}

// Close ends connections that are not in use.
func (p *Passage) Close() { p.transport.CloseIdleConnections() }

// transport makes connections to the server.
func (c *Config) transport() (*http.Transport, error) {
	tlsConfig, err := c.tls()
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSClientConfig:     tlsConfig,
		TLSHandshakeTimeout: callTimeout,
		MaxIdleConnsPerHost: 32,
		IdleConnTimeout:     90 * time.Second,
		ForceAttemptHTTP2:   true,
	}, nil
}

func (c *Config) tls() (*tls.Config, error) {
	out := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.ServerName, InsecureSkipVerify: c.Insecure}
	ca := c.CA
	if c.CAFile != "" {
		var err error
		if ca, err = os.ReadFile(c.CAFile); err != nil {
			return nil, err
		}
	}
	if len(ca) > 0 {
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(ca) {
			return nil, errors.New("the certificate authority has no certificate in PEM")
		}
	}
	if err := c.checkCredential(); err != nil {
		return nil, err
	}
	out.GetClientCertificate, _ = c.Credential()
	return out, nil
}
