package etcd3

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"strings"
	"time"
)

// diagnoseTimeout bounds each step of diagnose.
const diagnoseTimeout = 8 * time.Second

// diagnose connects by hand to an endpoint that gave no answer, and returns what stood in the way; nil if nothing did.
// gRPC keeps that to itself: it goes on trying until the time is up, and says only that.
func diagnose(ctx context.Context, endpoint string, config *tls.Config) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), diagnoseTimeout)
	defer cancel()
	scheme, address, _ := strings.Cut(endpoint, "://")
	network := "tcp"
	if scheme == "unix" {
		network = "unix"
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if config == nil {
		return nil
	}
	config = config.Clone()
	config.NextProtos = []string{"h2"}
	config.ServerName, _, _ = net.SplitHostPort(address)
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return err
	}
	// In TLS 1.3 a server refuses a client's certificate only after the client believes that all is done.
	if err := secure.SetReadDeadline(time.Now().Add(diagnoseTimeout / 4)); err != nil {
		return err
	}
	if _, err := secure.Read(make([]byte, 1)); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return nil
}
