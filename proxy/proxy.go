// Package proxy hands requests on to another server, as pods/exec and nodes/proxy of Kubernetes do.
//
// A subresource that answers by itself (registry.Connector) returns what Handler makes. Answers are
// passed on as they come, also those without an end. A connection that both sides want to upgrade,
// to SPDY or WebSocket, is joined. Start reading at New. No credential of the client leaves this
// server, no redirect is followed or passed on, and only addresses are dialed that Config allows.
package proxy

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Config says how other servers are reached.
type Config struct {
	// TLS is for https: whom to trust, and with which certificate to come. nil trusts the
	// authorities of the machine.
	TLS *tls.Config
	// Allow says what is wrong with an address that is to be dialed, after its name was looked up.
	// nil is Global.
	Allow func(netip.Addr) error
}

// How long it may take to get through to a server. Its answer may take longer.
const (
	dialTimeout      = 30 * time.Second
	handshakeTimeout = 10 * time.Second
	idleTimeout      = 90 * time.Second
)

// Proxy hands requests on. All methods may be called from any goroutine.
type Proxy struct{ transport *http.Transport }

// New returns one that keeps connections to the servers for later requests.
func New(c Config) *Proxy {
	allow := c.Allow
	if allow == nil {
		allow = Global
	}
	dialer := &net.Dialer{Timeout: dialTimeout, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return allow(at.Addr().Unmap())
	}}
	return &Proxy{&http.Transport{
		DialContext:         dialer.DialContext,
		TLSClientConfig:     c.TLS.Clone(),
		TLSHandshakeTimeout: handshakeTimeout,
		IdleConnTimeout:     idleTimeout,
		DisableCompression:  true, // whoever wants it asks for it
		Protocols:           http1(),
	}}
}

// http1 is what connections can be upgraded from.
func http1() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	return p
}

// Global allows addresses that other machines have, too: not those of this one, nor of its links.
func Global(at netip.Addr) error {
	if !at.IsGlobalUnicast() {
		return fmt.Errorf("address %s is not allowed: it is no global unicast address", at)
	}
	return nil
}

// Handler sends each request that it gets to target: that is the whole URL, with path and query.
// Method, body and headers are those of the client, but for those that say who it is.
func (p *Proxy) Handler(target *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Transport: p.transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			to := *target
			r.Out.URL, r.Out.Host = &to, to.Host
			dropUser(r.Out.Header)
		},
		ModifyResponse: judge,
		ErrorHandler:   answer,
		FlushInterval:  -1, // at once
	}
}

// dropUser takes out what says who the client is, here or elsewhere. Cookies would be shared by all
// servers behind this one.
func dropUser(header http.Header) {
	for name := range header {
		if name == "Authorization" || name == "Cookie" || strings.HasPrefix(name, "Impersonate-") || strings.HasPrefix(name, "X-Remote-") {
			header.Del(name)
		}
	}
}

var errRedirect = errors.New("the server behind this one redirects, which is neither followed nor passed on")

// ofOrigin are headers by which an answer speaks for all of this server, and not for one behind it.
// A worker, for one, would see what other pages of this server send.
var ofOrigin = []string{"Set-Cookie", "Service-Worker-Allowed", "Clear-Site-Data"}

// judge looks at an answer before it is passed on.
func judge(resp *http.Response) error {
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode/100 == 3 {
		return fmt.Errorf("%w: it answered %s", errRedirect, resp.Status)
	}
	for _, name := range ofOrigin {
		resp.Header.Del(name)
	}
	return nil
}

// answer says that nobody could be reached, as a Status.
func answer(w http.ResponseWriter, _ *http.Request, err error) {
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: http.StatusServiceUnavailable, Reason: metav1.StatusReasonServiceUnavailable, Message: "error trying to reach service: " + err.Error(),
	}
	if errors.Is(err, errRedirect) {
		status.Code, status.Reason, status.Message = http.StatusBadGateway, metav1.StatusReasonUnknown, err.Error()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(status.Code))
	_ = json.NewEncoder(w).Encode(status) // the client is gone then
}
