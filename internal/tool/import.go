package tool

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage/migration"
)

func importCommand(s program.Server) command {
	o := &program.NewOptions(s.Name).Store
	from, dryRun, keepUIDs := "", false, false
	return command{
		name: "import", args: "--from KUBECONFIG|FILE", about: "brings objects over from another server, with their status",
		more: "KUBECONFIG leads to a server that has the same kinds, by its current context: all objects of all kinds of this\n" +
			"program are read there. FILE has objects in YAML or JSON, as kubectl get -A -o yaml prints them; - is the standard\n" +
			"input. Each object is judged as a new one, its status too, and stored as it is. Its owners come before it, and what\n" +
			"owns it here is called by its new uid; references to owners that do not come along are left out.\n\n" +
			"Give it the --etcd-prefix and --storage-… flags that the servers have. They may run meanwhile. Admission is not\n" +
			"asked, and quotas are not charged: create quotas when the objects are there. It may be stopped at any time, and\n" +
			"goes on when it is run again: what is there already stays as it is. Kinds of Kubernetes itself, as namespaces and\n" +
			"roles, are left to kubectl.\n\n" +
			"Exit code 0: all is here. 3: it has come to its end, and some objects were refused. 1: it has not.",
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&from, "from", "", "`file`: a kubeconfig, or objects")
			fs.BoolVar(&dryRun, "dry-run", false, "write nothing, and list what would be refused")
			fs.BoolVar(&keepUIDs, "keep-uids", false, "objects keep their uids, so that whoever has noted one finds them; without it each gets another one, the same in each run")
			program.AddPlaceFlags(o, fs)
			program.AddFormFlags(o, fs)
		},
		run: func(ctx context.Context, args []string, c Console) error {
			var noSource error
			if from == "" {
				noSource = errors.New("--from: want a kubeconfig, or a file with objects")
			}
			if err := errors.Join(noArguments(args), noSource, program.ValidateStore(s, o)); err != nil {
				return err
			}
			k, err := database.OwnKinds(s, o)
			if err != nil {
				return err
			}
			return inDatabases(ctx, s, k, o, c, func(dbs *database.Databases) error {
				i := &importing{Kinds: k, Console: c, dryRun: dryRun, keepUIDs: keepUIDs, results: map[schema.GroupKind]*imported{}}
				if err := i.open(ctx, dbs); err != nil {
					return err
				}
				source, err := openSource(from, i.importers, c.In)
				if err != nil {
					return fmt.Errorf("--from: %w", err)
				}
				defer source.close()
				return i.run(registry.WithResources(ctx, i.Scheme, i.resources), source)
			})
		},
	}
}

// importing is one run of the command.
type importing struct {
	*database.Kinds
	Console
	dryRun, keepUIDs bool
	importers        []registry.Importer
	resources        []rest.Resource // strategies read other objects through them
	// depths are how many owners, one above the other, each object has that comes along, by its uid
	// where it comes from.
	depths  map[types.UID]int
	results map[schema.GroupKind]*imported
	unknown map[string]int // objects of kinds that this program does not have
	// dropped counts references to owners that do not come along.
	dropped int
}

// imported is what became of the objects of a kind.
type imported struct{ created, there, refused int64 }

// open makes the importers of all kinds, and notes in the databases what will be in them.
func (i *importing) open(ctx context.Context, dbs *database.Databases) error {
	if err := dbs.CheckStill(ctx, i.Kinds); err != nil {
		return err
	}
	for n, r := range i.Resources {
		db := dbs.Of(r.GroupResource())
		form, err := i.Form(n, db.Root)
		if err != nil {
			return err
		}
		backend := db.Barred(r.KeyPrefix(), form)
		importers, err := r.Importers(i.Scheme, backend, i.Options[n])
		if err != nil {
			return err
		}
		resources, err := r.Serve(i.Scheme, backend, i.Options[n])
		if err != nil {
			return err
		}
		i.importers, i.resources = append(i.importers, importers...), append(i.resources, resources...)
	}
	if i.dryRun {
		return nil
	}
	return dbs.Each(i.Kinds, func(db *database.Database, in *database.Kinds) error {
		may := migration.Versions{}
		for n, r := range in.Resources {
			may[r.GroupResource().String()] = []string{r.StorageVersion(in.Options[n]).String()}
		}
		return db.Record().Add(ctx, may)
	})
}

// run looks at all objects once, to know what owns what. Then it takes those without owners, those
// that they own, and so on, because an object whose owner is not there yet might be collected.
func (i *importing) run(ctx context.Context, from source) error {
	total, err := i.survey(ctx, from)
	if err != nil {
		return err
	}
	bar, done := newProgress(i.Console, "import", plainCount), int64(0)
	for depth, last := 0, i.last(); err == nil && depth <= last; depth++ {
		err = from.each(ctx, func(o sourceObject) error {
			importer := i.importer(o.kind)
			if importer == nil || i.depths[o.uid] != depth {
				return nil
			}
			done++
			bar.set(done, total)
			return i.take(ctx, importer, o)
		})
	}
	bar.end()
	if err != nil && ctx.Err() != nil {
		err = errors.New("stopped") // which object it came into is of no interest
	}
	if err != nil {
		return errors.Join(i.table(), fmt.Errorf("%w, after %d of %d objects; run it again to go on", err, done, total))
	}
	return i.finish()
}

