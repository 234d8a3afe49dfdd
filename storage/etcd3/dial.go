package etcd3

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	redial "google.golang.org/grpc/backoff"
	"google.golang.org/grpc/experimental"

	"github.com/typeplane/typeplane/storage"
)

// Times of the connection to an external etcd. A member that does not answer is mostly noticed by
// asking it (members.go), but not if it is the only one. Then its connection is given up after
// keepAlive + keepAliveTimeout. gRPC does not allow a keepAlive below 10 s. To answer a ping takes
// neither a disk nor a quorum. So a member that does not answer within 3 s is frozen or can't be
// heard.
const (
	defaultDialTimeout = 10 * time.Second
	keepAlive          = 10 * time.Second
	keepAliveTimeout   = 3 * time.Second
	// maxRedial is the longest pause between two attempts to connect to a member. gRPC's own is two
	// minutes, for which a cluster could be back without this process knowing.
	maxRedial = 2 * time.Second
)

// What is read from a connection at once, and what etcd may send of an answer before that was read,
// in bytes. With gRPC's own sizes a long list comes in small pieces, each of which wakes this
// process.
const (
	readBuffer = 256 << 10
	window     = 8 << 20
)

// DialConfig says where an external etcd is and how to reach it.
type DialConfig struct {
	// Endpoints are URLs: https://host:2379, http://host:2379, or unix:///path. All have the same
	// scheme.
	Endpoints []string
	// CAFile, CertFile and KeyFile are for https. Without CAFile the system's authorities are
	// trusted. The certificate is read again for each connection, so it can be replaced.
	CAFile, CertFile, KeyFile string
	// Timeout is for the first connection; 0 means 10 s.
	Timeout time.Duration
	// Logger gets what the client has to say; nil drops it.
	Logger *zap.Logger
}

// Dial connects to an external etcd and refuses one whose version is known to lose writes or to
// answer wrongly. The caller closes the client.
func Dial(ctx context.Context, config DialConfig) (*Client, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("etcd3: %w", err)
	}
	if config.Timeout == 0 {
		config.Timeout = defaultDialTimeout
	}
	if config.Logger == nil {
		config.Logger = zap.NewNop()
	}
	pauses := redial.DefaultConfig
	pauses.MaxDelay = maxRedial
	cc := clientv3.Config{
		Endpoints:            config.Endpoints,
		DialTimeout:          config.Timeout,
		DialKeepAliveTime:    keepAlive,
		DialKeepAliveTimeout: keepAliveTimeout,
		// etcd says how large a request may be; the client's own limit of 2 MiB would only be in
		// the way.
		MaxCallSendMsgSize: math.MaxInt32,
		Logger:             config.Logger,
		DialOptions: []grpc.DialOption{
			grpc.WithUserAgent("typeplane"),
			grpc.WithReadBufferSize(readBuffer),
			experimental.WithBufferPool(new(buffers)),
			grpc.WithInitialWindowSize(window),
			grpc.WithInitialConnWindowSize(window),
			grpc.WithDefaultCallOptions(grpc.ForceCodecV2(newCodec())),
			grpc.WithConnectParams(grpc.ConnectParams{Backoff: pauses, MinConnectTimeout: config.Timeout}),
		},
	}
	var lines lines
	if len(config.Endpoints) > 1 {
		cc.DialOptions = append(cc.DialOptions, grpc.WithContextDialer(lines.dial))
	}
	if strings.HasPrefix(config.Endpoints[0], "https://") {
		info := transport.TLSInfo{TrustedCAFile: config.CAFile, CertFile: config.CertFile, KeyFile: config.KeyFile}
		config, err := info.ClientConfig()
		if err != nil {
			return nil, fmt.Errorf("etcd3: certificates: %w", err)
		}
		cc.TLS = config
	}
	client, err := clientv3.New(cc)
	if err != nil {
		return nil, fmt.Errorf("etcd3: connect to %s: %w", strings.Join(config.Endpoints, ", "), err)
	}
	if err := checkVersions(ctx, client, diagnosis{config, cc.TLS}); err != nil {
		client.Close()
		return nil, err
	}
	if err := watchMembers(client, &lines, config.Endpoints, config.Logger); err != nil {
		client.Close()
		return nil, fmt.Errorf("etcd3: %w", err)
	}
	return client, nil
}

func (c DialConfig) validate() error {
	if len(c.Endpoints) == 0 {
		return errors.New("no endpoints")
	}
	scheme := ""
	for _, e := range c.Endpoints {
		s, rest, ok := strings.Cut(e, "://")
		if !ok || rest == "" || s != "https" && s != "http" && s != "unix" {
			return fmt.Errorf("endpoint %q: want a URL like https://127.0.0.1:2379, http://127.0.0.1:2379 or unix:///run/etcd.sock", e)
		}
		if scheme != "" && s != scheme {
			return fmt.Errorf("endpoints %q and %q: all must have the same scheme", c.Endpoints[0], e)
		}
		scheme = s
	}
	if (c.CertFile == "") != (c.KeyFile == "") {
		return errors.New("a client certificate needs both the certificate file and the key file")
	}
	if scheme != "https" && (c.CAFile != "" || c.CertFile != "") {
		return fmt.Errorf("endpoint %q: certificates are given, but only https:// uses them", c.Endpoints[0])
	}
	return nil
}

// Ready makes one linearizable read, which needs a leader, a quorum and a working disk, and returns
// its error. It ends after timeout at the latest, and at once if it is known that there is no
// quorum.
func Ready(ctx context.Context, client *Client, timeout time.Duration) error {
	return ready(ctx, client.KV, timeout)
}

// Await is Ready that gives a quorum the time to come.
func Await(ctx context.Context, client *Client, timeout time.Duration) error {
	kv := client.KV
	if guarded, ok := kv.(*quorumKV); ok {
		kv = guarded.KV
	}
	return ready(ctx, kv, timeout)
}

func ready(ctx context.Context, kv clientv3.KV, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if _, err := kv.Get(ctx, "/readyz", clientv3.WithCountOnly()); err != nil {
		err = readError(ctx, "ready", "/", err)
		if errors.Is(err, context.DeadlineExceeded) {
			err = &storage.Error{Code: storage.CodeUnavailable, Op: "ready", Key: "/",
				Err: fmt.Errorf("no answer within %v: %w", timeout, err)}
		}
		return err
	}
	return nil
}
