package serve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	etcdversion "go.etcd.io/etcd/api/v3/version"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// announce says at the start what a person wants to know: who listens where, where the objects are
// and how many, in which form; and it warns of what may be meant otherwise.
func (i *Instance) announce(ctx context.Context) error {
	i.log.Info(fmt.Sprintf("%s %s listens on %s", i.program.Name, programVersion(), i.URL()), "go", runtime.Version())
	i.announceDatabase(ctx)
	sealed := i.sealed()
	i.log.Info("objects are stored", "as", strings.Join(i.storedVersions(), ","), "encrypted", orNone(sealed), "audit", cmp.Or(i.auditPath, "off"))
	if err := i.announceObjects(ctx); err != nil {
		return err
	}
	if i.serves("secrets") && !i.options.Store.InMemory && !slices.Contains(sealed, "secrets") {
		i.log.Warn("Secrets lie in etcd, and in every backup, as they are: encrypt them with --encryption-provider-config")
	}
	if host := net.ParseIP(i.options.Serving.BindAddress); host != nil && !host.IsLoopback() && faultyGo(runtime.Version()) {
		i.log.Warn("this program was built with a Go whose net/http has known faults in HTTP/2, and others can reach it: build it with "+goodGo+" or newer", "go", runtime.Version())
	}
	return nil
}

// programVersion is that of the module that the program is from, as far as its build knows.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return cmp.Or(info.Main.Version, "(devel)")
}

func (i *Instance) announceDatabase(ctx context.Context) {
	switch o := i.options.Store; {
	case i.program.Storage != nil:
		i.log.Info("objects are in "+i.db.Backend.Name, "below", o.EtcdPrefix)
	case o.InMemory:
		i.log.Info("objects are in memory, and gone with this process")
	case len(o.EtcdServers) == 0:
		i.log.Info("objects are in an etcd inside this process", "etcd", etcdversion.Version, "dir", o.DataDir)
	default:
		version, err := etcd3.Version(ctx, i.db.Client)
		if err != nil {
			version = "unknown: " + err.Error()
		}
		i.log.Info("objects are in etcd", "etcd", version, "servers", strings.Join(o.EtcdServers, ","), "below", o.EtcdPrefix)
	}
}

// storedVersions are those in which something is stored, each once.
func (i *Instance) storedVersions() []string {
	versions := map[string]bool{}
	for n, r := range i.known.Resources {
		versions[r.StorageVersion(i.known.Options[n]).String()] = true
	}
	return slices.Sorted(maps.Keys(versions))
}

// sealed are the resources whose values are encrypted.
func (i *Instance) sealed() (names []string) {
	for _, r := range i.known.Resources {
		if i.known.Encrypts(r) {
			names = append(names, r.GroupResource().String())
		}
	}
	return names
}

func orNone(names []string) string { return cmp.Or(strings.Join(names, ","), "none") }

// announced is how many resources are counted by name.
const announced = 10

// announceObjects counts them, those first of which there are most.
func (i *Instance) announceObjects(ctx context.Context) error {
	type count struct {
		resource string
		objects  int64
	}
	var counts []count
	total, source := int64(0), i.db.Source(storage.Form{})
	for _, r := range i.known.Resources {
		n, err := source.Count(ctx, r.KeyPrefix())
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
	i.log.Info(fmt.Sprintf("there are %d objects", total), attrs...)
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
