package etcd3

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

const (
	// diagnoseTimeout bounds diagnose, speakTimeout each of its steps behind the connection.
	diagnoseTimeout = 8 * time.Second
	speakTimeout    = 2 * time.Second
)

// settingError is what stands in the way until somebody changes a setting: to wait does not help.
type settingError struct {
	text string
	err  error // nil if the text is all
}

func (e *settingError) Error() string {
	if e.err == nil {
		return e.text
	}
	return e.text + ": " + e.err.Error()
}

func (e *settingError) Unwrap() error { return e.err }

// diagnosis connects by hand to an endpoint that gave no answer, and finds what stands in the way.
// gRPC keeps that to itself: it goes on trying until the time is up, and says only that.
type diagnosis struct {
	DialConfig
	tls *tls.Config // nil for none
}

// of returns what is in the way to endpoint, nil if nothing is.
func (d diagnosis) of(ctx context.Context, endpoint string) error {
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	scheme, address, _ := strings.Cut(endpoint, "://")
	switch scheme {
	case "unix":
		conn, err := dialLine(ctx, "unix", address)
		if err == nil {
			conn.Close()
		}
		return err
	case "https":
		return d.secure(ctx, address)
	}
	conn, err := dialLine(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if !speaksHTTP2(conn) && speaksTLS(ctx, address) {
		return &settingError{text: "it speaks TLS: name it as https://" + address}
	}
	return nil
}

// secure is of for an address that is to speak TLS.
func (d diagnosis) secure(ctx context.Context, address string) error {
	conn, err := dialLine(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	config := d.tls.Clone()
	config.NextProtos = []string{"h2"}
	config.ServerName, _, _ = net.SplitHostPort(address)
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return d.explain(ctx, address, err)
	}
	// In TLS 1.3 a server refuses a client's certificate only after the client believes that all is
	// done.
	if err := secure.SetReadDeadline(time.Now().Add(speakTimeout)); err != nil {
		return err
	}
	if _, err := secure.Read(make([]byte, 1)); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return d.explain(ctx, address, err)
	}
	return nil
}

// explain says in words what a handshake failed of.
func (d diagnosis) explain(ctx context.Context, address string, err error) error {
	var unknown x509.UnknownAuthorityError
	var invalid *tls.CertificateVerificationError
	var alert *net.OpError
	switch {
	case errors.As(err, &unknown) && d.CAFile == "":
		return &settingError{"its certificate is of no authority that this machine trusts, and no file with another one is named", err}
	case errors.As(err, &unknown):
		return &settingError{"its certificate is of no authority in " + d.CAFile, err}
	case errors.As(err, &invalid):
		return &settingError{"its certificate is not good", err}
	case errors.As(err, &alert) && alert.Op == "remote error" && d.CertFile == "":
		return &settingError{"it wants a client certificate, and none is named", err}
	case errors.As(err, &alert) && alert.Op == "remote error":
		return &settingError{"it does not take the client certificate " + d.CertFile, err}
	}
	if conn, dialErr := dialLine(ctx, "tcp", address); dialErr == nil {
		defer conn.Close()
		if speaksHTTP2(conn) {
			return &settingError{text: "it speaks without TLS: name it as http://" + address}
		}
	}
	return err
}

func dialLine(ctx context.Context, network, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, address)
}

// The beginning of HTTP/2 without TLS. A client first says this, with empty settings. A server
// answers with a frame of this kind, which stands behind the three bytes of its length.
const (
	clientPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	settingsFrame = 4
)

// speaksHTTP2 says that the other end answers in HTTP/2, and without TLS.
func speaksHTTP2(conn net.Conn) bool {
	if err := conn.SetDeadline(time.Now().Add(speakTimeout)); err != nil {
		return false
	}
	header := make([]byte, 9)
	if _, err := io.WriteString(conn, clientPreface); err != nil {
		return false
	}
	_, err := io.ReadFull(conn, header)
	return err == nil && header[3] == settingsFrame && bytes.Equal(header[5:], make([]byte, 4))
}

// speaksTLS says that something at an address answers a handshake, also if it wants to know more of
// us.
func speaksTLS(ctx context.Context, address string) bool {
	conn, err := dialLine(ctx, "tcp", address)
	if err != nil {
		return false
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, speakTimeout)
	defer cancel()
	err = tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}).HandshakeContext(ctx) // nothing is told to it
	var alert *net.OpError
	return err == nil || errors.As(err, &alert) && alert.Op == "remote error"
}

// suspicious is how long an endpoint may be silent before what stands in the way is looked for.
const suspicious = time.Second

// version asks an endpoint for its version, and what it calls its cluster. What a setting is to
// blame for is said soon, all else when Timeout is over.
func (d diagnosis) version(ctx context.Context, client *Client, endpoint string) (version string, cluster uint64, err error) {
	short, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		resp, err := client.Status(short, endpoint)
		if err == nil {
			version, cluster = resp.Version, resp.Header.GetClusterId()
		}
		answered <- err
	}()
	select {
	case err = <-answered:
	case <-time.After(min(suspicious, d.Timeout)):
		var setting *settingError
		if cause := d.of(ctx, endpoint); errors.As(cause, &setting) {
			return "", 0, cause
		}
		err = <-answered
	}
	if err == nil {
		return version, cluster, nil
	}
	if cause := d.of(ctx, endpoint); cause != nil {
		return "", 0, cause
	}
	return "", 0, err
}
