//lint:file-ignore SA1019 net/http takes no connection but its own, so the frames of its HTTP/2 can not be followed: the server of x/net is
// the same code.

package transport

import (
	"context"
	"crypto/tls"
	"log"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"github.com/typeplane/typeplane/internal/server/pacing"
)

// Bounds of a connection, whoever is at its other end. Requests, bodies and watches have their own.
const (
	// headerTimeout is how long a TLS handshake, the preface of HTTP/2, and the headers of a
	// request may take, each by itself.
	headerTimeout = 10 * time.Second
	// idleTimeout is how long a connection stays on which nothing is asked.
	idleTimeout    = 90 * time.Second
	maxHeaderBytes = 1 << 20
)

// NewServer returns what answers the connections of a listener by HTTP/1.1, and over TLS by
// HTTP/2. That has as many streams as maxStreams; 0 stands for the default.
func NewServer(handler http.Handler, config *tls.Config, maxStreams int, errorLog *log.Logger) (*http.Server, error) {
	if err := pacing.Err(); err != nil {
		return nil, err
	}
	srv := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTimeout, // of a handshake, too
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		TLSConfig:         completeTLS(config),
		ErrorLog:          errorLog,
	}
	if config == nil {
		return srv, nil
	}
	return srv, overConnections(srv)
}

// overConnections has HTTP/2 go over a connection. So no request takes longer for its headers than
// headerTimeout, for which net/http has no bound, and short answers are sent at once.
func overConnections(srv *http.Server) error {
	// The scheduler that is there by default looks at every stream of a connection for each frame.
	// Hundreds may be watches that wait. This one looks at those that have something to send.
	conf := &http2.Server{NewWriteScheduler: http2.NewRandomWriteScheduler}
	if err := http2.ConfigureServer(srv, conf); err != nil {
		return err
	}
	srv.TLSNextProto[http2.NextProtoTLS] = func(srv *http.Server, conn *tls.Conn, handler http.Handler) {
		base := context.Background()
		if h, ok := handler.(interface{ BaseContext() context.Context }); ok {
			base = h.BaseContext()
		}
		c := newConnection(conn)
		defer c.headers.stop()
		conf.ServeConn(c, &http2.ServeConnOpts{Handler: c.counting(handler), BaseConfig: srv, Context: c.with(base)})
	}
	return nil
}

func completeTLS(config *tls.Config) *tls.Config {
	if config == nil {
		return nil
	}
	config = config.Clone()
	config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
	if config.ClientAuth == tls.NoClientCert {
		config.ClientAuth = tls.RequestClientCert
	}
	if config.CipherSuites == nil {
		config.CipherSuites = cipherSuites()
	}
	config.NextProtos = []string{"h2", "http/1.1"}
	return config
}

// cipherSuites are those of crypto/tls for TLS 1.2 that authenticate what they encrypt: with CBC
// that has gone wrong too often. TLS 1.3 has no others.
func cipherSuites() (ids []uint16) {
	for _, suite := range tls.CipherSuites() {
		if !strings.Contains(suite.Name, "_CBC_") {
			ids = append(ids, suite.ID)
		}
	}
	return ids
}
