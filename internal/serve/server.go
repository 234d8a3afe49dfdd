package serve

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/typeplane/typeplane/internal/console"
	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/fairness"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/trace"
)

// newServer joins what is served with who may have it.
func (p *plan) newServer(door *door, dbs *database.Databases, stored *stores, users *identity, extended *extended, audit *auditLog, tracer trace.Recorder) (*server.Server, error) {
	o := &p.options.Serving
	origins, err := program.ParseOrigins(o.CORSAllowedOrigins)
	if err != nil {
		return nil, err
	}
	door.reportCertificates(p.metrics)
	return server.New(server.Config{
		Name:          p.program.Name,
		Resources:     extended.resources,
		Scheme:        p.known.Scheme,
		OpenAPI:       p.program.OpenAPI,
		Authenticator: users.authenticator,
		Authorizer:    extended.decider,
		Revocations:   users.revocations,
		Version:       apiVersion(p.build),
		Readyz:        slices.Concat(etcdChecks(dbs), []server.Check{{Name: "watch-cache", Check: dbs.Filled}, {Name: "kms-providers", Check: p.known.KmsHealth}}, extended.readyz),
		Healthz:       []server.Check{{Name: "encryption-config", Check: p.known.EncryptionHealth}, {Name: "serving-certificate", Check: door.certificateHealth}},
		Reports:       []server.Report{{Path: database.StoragePath, Make: stored.survey.Report}},
		Documents:     users.documents(),
		Console:       p.console(door, users),
		ConsolePath:   console.Path,
		Metrics:       p.metrics,
		Audit:         audit.Log,
		Tracer:        tracer,
		Log:           p.log,

		RequestTimeout:    o.RequestTimeout,
		WatchTimeout:      time.Duration(o.MinRequestTimeout) * time.Second,
		MaxWatchesPerUser: inFlight(o.MaxWatchesPerUser),
		MaxStreams:        o.HTTP2MaxStreams,
		CORSOrigins:       origins,
		WatchDrain:        o.ShutdownWatchGrace,
		ShutdownDelay:     o.ShutdownDelay,

		Fairness:                    p.fairness,
		MaxRequestsInFlight:         inFlight(o.MaxRequestsInFlight),
		MaxMutatingRequestsInFlight: inFlight(o.MaxMutatingRequestsInFlight),
	})
}

// console is the page of the server, nil without --console. Its sessions are sealed by the key of
// the authority, which servers that share their keys have in common.
func (p *plan) console(door *door, users *identity) func(http.Handler) (http.Handler, error) {
	if !p.options.Serving.Console {
		return nil
	}
	return func(api http.Handler) (http.Handler, error) {
		secret, err := encodeKey(door.authority.key)
		if err != nil {
			return nil, err
		}
		return console.NewServed(console.ServedConfig{
			Program: p.program.Name, Groups: p.groups, Authenticator: users.authenticator, Secret: secret, Named: door.named, Log: p.log,
		}, api)
	}
}

// etcdChecks are those of the databases, under the names that a kube-apiserver gives them.
func etcdChecks(dbs *database.Databases) []server.Check {
	checks := []server.Check{{Name: "etcd", Check: dbs.Main.Ready, Note: dbs.Main.Missing}}
	for n, o := range dbs.Overrides() {
		checks = append(checks, server.Check{Name: fmt.Sprintf("etcd-override-%d", n), Check: o.Ready, Note: o.Missing})
	}
	return checks
}

// newFairness shares out the bounds of requests in flight, if both are there.
func (p *plan) newFairness() *fairness.Controller {
	o := &p.options.Serving
	if !o.Fairness || o.MaxRequestsInFlight == 0 || o.MaxMutatingRequestsInFlight == 0 {
		return nil
	}
	return fairness.New(o.MaxRequestsInFlight+o.MaxMutatingRequestsInFlight, p.metrics)
}

// inFlight says "no bound" as server.Config does, where 0 is the default.
func inFlight(flag int) int {
	if flag == 0 {
		return -1
	}
	return flag
}
