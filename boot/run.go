package boot

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/server"
	"github.com/typeplane/typeplane/server/auth"
	"github.com/typeplane/typeplane/storage"
)

// Run serves s until ctx ends, and returns nil after an orderly stop. When requests are answered it prints one line
// to out, `export KUBECONFIG=…`, for the administrator's shell.
func Run(ctx context.Context, s Server, o *Options, out io.Writer) (err error) {
	if err := o.Validate(); err != nil {
		return err
	}
	known, err := s.kinds(&o.Store)
	if err != nil {
		return err
	}
	if err := s.checkPrefixes(); err != nil {
		return err
	}
	listener, err := listen(ctx, &o.Serving)
	if err != nil {
		return err
	}
	defer listener.Close()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	crypt, err := openEncryption(&o.Store, s.Resources, log)
	if err != nil {
		return err
	}
	if crypt != nil {
		defer crypt.Close()
	}
	db, err := openDatabase(ctx, &o.Store, log)
	if err != nil {
		return err
	}
	db.encryption, known.encryption = crypt, crypt
	defer func() { err = errors.Join(err, db.close()) }()
	access, err := openAccess(s.Name, o, listener.Addr())
	if err != nil {
		return err
	}

	schemas, err := registry.NewSchemas(s.OpenAPI)
	if err != nil {
		return err
	}
	memos := newMemos(&o.Serving)
	var resources []rest.Resource
	survey := &surveyor{kinds: known}
	for i := range known.resources {
		store, served, err := openResource(known, i, schemas, memos, db)
		if err != nil {
			return err
		}
		survey.stores = append(survey.stores, store)
		resources = append(resources, served...)
	}
	if crypt != nil {
		crypt.Start(db.reread)
	}
	if err := guardNamespaces(ctx, known.scheme, resources); err != nil {
		return err
	}
	handler, err := newHandler(s, &o.Serving, known.scheme, resources, access, db, survey, log)
	if err != nil {
		return err
	}
	alive, done := db.whileAlive(ctx)
	defer done()
	fmt.Fprintf(out, "export KUBECONFIG=%s\n", shellQuote(access.kubeconfig))
	if err := handler.Serve(alive, listener, access.tls()); err != nil {
		return err
	}
	if cause := context.Cause(alive); errors.Is(cause, errEtcdDied) {
		return cause
	}
	return nil
}

// newMemos returns where answers are kept, nil for nowhere.
func newMemos(o *ServingOptions) *registry.Memos {
	if o.EncodedCacheMiB == 0 {
		return nil
	}
	return registry.NewMemos(int64(o.EncodedCacheMiB) << 20)
}

// openResource opens the store of resource i and what serves it.
func openResource(known *kinds, i int, schemas *registry.Schemas, memos *registry.Memos, db *database) (storage.Interface, []rest.Resource, error) {
	form, err := known.form(i, db.root)
	if err != nil {
		return nil, nil, err
	}
	r, options := known.resources[i], known.options[i]
	options.Schemas, options.Memos = schemas, memos
	store, err := db.store(r.KeyPrefix(), form)
	if err != nil {
		return nil, nil, err
	}
	served, err := r.Serve(known.scheme, store, options)
	return store, served, err
}

func newHandler(s Server, o *ServingOptions, scheme *runtime.Scheme, resources []rest.Resource, access *access, db *database, survey *surveyor, log *slog.Logger) (*server.Server, error) {
	clients, err := auth.NewClientCertificates(access.authority.certPEM)
	if err != nil {
		return nil, err
	}
	return server.New(server.Config{
		Name:          s.Name,
		Resources:     resources,
		Scheme:        scheme,
		OpenAPI:       s.OpenAPI,
		Authenticator: clients,
		Authorizer:    auth.Masters{},
		Version:       server.Version{GitVersion: gitVersion},
		Readyz:        []server.Check{{Name: "etcd", Check: db.ready}, {Name: "watch-cache", Check: db.filled}, {Name: "kms-providers", Check: db.kmsHealth}},
		Healthz:       []server.Check{{Name: "encryption-config", Check: db.encryptionHealth}},
		Reports:       []server.Report{{Path: storagePath, Make: survey.report}},
		Log:           log,

		MaxRequestsInFlight:         inFlight(o.MaxRequestsInFlight),
		MaxMutatingRequestsInFlight: inFlight(o.MaxMutatingRequestsInFlight),
	})
}

// inFlight says "no bound" as server.Config does, where 0 is the default.
func inFlight(flag int) int {
	if flag == 0 {
		return -1
	}
	return flag
}

// gitVersion says which Kubernetes release the API behaves like: clients such as Helm compare it.
const gitVersion = "v1.37.2+typeplane"

func listen(ctx context.Context, o *ServingOptions) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", o.address())
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("another process listens on %s already; stop it, or choose another port with --secure-port (0 takes a free one)", o.address())
	}
	if errors.Is(err, syscall.EACCES) {
		return nil, fmt.Errorf("listening on %s is not allowed; choose a port above 1023 with --secure-port", o.address())
	}
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		return nil, fmt.Errorf("this machine does not have the address %s; choose another with --bind-address", o.BindAddress)
	}
	return listener, err
}

// access is who may come in, and how: the server's authority and what it signed.
type access struct {
	authority  *authority
	hosts      []string
	kubeconfig string
}

// openAccess makes the data directory on the first start, and the admin's kubeconfig on every one.
func openAccess(name string, o *Options, addr net.Addr) (*access, error) {
	dir, err := filepath.Abs(o.Store.DataDir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("--data-dir: %w", err)
	}
	ca, err := openAuthority(filepath.Join(dir, "pki"))
	if err != nil {
		return nil, err
	}
	a := &access{authority: ca, hosts: servingHosts(o.Serving.BindAddress), kubeconfig: filepath.Join(dir, "admin.kubeconfig")}
	return a, writeAdminKubeconfig(a.kubeconfig, name, clientURL(addr), ca)
}

func (a *access) tls() *tls.Config {
	cert := &servingCertificate{authority: a.authority, hosts: a.hosts, now: time.Now}
	return &tls.Config{GetCertificate: cert.get}
}

// clientURL is how a client on this machine reaches a listener.
func clientURL(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "https://" + net.JoinHostPort(host, port)
}

// shellQuote makes one word of a path for a shell.
func shellQuote(path string) string {
	if !strings.ContainsAny(path, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
