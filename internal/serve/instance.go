package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/internal/server/audit"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/trace"
)

// Instance is a server with everything that it needs: its listener, its database, its stores. It
// serves once.
type Instance struct {
	program  program.Server
	enabled  map[string]bool // of program.APIs
	options  *program.Options
	log      *slog.Logger
	listener net.Listener
	waiting  *server.Waiting // answers until the Instance is open
	known    *database.Kinds
	// plugins are those of admission that are on, admission is the chain of them, which every store
	// asks.
	plugins   []program.ChosenPlugin
	admission *admission.Chain
	db        *database.Database
	access    *access
	identity  identity
	// decider says who may do what; roles is one of those whom it asks, nil where none are served.
	decider decider
	roles   auth.Authorizer
	readyz  []server.Check // of the APIs
	// delegation is what other servers know of users.
	delegation delegation
	// resources are what is served, one for each version; behind the first, stored of them, there
	// are stores, which survey reads.
	resources []rest.Resource
	stored    int
	// objects are those that admission keeps accounts by, kept the stores of its own keys.
	objects []*registry.Objects
	kept    map[string]storage.Interface
	survey  *database.Surveyor
	metrics *prometheus.Registry
	audit   *audit.Log // nil for none
	// auditPath is its file, "-" for the standard output.
	auditPath string
	tracer    trace.Recorder // nil for none
	server    *server.Server
	loops     []func(context.Context)
	closers   []func() error
}

func (i *Instance) onClose(closer func() error) { i.closers = append(i.closers, closer) }

// close undoes what was opened, the last first.
func (i *Instance) close() error {
	var errs []error
	for _, closer := range slices.Backward(i.closers) {
		errs = append(errs, closer())
	}
	i.closers = nil
	return errors.Join(errs...)
}

// URL is where clients on this machine reach the server. Connections are taken from the moment the
// Instance is open; they are answered once it serves.
func (i *Instance) URL() string { return clientURL(i.listener.Addr()) }
