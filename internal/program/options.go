package program

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
)

// Options is what an operator may set. NewOptions gives the defaults.
type Options struct {
	Serving ServingOptions
	Store   StoreOptions
	API     APIOptions

	Admission AdmissionOptions

	Authentication AuthenticationOptions
	Authorization  AuthorizationOptions

	// Delegation is about users whom other servers know.
	Delegation DelegationOptions

	Audit   AuditOptions
	Logging LoggingOptions
	Tracing TracingOptions
	// Log takes what the server says about itself; nil: lines on the standard error, as Logging
	// says.
	Log *slog.Logger
	// Notes are warnings about flags that change nothing. They are logged at the start.
	Notes []string
}

// ServingOptions says where the server listens.
type ServingOptions struct {
	// BindAddress is the IP address to listen on, SecurePort the TCP port; port 0 takes a free one.
	BindAddress string
	SecurePort  int
	// MaxRequestsInFlight and MaxMutatingRequestsInFlight are how many requests that change
	// nothing, and how many others, are answered at the same time; 0 is no bound.
	MaxRequestsInFlight         int
	MaxMutatingRequestsInFlight int
	// Console serves the page of the console below /console/, behind a login.
	Console bool
	LimitOptions
}

// StoreOptions says where objects are kept and in which form. Every command that opens the store
// takes these.
type StoreOptions struct {
	// DataDir holds the certificates, the admin's kubeconfig and, without Etcd.Servers, the
	// embedded etcd.
	DataDir string
	// EtcdServers are the endpoints of an etcd cluster; none means the embedded one.
	EtcdServers []string
	// EtcdOverrides are resources whose objects are in another etcd, see ParseEtcdOverrides.
	EtcdOverrides []string
	// EtcdCAFile, EtcdCertFile and EtcdKeyFile are for all etcds.
	EtcdCAFile   string
	EtcdCertFile string
	EtcdKeyFile  string
	// ClusterSecretFile is a file with what opens the keys that replicas share in their etcd; ""
	// has each server keep its own.
	ClusterSecretFile string
	// MigrationRate is how many objects in an old form are rewritten in a second, by the server
	// itself; 0 leaves them as they are.
	MigrationRate int
	// InMemory keeps all objects in memory, for tests: there is no etcd, and nothing outlives the
	// process. It has no flag.
	InMemory bool
	// EtcdCompaction is how long etcd keeps old revisions at least, at most twice as long. 0 leaves
	// that to somebody else.
	EtcdCompaction time.Duration
	// EtcdPrefix is the key below which everything is stored.
	EtcdPrefix string
	// MediaType is the form of newly written values; every form is read.
	MediaType string
	// WatchCache answers reads from memory; without it every one goes to etcd, with the same
	// answers.
	WatchCache bool
	// GarbageCollector says who collects objects whose owners are gone: CollectInServer,
	// CollectBeside or CollectNever.
	GarbageCollector string
	// Versions overrides the storage versions, see the flag's help for the form of an item.
	Versions []string
	// EncryptionConfig is a file that says how objects are encrypted at rest, as in Kubernetes; ""
	// leaves them plain.
	EncryptionConfig string
	// EncryptionReload puts changes of that file into effect. Kubernetes' default is not to. Then a
	// mistake in the file is found at the next start, when it keeps the server down. Here it is
	// found at once, when it is only a failed check.
	EncryptionReload bool
}

// The media types that objects can be stored in.
const (
	mediaTypeProtobuf = string(rest.Protobuf)
	mediaTypeJSON     = string(rest.JSON)
)

// NewOptions returns the defaults of the server called name.
func NewOptions(name string) *Options {
	return &Options{
		Serving: ServingOptions{BindAddress: "127.0.0.1", SecurePort: 6443, MaxRequestsInFlight: 400, MaxMutatingRequestsInFlight: 200, LimitOptions: newLimits()},
		Store: StoreOptions{
			DataDir:    "./" + name + "-data",
			EtcdPrefix: "/registry",

			EtcdCompaction: defaultCompaction,

			MediaType:  mediaTypeProtobuf,
			WatchCache: true,

			GarbageCollector: CollectInServer,

			EncryptionReload: true,

			MigrationRate: 100,
		},
		API:   APIOptions{EventTTL: time.Hour},
		Audit: AuditOptions{LogPath: AuditInDataDir},

		Authentication: newAuthenticationOptions(),
		Logging:        LoggingOptions{Format: logText},
		Delegation:     newDelegationOptions(),
	}
}

// AddFlags makes every option settable by a flag of fs.
func (o *Options) AddFlags(fs *pflag.FlagSet) {
	o.Serving.addFlags(fs)
	o.Store.AddFlags(fs)
	o.Authentication.addFlags(fs)
	o.Authorization.addFlags(fs)
	o.Delegation.addFlags(fs)
	o.Audit.addFlags(fs)
	o.Logging.addFlags(fs)
	addFormerFlags(fs, &o.Notes)
}

