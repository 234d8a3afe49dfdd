package serve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"

	etcdversion "go.etcd.io/etcd/api/v3/version"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// announce says at the start what a person wants to know: who listens where, where the objects are,
// how many, and in which form. It warns of what may be meant otherwise.
func (p *plan) announce(ctx context.Context, door *door, dbs *database.Databases, audit *auditLog) error {
	p.log.Info(fmt.Sprintf("%s %s listens on %s", p.program.Name, p.build.Version, door.url()),
		"revision", cmp.Or(p.build.Revision, "unknown"), "dirty", p.build.Dirty, "kubernetes", p.build.Kubernetes, "typeplane", p.build.Typeplane, "go", p.build.Go)
	p.announceDatabase(ctx, dbs.Main)
	for _, o := range dbs.Overrides() {
		p.log.Info("objects are in another etcd", "etcd", etcdVersion(ctx, o.Client), "servers", strings.Join(o.Servers, ","), "resources", strings.Join(resourceNames(o.Resources), ","))
	}
	sealed := p.sealed()
	p.log.Info("objects are stored", "as", strings.Join(p.storedVersions(), ","), "encrypted", orNone(sealed), "audit", cmp.Or(audit.path, "off"))
	if err := p.announceObjects(ctx, dbs); err != nil {
		return err
	}
	if p.serves("secrets") && !p.options.Store.InMemory && !slices.Contains(sealed, "secrets") {
		p.log.Warn("Secrets lie in etcd, and in every backup, as they are: encrypt them with --encryption-provider-config")
	}
	if host := net.ParseIP(p.options.Serving.BindAddress); host != nil && !host.IsLoopback() && faultyGo(runtime.Version()) {
		p.log.Warn("this program was built with a Go whose net/http has known faults in HTTP/2, and others can reach it: build it with "+goodGo+" or newer", "go", runtime.Version())
	}
	return nil
}

func (p *plan) announceDatabase(ctx context.Context, db *database.Database) {
	switch o := p.options.Store; {
	case p.program.Storage != nil:
		p.log.Info("objects are in "+db.Backend.Name, "below", o.EtcdPrefix)
	case o.InMemory:
		p.log.Info("objects are in memory, and gone with this process")
	case len(o.EtcdServers) == 0:
		p.log.Info("objects are in an etcd inside this process", "etcd", etcdversion.Version, "dir", o.DataDir)
	default:
		p.log.Info("objects are in etcd", "etcd", etcdVersion(ctx, db.Client), "servers", strings.Join(o.EtcdServers, ","), "below", o.EtcdPrefix)
	}
}

// etcdVersion is that of an etcd, or why it is not known.
func etcdVersion(ctx context.Context, client *etcd3.Client) string {
	version, err := etcd3.Version(ctx, client)
	if err != nil {
		return "unknown: " + err.Error()
	}
	return version
}

func resourceNames(resources []schema.GroupResource) (names []string) {
	for _, r := range resources {
		names = append(names, r.String())
	}
	return names
}

// storedVersions are those in which something is stored, each once.
func (p *plan) storedVersions() []string {
	versions := map[string]bool{}
	for n, r := range p.known.Resources {
		versions[r.StorageVersion(p.known.Options[n]).String()] = true
	}
	return slices.Sorted(maps.Keys(versions))
}

// sealed are the resources whose values are encrypted.
func (p *plan) sealed() (names []string) {
	for _, r := range p.known.Resources {
		if p.known.Encrypts(r) {
			names = append(names, r.GroupResource().String())
		}
	}
	return names
}

func orNone(names []string) string { return cmp.Or(strings.Join(names, ","), "none") }

// announced is how many resources are counted by name.
const announced = 10

// announceObjects counts them, those first of which there are most.
func (p *plan) announceObjects(ctx context.Context, dbs *database.Databases) error {
	type count struct {
		resource string
		objects  int64
	}
	var counts []count
	total := int64(0)
	for _, r := range p.known.Resources {
		n, err := dbs.Of(r.GroupResource()).Source(storage.Form{}).Count(ctx, r.KeyPrefix())
		if err != nil {
			return fmt.Errorf("count the %s: %w", r.GroupResource(), err)
		}
		if n > 0 {
			counts = append(counts, count{r.GroupResource().String(), n})
			total += n
		}
	}
	slices.SortStableFunc(counts, func(a, b count) int { return cmp.Compare(b.objects, a.objects) })
	var attrs []any
	for _, c := range counts[:min(len(counts), announced)] {
		attrs = append(attrs, c.resource, c.objects)
	}
	if more := len(counts) - announced; more > 0 {
		attrs = append(attrs, "others", fmt.Sprintf("%d more resources", more))
	}
	p.log.Info(fmt.Sprintf("there are %d objects", total), attrs...)
	return nil
}

// goodGo is the first release of Go 1.26 without the faults that README.md warns of.
const goodGo = "go1.26.10"

// faultyGo says whether README.md warns of a release of Go: those of 1.26 before goodGo.
func faultyGo(version string) bool {
	patch, is126 := strings.CutPrefix(version, "go1.26")
	if !is126 {
		return false
	}
	patch, dot := strings.CutPrefix(patch, ".")
	if !dot {
		return true // go1.26 itself, and what came before it
	}
	digits := patch
	if end := strings.IndexFunc(patch, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = patch[:end]
	}
	n, err := strconv.Atoi(digits)
	return err == nil && n < 10
}
