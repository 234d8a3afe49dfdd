// Package typeplane serves kinds that are Go structs through an API like that of Kubernetes.
//
// A program has a Server, which gen prints from the types, and hands it to Main:
//
//	func main() { typeplane.Main(newServer()) }
//
// Everything else is optional. Run and Open start a server inside a program with Options of its
// own; package apitest does so in tests. An API is a part that several servers may share: kinds,
// the plug-ins of admission that come with them, and what extends a Host.
//
// What kinds need beyond their types is in other packages: rules and subresources in registry,
// checks of every write in admission, users and rights in auth, stores in storage. CONTRIBUTING.md
// says which packages are stable.
package typeplane

import (
	"context"
	"io"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/serve"
	"github.com/typeplane/typeplane/internal/server"
)

type (
	// Server is what a program serves: its kinds, how each is stored, its plug-ins and APIs.
	Server = program.Server
	// API is a part of what a program can serve beside its own kinds. The operator chooses among
	// its resources with --enable-api.
	API = program.API
	// Host is the server as an API sees it that extends it.
	Host = program.Host
	// Check is one that an API adds to those of /readyz, see Host.Readyz.
	Check = server.Check
	// Virtual is a resource that no store holds: a registry.Virtual of any type.
	Virtual = program.Virtual
	// AdmissionPlugin is a plug-in of admission, with its name and what it is made of.
	AdmissionPlugin = program.AdmissionPlugin
	// AdmissionOptions say which plug-ins are on, and with which configuration.
	AdmissionOptions = program.AdmissionOptions

	// StorageConfig is what a storage of the program's own is told when it is opened.
	StorageConfig = program.StorageConfig

	// Tracer keeps the spans of requests; module tracing has one for OpenTelemetry.
	Tracer = program.Tracer
	// TracingConfig is what the file of --tracing-config-file says.
	TracingConfig = program.TracingConfig

	// Instance is a server that has opened its listener, its database and its stores.
	Instance = serve.Instance
)

// The options of a server. Each has a flag, whose text says what it does; `--help` lists them all.
type (
	// Options are all options of a server.
	Options = program.Options
	// APIOptions choose what is served beside the program's own kinds.
	APIOptions = program.APIOptions
	// AuditOptions say what is recorded of requests, and where.
	AuditOptions = program.AuditOptions
	// AuthenticationOptions say how users are known.
	AuthenticationOptions = program.AuthenticationOptions
	// AuthorizationOptions say who decides what users may do.
	AuthorizationOptions = program.AuthorizationOptions
	// DelegationOptions name the server that knows users and their rights.
	DelegationOptions = program.DelegationOptions
	// LimitOptions bound what clients may take at once.
	LimitOptions = program.LimitOptions
	// LoggingOptions say how the server logs.
	LoggingOptions = program.LoggingOptions
	// OIDCOptions name an OpenID Connect provider.
	OIDCOptions = program.OIDCOptions
	// ServingOptions say where the server listens and with which certificate.
	ServingOptions = program.ServingOptions
	// StoreOptions say where objects are kept, and how.
	StoreOptions = program.StoreOptions
	// TracingOptions name the file that says what is traced.
	TracingOptions = program.TracingOptions
)

// AuditInDataDir is the value of AuditOptions that puts the log into the data directory.
const AuditInDataDir = program.AuditInDataDir

// The values of StoreOptions.GarbageCollector: the server itself, a program beside it, nobody.
const (
	CollectInServer = program.CollectInServer
	CollectBeside   = program.CollectBeside
	CollectNever    = program.CollectNever
)

// NewOptions returns the options of a server with their defaults. name is that of its program.
func NewOptions(name string) *Options { return program.NewOptions(name) }

// Own returns the API as one that is always served: --enable-api neither names it nor leaves it
// out. It is for the kinds that a program is there for, where they are in a package that is not
// main.
func Own(a API) API { return program.Own(a) }

// Main runs a server as a program: flags or a command in, an exit code out. SIGINT and SIGTERM stop
// it in good order, a second one at once. It does not return if something fails.
func Main(s Server) { serve.Main(s) }

// Run serves s until ctx ends, and returns nil after an orderly stop. When requests are answered it
// prints one line to out, `export KUBECONFIG=…`, for the administrator's shell. It takes the
// process to be the server's own, and paces its garbage collector.
func Run(ctx context.Context, s Server, o *Options, out io.Writer) error {
	return serve.Run(ctx, s, o, out)
}

// Open does all that can fail before the first request: it listens, starts or connects the
// database, and opens the stores. Instance.Serve must follow; it closes the Instance. ctx bounds
// the start only, except that an embedded etcd does not outlive it.
func Open(ctx context.Context, s Server, o *Options) (*Instance, error) {
	return serve.Open(ctx, s, o)
}