func (o *ServingOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.BindAddress, "bind-address", o.BindAddress, "IP `address` to listen on; 0.0.0.0 or :: listens on all interfaces")
	fs.IntVar(&o.SecurePort, "secure-port", o.SecurePort, "TCP `port` of the HTTPS server; 0 takes a free one")
	fs.BoolVar(&o.Console, "console", o.Console, "serve a page below /console/ that shows what the server keeps to people who sign in with a bearer token or a client certificate, with their rights")
	fs.IntVar(&o.MaxRequestsInFlight, "max-requests-inflight", o.MaxRequestsInFlight, "how many `requests` that change nothing are answered at the same time, watches not counted; more wait for their turn or get 429, but for members of system:masters; 0 is no bound")
	fs.IntVar(&o.MaxMutatingRequestsInFlight, "max-mutating-requests-inflight", o.MaxMutatingRequestsInFlight, "the same for `requests` that write")
	o.addLimitFlags(fs)
}

// AddFlags makes the store's options settable by flags of fs.
func (o *StoreOptions) AddFlags(fs *pflag.FlagSet) {
	AddPlaceFlags(o, fs)
	AddFormFlags(o, fs)
	fs.StringVar(&o.GarbageCollector, "garbage-collector", o.GarbageCollector, "`who` deletes objects whose owners are gone, and honours what a deletion says of dependents: "+CollectInServer+", as far as the program has a collector; "+CollectBeside+", where a kube-controller-manager does it; "+CollectNever)
	fs.BoolVar(&o.WatchCache, "watch-cache", o.WatchCache, "answer reads from memory, kept up to date by one watch for each resource; false asks etcd each time")
	fs.DurationVar(&o.EtcdCompaction, "etcd-compaction-interval", o.EtcdCompaction, "`time` after which old revisions are compacted away; servers on one etcd, Kubernetes' included, take turns; 0 leaves it to somebody else")
	fs.StringVar(&o.ClusterSecretFile, "cluster-secret-file", o.ClusterSecretFile, "`file` with a secret that all servers on one etcd are given: with it they share their certificate authority, the key of service account tokens and the encryption key, which lie in etcd sealed with it")
	fs.IntVar(&o.MigrationRate, "storage-migration-rate", o.MigrationRate, "how many `objects` that are stored in an old version, media type or key are rewritten in a second, by one of the servers; 0 leaves them as they are")
	fs.BoolVar(&o.EncryptionReload, "encryption-provider-config-automatic-reload", o.EncryptionReload, "put changes of the file of --encryption-provider-config into effect within seconds; one with a mistake is refused, and fails the health check encryption-config")
}

// AddPlaceFlags adds those that say where the objects are.
func AddPlaceFlags(o *StoreOptions, fs *pflag.FlagSet) {
	fs.StringVar(&o.DataDir, "data-dir", o.DataDir, "`directory` of certificates, admin.kubeconfig and the embedded etcd; made if it is missing")
	fs.StringSliceVar(&o.EtcdServers, "etcd-servers", o.EtcdServers, "comma-separated `URLs` of an etcd cluster; without it an etcd runs inside this process, in the data directory")
	fs.StringSliceVar(&o.EtcdOverrides, "etcd-servers-overrides", o.EtcdOverrides, "comma-separated `resources` that are in an etcd of their own: group/resource#servers, with semicolons between the URLs; /pods#http://… is a resource of the core group; certificates are those of --etcd-servers")
	fs.StringVar(&o.EtcdCAFile, "etcd-cafile", o.EtcdCAFile, "`file` with the CA that signed the etcd cluster's certificates")
	fs.StringVar(&o.EtcdCertFile, "etcd-certfile", o.EtcdCertFile, "`file` with the client certificate for the etcd cluster")
	fs.StringVar(&o.EtcdKeyFile, "etcd-keyfile", o.EtcdKeyFile, "`file` with the key of --etcd-certfile")
}

// AddFormFlags adds those that say in which form the objects are there, and below which key.
func AddFormFlags(o *StoreOptions, fs *pflag.FlagSet) {
	fs.StringVar(&o.EtcdPrefix, "etcd-prefix", o.EtcdPrefix, "`key` in etcd below which all objects are stored")
	fs.StringVar(&o.MediaType, "storage-media-type", o.MediaType, "media `type` of newly written objects: "+mediaTypeProtobuf+" or "+mediaTypeJSON+"; both are read, and kinds without protobuf are JSON in any case")
	fs.StringVar(&o.EncryptionConfig, "encryption-provider-config", o.EncryptionConfig, "`file` with an EncryptionConfiguration as Kubernetes has it: which objects are encrypted in etcd, and with which keys")
	fs.StringSliceVar(&o.Versions, "storage-versions", o.Versions, "comma-separated storage versions: `group/version` for all kinds of a group, resource.group=group/version for one")
}

// Validate returns every mistake in the options, each naming its flag.
func (o *Options) Validate() error {
	return errors.Join(o.Serving.validate(), o.Store.Validate(), o.API.validate(), o.Authentication.validate(), o.Authorization.validate(),
		o.Delegation.validate(), o.Admission.validate(), o.Audit.validate(), o.Logging.validate())
}

