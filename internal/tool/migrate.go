package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/migration"
)

// The command works on etcd itself and not through a server: so it also works while none runs, and
// nothing has to be told when it is killed. The price is that it must be given the flags that the
// servers have; it prints what it will do.

func migrateCommand(s program.Server) command {
	o := &program.NewOptions(s.Name).Store
	dryRun, rate := false, 500
	resource, to := "", ""
	return command{
		name: "migrate", args: "", about: "rewrites what is stored in an old version, media type or key",
		more: "Give it the --etcd-prefix and --storage-… flags that the servers have. They may run and write meanwhile: each\n" +
			"object is rewritten in a transaction that fails if it has changed, and then tried again. Watchers get one MODIFIED\n" +
			"event for each, with a new resourceVersion and the same content otherwise. It may be stopped at any time, and goes\n" +
			"on when it is run again.\n\n" +
			"With --resource and --to it moves the objects of one resource to another etcd instead. Servers on a cluster go on, and\n" +
			"refuse the resource for a moment; one with the etcd inside it is stopped. They are started with other\n" +
			"--etcd-servers-overrides afterwards. It may be stopped, too: run again it goes on; with --to as it was before it is undone.\n\n" +
			"Exit code 0: all is in today's form. 3: it has come to its end, and something is left. 1: it has not.\n\n" +
			"A server tells what is left at " + database.StoragePath + ".",
		flags: func(fs *pflag.FlagSet) {
			fs.BoolVar(&dryRun, "dry-run", false, "count only")
			fs.IntVar(&rate, "rate", rate, "how many `objects` are rewritten in a second, at most; 0 is no bound")
			fs.StringVar(&resource, "resource", "", "move the objects of this `group/resource` to the etcd of --to; /pods is a resource of the core group")
			fs.StringVar(&to, "to", "", "`URLs` of the etcd that --resource moves to, with semicolons between them, or "+database.MainHome+": the database of all other resources")
			program.AddPlaceFlags(o, fs)
			program.AddFormFlags(o, fs)
		},
		run: func(ctx context.Context, args []string, c Console) error {
			var badRate error
			if rate < 0 {
				badRate = fmt.Errorf("--rate=%d: want a number of objects in a second, or 0 for no bound", rate)
			}
			if err := errors.Join(noArguments(args), program.ValidateStore(s, o), badRate); err != nil {
				return err
			}
			k, err := database.AllKinds(s, o)
			if err != nil {
				return err
			}
			if resource != "" || to != "" {
				if dryRun {
					return errors.New("--dry-run: it is not for --resource, which says what it would need before it begins")
				}
				return rehome(ctx, s, k, o, resource, to, c)
			}
			return inDatabases(ctx, s, k, o, c, func(dbs *database.Databases) error {
				if err := dbs.CheckStill(ctx, k); err != nil {
					return err
				}
				m := migrating{Kinds: k, Console: c, dbs: dbs, pace: migration.NewPace(rate)}
				if err := m.prepare(ctx, dryRun); err != nil {
					return err
				}
				return m.run(ctx, dryRun)
			})
		},
	}
}

// migrating is one run of the command.
type migrating struct {
	*database.Kinds
	Console
	dbs     *database.Databases
	pace    *migration.Pace
	results []migration.Result // of the resource with the same index
}

// prepare refuses to write what servers that run can't read. It moves what is not below the key
// prefix of its resource, or says that this has to be done.
func (m *migrating) prepare(ctx context.Context, dryRun bool) error {
	return m.dbs.Each(m.Kinds, func(db *database.Database, in *database.Kinds) error {
		r := database.NewRelocation(in, db, m.say)
		if dryRun {
			return r.DryRun(ctx)
		}
		if err := in.CheckReaders(ctx, db); err != nil {
			return err
		}
		return r.Run(ctx)
	})
}

func (m *migrating) run(ctx context.Context, dryRun bool) error {
	stores, seen, err := m.count(ctx)
	if err != nil && ctx.Err() != nil {
		return errors.New("stopped while it counted, before anything was rewritten; run it again") // which read it came into is of no interest
	}
	if err != nil {
		return err
	}
	if dryRun {
		return m.finish()
	}
	bar := newProgress(m.Console, "migrate", plainCount)
	err = m.rewrite(ctx, stores, bar)
	bar.end()
	if err == nil {
		err = m.settle(ctx, seen)
	}
	if err == nil {
		return m.finish()
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("stopped, with %d objects left in an old form", m.left()) // which write it came into is of no interest
	}
	return errors.Join(m.table(m.Out), fmt.Errorf("%w; run it again to go on", err))
}