// survey counts the objects that come along, and finds out how deep each is owned.
func (i *importing) survey(ctx context.Context, from source) (total int64, err error) {
	i.unknown, i.depths = map[string]int{}, map[types.UID]int{}
	owners := map[types.UID][]types.UID{}
	err = from.each(ctx, func(o sourceObject) error {
		if i.importer(o.kind) == nil {
			i.unknown[fmt.Sprintf("%s, %s", o.kind.GroupVersion(), o.kind.Kind)]++
			return nil
		}
		total++
		owners[o.uid] = o.owners
		return nil
	})
	var depth func(uid types.UID) int
	depth = func(uid types.UID) int {
		if known, ok := i.depths[uid]; ok {
			return known
		}
		i.depths[uid] = 0 // for those that own each other
		deep := 0
		for _, owner := range owners[uid] {
			if _, comes := owners[owner]; comes {
				deep = max(deep, depth(owner)+1)
			}
		}
		i.depths[uid] = min(deep, deepest)
		return i.depths[uid]
	}
	for uid := range owners {
		depth(uid)
	}
	return total, err
}

// deepest is how many owners, one above the other, are told apart: all is read once for each.
const deepest = 10

func (i *importing) last() (last int) {
	for _, depth := range i.depths {
		last = max(last, depth)
	}
	return last
}

// importer takes objects of a kind; nil for none of this program.
func (i *importing) importer(kind schema.GroupVersionKind) *registry.Importer {
	n := slices.IndexFunc(i.importers, func(im registry.Importer) bool { return im.Kind == kind })
	if n < 0 {
		return nil
	}
	return &i.importers[n]
}

// take imports one object, and says so if it is refused.
func (i *importing) take(ctx context.Context, importer *registry.Importer, o sourceObject) error {
	change := func(meta *metav1.ObjectMeta) { i.change(meta, o) }
	created, err := importer.Import(ctx, o.text, change, i.dryRun)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	result := i.results[o.kind.GroupKind()]
	if result == nil {
		result = new(imported)
		i.results[o.kind.GroupKind()] = result
	}
	switch {
	case err != nil:
		result.refused++
		fmt.Fprintf(i.Err, "%s %s: %v\n", importer.Resource, strings.TrimPrefix(o.namespace+"/"+o.name, "/"), err)
	case created:
		result.created++
	default:
		result.there++
	}
	return nil
}

// change gives an object and its owners the uids that they have here.
func (i *importing) change(meta *metav1.ObjectMeta, o sourceObject) {
	if meta.UID == "" || !i.keepUIDs {
		meta.UID = otherUID(o.uid)
	}
	var owners []metav1.OwnerReference
	for _, owner := range meta.OwnerReferences {
		if _, comes := i.depths[owner.UID]; !comes {
			i.dropped++
			continue
		}
		if !i.keepUIDs {
			owner.UID = otherUID(owner.UID)
		}
		owners = append(owners, owner)
	}
	meta.OwnerReferences = owners
}

// otherUID is what takes the place of a uid: always the same, so that another run finds what this
// one has stored.
func otherUID(there types.UID) types.UID {
	sum := sha256.Sum256([]byte("typeplane import " + there))
	sum[6] = sum[6]&0x0f | 0x80 // version 8: made as the maker likes
	sum[8] = sum[8]&0x3f | 0x80
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
}

// finish prints the summary, and tells by the exit code whether something was refused.
func (i *importing) finish() error {
	refused := int64(0)
	for _, result := range i.results {
		refused += result.refused
	}
	err := i.table()
	if refused > 0 {
		verb := "were"
		if i.dryRun {
			verb = "would be"
		}
		err = errors.Join(err, &exitError{ExitLeft, fmt.Errorf("%d objects %s refused", refused, verb)})
	}
	return err
}

// table prints what became of the objects of each kind.
func (i *importing) table() error {
	created := "CREATED"
	if i.dryRun {
		created = "WOULD CREATE"
	}
	w := tabwriter.NewWriter(i.Out, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "KIND\t%s\tTHERE ALREADY\tREFUSED\n", created)
	byName := func(a, b schema.GroupKind) int { return strings.Compare(a.String(), b.String()) }
	for _, gk := range slices.SortedFunc(maps.Keys(i.results), byName) {
		r := i.results[gk]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", gk, r.created, r.there, r.refused)
	}
	err := w.Flush()
	if i.dropped > 0 {
		fmt.Fprintf(i.Err, "%d references to owners that do not come along were left out\n", i.dropped)
	}
	for _, kind := range slices.Sorted(maps.Keys(i.unknown)) {
		fmt.Fprintf(i.Err, "%d objects of %s, are not of this program\n", i.unknown[kind], kind)
	}
	return err
}
