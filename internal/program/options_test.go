package program

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

func TestParse(t *testing.T) {
	o, err := parse(Server{Name: "library"}, []string{"--bind-address=0.0.0.0", "--secure-port=0", "--max-requests-inflight=0", "--etcd-servers=https://a:2379,https://b:2379", "--storage-media-type=application/json", "--etcd-compaction-interval=1m", "--garbage-collector=beside",
		"--cluster-secret-file=secret", "--storage-migration-rate=5", "--tls-cert-file=a.crt", "--tls-private-key-file=a.key", "--request-timeout=30s", "--min-request-timeout=60", "--max-watches-per-user=7", "--http2-max-streams-per-connection=100",
		"--cors-allowed-origins=^https://a$", "--shutdown-delay-duration=5s", "--shutdown-watch-termination-grace-period=1s",
		"--audit-log-path=-", "--audit-log-maxsize=10", "--audit-log-maxbackup=3", "--audit-log-maxage=7", "--logging-format=json", "-v=3"})
	if err != nil {
		t.Fatal(err)
	}
	want := &Options{
		Serving: ServingOptions{BindAddress: "0.0.0.0", MaxMutatingRequestsInFlight: 200, LimitOptions: LimitOptions{
			TLSCertFile: "a.crt", TLSPrivateKeyFile: "a.key", RequestTimeout: 30 * time.Second, MinRequestTimeout: 60, MaxWatchesPerUser: 7, Fairness: true, HTTP2MaxStreams: 100,
			CORSAllowedOrigins: []string{"^https://a$"}, ShutdownDelay: 5 * time.Second, ShutdownWatchGrace: time.Second,
		}},
		Store: StoreOptions{
			DataDir:     "./library-data",
			EtcdServers: []string{"https://a:2379", "https://b:2379"},
			EtcdPrefix:  "/registry",
			MediaType:   "application/json",
			WatchCache:  true,

			ClusterSecretFile: "secret",
			MigrationRate:     5,

			GarbageCollector: CollectBeside,
			EtcdCompaction:   time.Minute,
			EncryptionReload: true,
		},
		API:        APIOptions{EventTTL: time.Hour},
		Audit:      AuditOptions{LogPath: "-", LogMaxSize: 10, LogMaxBackups: 3, LogMaxAge: 7},
		Logging:    LoggingOptions{Format: "json", Verbosity: 3},
		Delegation: newDelegationOptions(),

		Authentication: newAuthenticationOptions(),
	}
	if diff := cmp.Diff(want, o); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := parse(Server{Name: "library"}, []string{"--help"}); !errors.Is(err, pflag.ErrHelp) {
		t.Errorf("--help: %v", err)
	}
}

func TestParseRefuses(t *testing.T) {
	for arg, want := range map[string]string{
		"--secure-prt=1":  "did you mean --secure-port?",
		"--kubeconfig=x":  "see --help",
		"--secure-port=x": "--secure-port",
		"serve":           "no arguments",

		"--enable-garbage-collector=false":     "say --garbage-collector=never",
		"--enable-garbage-collector=maybe":     "want true",
		"--garbage-collector":                  "needs an argument",
		"--etcd-quorum-read=false":             "linearizable",
		"--etcd-quorum-read=maybe":             "want true",
		"--storage-backend=etcd2":              `"etcd2" is not supported`,
		"--storage-backend=":                   "is not supported",
		"--watch-cache-sizes=pods":             "want resource.group#size",
		"--watch-cache-sizes=pods#100,nodes#0": "nodes: 0 would turn the cache off, which is possible for all resources only: --watch-cache=false",
		"--watch-cache-sizes=pods#many":        "want how many events",
		"--default-watch-cache-size=0":         "--watch-cache=false",
		"--default-watch-cache-size=-1":        "want how many events",
	} {
		if _, err := parse(Server{Name: "library"}, []string{arg}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arg, err, want)
		}
	}
}