func (o *ServingOptions) validate() error {
	var errs []error
	if net.ParseIP(o.BindAddress) == nil {
		errs = append(errs, fmt.Errorf("--bind-address=%s: want an IP address, like 127.0.0.1", o.BindAddress))
	}
	if o.SecurePort < 0 || o.SecurePort > 65535 {
		errs = append(errs, fmt.Errorf("--secure-port=%d: want a port from 0 to 65535", o.SecurePort))
	}
	for flag, value := range map[string]int{"max-requests-inflight": o.MaxRequestsInFlight, "max-mutating-requests-inflight": o.MaxMutatingRequestsInFlight} {
		if value < 0 {
			errs = append(errs, fmt.Errorf("--%s=%d: want a number of requests, or 0 for no bound", flag, value))
		}
	}
	errs = append(errs, o.validateLimits())
	return errors.Join(errs...)
}

// Validate returns every mistake in the store's options, each naming its flag.
func (o *StoreOptions) Validate() error {
	var compaction error
	if o.EtcdCompaction < 0 || o.EtcdCompaction > 0 && o.EtcdCompaction < minCompaction {
		compaction = fmt.Errorf("--etcd-compaction-interval=%v: want %v or more, or 0", o.EtcdCompaction, minCompaction)
	}
	var rate error
	if o.MigrationRate < 0 {
		rate = fmt.Errorf("--storage-migration-rate=%d: want a number of objects in a second, or 0 for none", o.MigrationRate)
	}
	return errors.Join(ValidatePlace(o), ValidateForm(o), o.validateCollector(), compaction, rate)
}

func (o *StoreOptions) validateCollector() error {
	choices := []string{CollectInServer, CollectBeside, CollectNever}
	if !slices.Contains(choices, o.GarbageCollector) {
		return fmt.Errorf("--garbage-collector=%s: want one of %s", o.GarbageCollector, strings.Join(choices, ", "))
	}
	return nil
}

const defaultCompaction = 5 * time.Minute

// minCompaction is the shortest time that old revisions can be kept: clients go on with a list or a
// watch after a pause.
const minCompaction = time.Second

func ValidatePlace(o *StoreOptions) error {
	var errs []error
	if o.DataDir == "" {
		errs = append(errs, errors.New("--data-dir: want a directory"))
	}
	if (o.EtcdCertFile == "") != (o.EtcdKeyFile == "") {
		errs = append(errs, errors.New("--etcd-certfile and --etcd-keyfile go together"))
	}
	if len(o.EtcdServers)+len(o.EtcdOverrides) == 0 && (o.EtcdCAFile != "" || o.EtcdCertFile != "") {
		errs = append(errs, errors.New("--etcd-cafile and --etcd-certfile are for a cluster: name it with --etcd-servers"))
	}
	if _, err := ParseEtcdOverrides(o.EtcdOverrides); err != nil {
		errs = append(errs, err)
	} else if len(o.EtcdOverrides) > 0 && o.EtcdCAFile+o.EtcdCertFile != "" && !strings.Contains(strings.Join(append(o.EtcdOverrides, o.EtcdServers...), ";"), "https://") {
		errs = append(errs, errors.New("--etcd-cafile and --etcd-certfile: certificates are given, but only https:// uses them, and no server of --etcd-servers or --etcd-servers-overrides is named so"))
	}
	return errors.Join(errs...)
}

func ValidateForm(o *StoreOptions) error {
	var errs []error
	if !strings.HasPrefix(o.EtcdPrefix, "/") || strings.HasSuffix(o.EtcdPrefix, "/") {
		errs = append(errs, fmt.Errorf("--etcd-prefix=%s: want a key that begins with a slash and does not end in one, like /registry", o.EtcdPrefix))
	}
	if o.MediaType != mediaTypeProtobuf && o.MediaType != mediaTypeJSON {
		errs = append(errs, fmt.Errorf("--storage-media-type=%s: want %s or %s", o.MediaType, mediaTypeProtobuf, mediaTypeJSON))
	}
	if _, err := ParseStorageVersions(o.Versions); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// storageVersion is one parsed item of --storage-versions. Resource is "" when it is for all kinds
// of the group.
type storageVersion struct {
	Item     string
	resource schema.GroupResource
	Version  schema.GroupVersion
}

func ParseStorageVersions(items []string) ([]storageVersion, error) {
	var out []storageVersion
	var errs []error
	for _, item := range items {
		resource, version, named := strings.Cut(item, "=")
		if !named {
			version = item
		}
		gv, err := schema.ParseGroupVersion(version)
		if err != nil || gv.Version == "" || named && resource == "" {
			errs = append(errs, fmt.Errorf("--storage-versions: %q: want group/version or resource.group=group/version", item))
			continue
		}
		v := storageVersion{Item: item, Version: gv, resource: schema.GroupResource{Group: gv.Group}}
		if named {
			v.resource = schema.ParseGroupResource(resource)
		}
		out = append(out, v)
	}
	return out, errors.Join(errs...)
}

func (o storageVersion) AppliesTo(gr schema.GroupResource) bool {
	return o.resource.Group == gr.Group && (o.resource.Resource == "" || o.resource.Resource == gr.Resource)
}
