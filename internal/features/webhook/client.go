package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/typeplane/typeplane/trace"
)

// maxAnswer is the greatest answer that is read, in bytes: as much as a client may send.
const maxAnswer = 3 << 20

// Credential is how a webhook knows the server. Both functions may be nil, and are called for each
// connection and each call.
type Credential struct {
	Certificate func(*tls.CertificateRequestInfo) (*tls.Certificate, error)
	Token       func() (string, error)
}

// place is what webhooks have in common that share their connections.
type place struct {
	// host is host:port as the URL has it; service says that it is the name of a service.
	host    string
	service bool
	ca      string
}

// clients are the connections of all webhooks. Only Set changes them.
type clients struct {
	config Config
	open   map[place]*connection
}

func newClients(c Config) clients { return clients{config: c} }

// connection is where a webhook is, and how it is reached. Any number of calls may use it at the
// same time.
type connection struct {
	// There is no http.Client, because it would follow redirects, and quote a Location that it
	// cannot parse.
	transport *http.Transport
	token     func() (string, error)
	// retired: no webhook needs it any more. The last call that is under way closes what it leaves.
	retired atomic.Bool
}

// reach returns the URL of a webhook and a connection to it, of those that are open or a new one,
// and puts it into keep.
func (c *clients) reach(to *admissionregistrationv1.WebhookClientConfig, keep map[place]*connection) (string, *connection, error) {
	u, at, err := where(to)
	if err != nil {
		return "", nil, err
	}
	if known := keep[at]; known != nil {
		return u, known, nil
	}
	known := c.open[at]
	if known == nil {
		if known, err = c.connect(at, to.Service); err != nil {
			return "", nil, fmt.Errorf("could not get REST client: %w", err)
		}
	}
	keep[at] = known
	return u, known, nil
}

// defaultPort is that of HTTPS.
const defaultPort = 443

// where returns the URL of a webhook, and its place.
func where(to *admissionregistrationv1.WebhookClientConfig) (string, place, error) {
	ca := string(to.CABundle)
	if s := to.Service; s != nil {
		port, path := int32(defaultPort), ""
		if s.Port != nil {
			port = *s.Port
		}
		if s.Path != nil {
			path = *s.Path
		}
		host := net.JoinHostPort(s.Name+"."+s.Namespace+".svc", strconv.Itoa(int(port)))
		u := url.URL{Scheme: "https", Host: host, Path: path}
		return u.String(), place{host, true, ca}, nil
	}
	if to.URL == nil {
		return "", place{}, errors.New("webhook configuration must have either service or URL")
	}
	u, err := url.Parse(*to.URL)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return "", place{}, errors.New("the URL of the webhook is none of https")
	}
	return u.String(), place{hostPort(u), false, ca}, nil
}

// hostPort returns the host and the port of a URL of HTTPS.
func hostPort(u *url.URL) string {
	if u.Port() == "" {
		return net.JoinHostPort(u.Hostname(), strconv.Itoa(defaultPort))
	}
	return u.Host
}

// What is kept of connections: how many per webhook that are idle, and for how long.
const (
	idleConnections = 32
	idleTime        = 90 * time.Second
)

// connect makes what reaches a place. It opens nothing yet.
func (c *clients) connect(at place, service *admissionregistrationv1.ServiceReference) (*connection, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if at.ca != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(at.ca)) {
			return nil, errors.New("the caBundle has no certificate in PEM")
		}
	}
	conn := &connection{}
	if c.config.Credentials != nil {
		credential := c.config.Credentials(at.host)
		config.GetClientCertificate, conn.token = credential.Certificate, credential.Token
	}
	conn.transport = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    patience,
		MaxIdleConnsPerHost:    idleConnections,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
	if resolve := c.config.Resolve; service != nil && resolve != nil {
		s, port := *service, int32(defaultPort)
		if s.Port != nil {
			port = *s.Port
		}
		conn.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if address == at.host {
				var err error
				if address, err = resolve(ctx, s.Namespace, s.Name, port); err != nil {
					return nil, err
				}
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		}
	}
	return conn, nil
}

// keep retires all connections but some.
func (c *clients) keep(keep map[place]*connection) {
	for at, conn := range c.open {
		if keep[at] == nil {
			conn.retired.Store(true)
			conn.transport.CloseIdleConnections()
		}
	}
	c.open = keep
}

// post sends a review and returns the answer. code is the status of an answer that is none, 0
// without one. The error quotes nothing that came back.
func (c *connection) post(ctx context.Context, to string, body []byte) (data []byte, code int32, err error) {
	defer func() {
		if c.retired.Load() {
			c.transport.CloseIdleConnections()
		}
	}()
	if deadline, ok := ctx.Deadline(); ok {
		to += "?timeout=" + wholeSeconds(time.Until(deadline)).String()
	}
	resp, err := c.send(ctx, to, body)
	if err == nil {
		if next := sameServer(resp); next != nil {
			resp.Body.Close()
			resp, err = c.send(ctx, next.String(), body)
		}
	}
	if err != nil {
		return nil, 0, &url.Error{Op: "Post", URL: to, Err: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		code := int32(resp.StatusCode)
		if code < http.StatusBadRequest {
			return nil, 0, fmt.Errorf("it answered with the HTTP status %d; redirects are not followed", code)
		}
		return nil, code, fmt.Errorf("it answered with the HTTP status %d", code)
	}
	data, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(data) > maxAnswer {
		err = fmt.Errorf("its answer is greater than %d bytes", maxAnswer)
	}
	return data, 0, err
}

// send sends a review, and returns the answer as it comes.
func (c *connection) send(ctx context.Context, to string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, */*")
	req.Header.Set("User-Agent", "typeplane-admission")
	trace.Inject(ctx, req.Header)
	if c.token != nil {
		token, err := c.token()
		if err != nil {
			return nil, err
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
	}
	return c.transport.RoundTrip(req)
}

// sameServer returns the URL to which an answer redirects the request, nil if it is not to be
// followed. A webhook must not send the server into networks that no other client can reach. But
// Go's ServeMux answers a path with "//" by a redirect to the clean path, and envtest of
// controller-runtime configures such paths.
func sameServer(resp *http.Response) *url.URL {
	if resp.StatusCode != http.StatusTemporaryRedirect && resp.StatusCode != http.StatusPermanentRedirect {
		return nil // any other redirect changes the method
	}
	from := resp.Request.URL
	to, err := resp.Location()
	if err != nil || to.User != nil || to.Scheme != from.Scheme || !strings.EqualFold(hostPort(to), hostPort(from)) {
		return nil
	}
	return to
}

// wholeSeconds rounds up.
func wholeSeconds(d time.Duration) time.Duration {
	return max(time.Second, (d + time.Second - 1).Truncate(time.Second))
}