// TestValidateSaysEverything: an operator mends a command line once.
func TestValidateSaysEverything(t *testing.T) {
	o := NewOptions("library")
	o.Serving.BindAddress, o.Serving.SecurePort = "localhost", 70000
	o.Serving.MaxRequestsInFlight, o.Serving.MaxMutatingRequestsInFlight = -1, -2
	o.Store.DataDir, o.Store.EtcdPrefix, o.Store.MediaType = "", "registry/", "text/plain"
	o.Store.GarbageCollector = "somebody"
	o.Store.EtcdCertFile = "client.crt"
	o.Store.EtcdCompaction = time.Millisecond
	o.Store.ClusterSecretFile, o.Store.MigrationRate = "secret", -1
	o.Store.Versions = []string{"a/b/c", "=v1"}
	o.Serving.LimitOptions = LimitOptions{TLSCertFile: "a", RequestTimeout: -1, MinRequestTimeout: -2, MaxWatchesPerUser: -3, HTTP2MaxStreams: -4, TLSNames: []string{"shop"}, CORSAllowedOrigins: []string{"("}, ShutdownDelay: -5, ShutdownWatchGrace: -6}
	o.Audit = AuditOptions{PolicyFile: "p.yaml", LogMaxSize: -1, LogMaxBackups: -1, LogMaxAge: -1}
	o.Logging = LoggingOptions{Format: "xml", Verbosity: -1}
	err := Validate(Server{Name: "library"}, o)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"--tls-cert-file and --tls-private-key-file", "--tls-san: ", "--request-timeout=-1ns", "--min-request-timeout=-2", "--max-watches-per-user=-3", "--http2-max-streams-per-connection=-4", "--cors-allowed-origins", "--shutdown-delay-duration=-5ns", "--shutdown-watch-termination-grace-period=-6ns", "--audit-policy-file", "--audit-log-maxsize=-1", "--audit-log-maxbackup=-1", "--audit-log-maxage=-1", "--logging-format=xml", "--v=-1", "--etcd-compaction-interval=1ms", "--cluster-secret-file=secret", "--storage-migration-rate=-1", "--bind-address", "--secure-port", "--max-requests-inflight=-1", "--max-mutating-requests-inflight=-2", "--data-dir", "--garbage-collector=somebody", "--etcd-prefix", "--storage-media-type", "--etcd-certfile and --etcd-keyfile", "--etcd-servers", `"a/b/c"`, `"=v1"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing about %s in:\n%v", want, err)
		}
	}
	if err := NewOptions("library").Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
}

func TestNamesOfCertificate(t *testing.T) {
	for name, good := range map[string]bool{"shop": true, "shop.example.com": true, "*.example.com": true, "192.0.2.7": true, "::1": true, "https://shop": false, "shop:6443": false, "": false} {
		o := NewOptions("library")
		o.Serving.TLSNames = []string{name}
		if err := o.Validate(); (err == nil) != good {
			t.Errorf("--tls-san=%s: %v", name, err)
		}
	}
}

// parse reads flags only, and returns the options.
func parse(s Server, args []string) (*Options, error) {
	line, err := ParseLine(s, args, nil, noHelp)
	if err != nil {
		return nil, err
	}
	return line.Options, nil
}

func noHelp(*pflag.FlagSet) {}

// TestLimitsAreOnByDefault: 0 is no bound, and nobody has that without asking for it.
func TestLimitsAreOnByDefault(t *testing.T) {
	o, err := parse(Server{Name: "library"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for flag, limit := range map[string]int{
		"max-requests-inflight": o.Serving.MaxRequestsInFlight, "max-mutating-requests-inflight": o.Serving.MaxMutatingRequestsInFlight,
		"max-watches-per-user": o.Serving.MaxWatchesPerUser, "http2-max-streams-per-connection": o.Serving.HTTP2MaxStreams,
		"request-timeout": int(o.Serving.RequestTimeout),
	} {
		if limit <= 0 {
			t.Errorf("--%s is %d", flag, limit)
		}
	}
}