// count finds out what is to be done, in each store, and at which revisions the records of versions
// were before.
func (m *migrating) count(ctx context.Context) (stores []storage.Interface, seen map[*database.Database]int64, err error) {
	seen = map[*database.Database]int64{}
	for _, db := range m.dbs.All() {
		if _, seen[db], err = db.Record().Read(ctx); err != nil {
			return nil, nil, err
		}
	}
	for i, r := range m.Resources {
		db := m.dbs.Of(r.GroupResource())
		form, err := m.Form(i, db.Root)
		if err != nil {
			return nil, nil, err
		}
		store := db.Barred(r.KeyPrefix(), form)
		count, err := migration.Survey(ctx, store, r.KeyPrefix())
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.GroupResource(), err)
		}
		stores, m.results = append(stores, store), append(m.results, migration.Result{Count: count})
	}
	return stores, seen, nil
}

// left is how many objects are in an old form still.
func (m *migrating) left() (left int64) {
	for _, r := range m.results {
		left += r.Left()
	}
	return left
}

// settle notes which resources are in one version now, unless a server has started since the
// records were seen.
func (m *migrating) settle(ctx context.Context, seen map[*database.Database]int64) error {
	only := map[*database.Database]map[string]string{}
	for i, r := range m.Resources {
		db := m.dbs.Of(r.GroupResource())
		if only[db] == nil {
			only[db] = map[string]string{}
		}
		if result := m.results[i]; result.Left() == 0 && result.Unreadable == 0 {
			only[db][r.GroupResource().String()] = r.StorageVersion(m.Options[i]).String()
		}
	}
	var errs []error
	for db, resources := range only {
		errs = append(errs, db.Record().Settle(ctx, seen[db], resources))
	}
	return errors.Join(errs...)
}

// rewrite migrates resource after resource; those without anything to do are passed over.
func (m *migrating) rewrite(ctx context.Context, stores []storage.Interface, bar *progress) error {
	var done, total int64
	for _, r := range m.results {
		total += r.Stale
	}
	for i, r := range m.Resources {
		if m.results[i].Stale == 0 {
			continue
		}
		before, begin := done, m.results[i].Stale
		result, err := migration.Run(ctx, migration.Config{Store: stores[i], Prefix: r.KeyPrefix(), Pace: m.pace, Progress: func(now migration.Result) {
			done = before + now.Rewritten + now.Gone
			bar.set(done, max(total, done))
		}})
		if err != nil {
			// What the run has not come to is still as it was counted.
			result.Entries, result.Stale = m.results[i].Entries, max(begin, result.Stale)
		}
		m.results[i] = result
		if err != nil {
			return fmt.Errorf("%s: %w", r.GroupResource(), err)
		}
	}
	return nil
}

// finish prints what was done, and fails if something is left.
func (m *migrating) finish() error {
	if err := m.table(m.Out); err != nil {
		return err
	}
	left, unreadable := m.left(), int64(0)
	for _, r := range m.results {
		unreadable += r.Unreadable
		for _, example := range r.Examples {
			fmt.Fprintf(m.Err, "can't be read: %v\n", example)
		}
	}
	if left > 0 || unreadable > 0 {
		return &exitError{ExitLeft, fmt.Errorf("%d objects are left in an old form, and %d can't be read", left, unreadable)}
	}
	return nil
}

func (m *migrating) table(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "RESOURCE\tSTORED AS\tOBJECTS\tOLD\tREWRITTEN\tGONE\tUNREADABLE")
	for i, r := range m.Resources {
		n := m.results[i]
		if n.Entries == 0 && n.Unreadable == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\n", r.GroupResource(), storedAs(r, m.Options[i]), n.Entries, n.Stale, n.Rewritten, n.Gone, n.Unreadable)
	}
	return w.Flush()
}

func storedAs(r registry.Resource, o registry.Options) string {
	return fmt.Sprintf("%s %s", r.StorageVersion(o), o.StorageMediaType)
}
