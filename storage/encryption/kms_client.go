package encryption

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	kmsapi "k8s.io/kms/apis/v2"
)

// kmsClient calls a plug-in over its socket. A call to one that is not there fails at once.
type kmsClient struct {
	config KMS
	conn   *grpc.ClientConn
	api    kmsapi.KeyManagementServiceClient
}

func dialKMS(config KMS) (*kmsClient, error) {
	socket, err := socketOf(config.Endpoint)
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient("passthrough:///kms",
		grpc.WithAuthority("localhost"),
		grpc.WithTransportCredentials(insecure.NewCredentials()), // the socket's file mode says who may connect
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}),
		// A plug-in that was started again is found soon; the default waits up to two minutes.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second},
			MinConnectTimeout: config.Timeout,
		}))
	if err != nil {
		return nil, err
	}
	return &kmsClient{config: config, conn: conn, api: kmsapi.NewKeyManagementServiceClient(conn)}, nil
}

func (c *kmsClient) close() { c.conn.Close() }

// status returns the id of the key that the plug-in encrypts with now, or why it can't.
func (c *kmsClient) status(ctx context.Context) (keyID string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	answer, err := c.api.Status(ctx, &kmsapi.StatusRequest{})
	switch {
	case err != nil:
		return "", c.failure("Status", err)
	case answer.Healthz != "ok":
		return "", fmt.Errorf("%s is not healthy: it says %q", c, answer.Healthz)
	case answer.Version != "v2" && answer.Version != "v2beta1":
		return "", fmt.Errorf("%s speaks version %q of the KMS API, want v2", c, answer.Version)
	}
	if err := checkKeyID(answer.KeyId); err != nil {
		return "", fmt.Errorf("%s: Status: %w", c, err)
	}
	return answer.KeyId, nil
}

// encrypt returns an envelope without data, whose source is seed.
func (c *kmsClient) encrypt(ctx context.Context, seed []byte) (envelope, error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	answer, err := c.api.Encrypt(ctx, &kmsapi.EncryptRequest{Plaintext: seed, Uid: newUID()})
	if err != nil {
		return envelope{}, c.failure("Encrypt", err)
	}
	e := envelope{keyID: answer.KeyId, source: answer.Ciphertext, annotations: answer.Annotations, kind: sourceSeed}
	if err := e.check(); err != nil {
		return envelope{}, fmt.Errorf("%s: Encrypt: %w", c, err)
	}
	return e, nil
}

// decrypt returns the source of an envelope.
func (c *kmsClient) decrypt(ctx context.Context, e *envelope) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	answer, err := c.api.Decrypt(ctx, &kmsapi.DecryptRequest{Ciphertext: e.source, KeyId: e.keyID, Annotations: e.annotations, Uid: newUID()})
	if err != nil {
		return nil, c.failure("Decrypt", err)
	}
	return answer.Plaintext, nil
}

func (c *kmsClient) failure(call string, err error) error {
	return &callError{code: status.Code(err), err: fmt.Errorf("%s: %s: %w", c, call, err)}
}

// String names the plug-in in errors.
func (c *kmsClient) String() string {
	return fmt.Sprintf("KMS plug-in %q at %s", c.config.Name, c.config.Endpoint)
}

// newUID is what a plug-in's log and an error of it have in common.
func newUID() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails: it ends the process instead
	return hex.EncodeToString(b)
}
