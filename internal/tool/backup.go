package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

func backupCommand(s program.Server) command {
	o := &program.NewOptions(s.Name).Store
	force := false
	return command{
		name: "backup", args: "FILE", takesFile: true, about: "writes all that etcd holds into a file",
		more: "The file is a snapshot as etcd makes it, with a checksum. It is whole or not there, and only you can read it:\n" +
			"what is in it is all that the server keeps, secrets too. The server may run and be written to. The certificates\n" +
			"of the data directory (pki) are not in it; without them clients need a new admin.kubeconfig.\n\n" +
			"With - for FILE it goes to the standard output, for a server in a container, when all of it was read.",
		flags: func(fs *pflag.FlagSet) {
			program.AddPlaceFlags(o, fs)
			fs.BoolVar(&force, "force", false, "replace FILE if it is there")
		},
		run: func(ctx context.Context, args []string, c Console) error {
			file, err := oneArgument(args, "the file to write")
			if err := errors.Join(err, needsEtcd(s, "backup")); err != nil {
				return err
			}
			if err := program.ValidatePlace(o); err != nil {
				return err
			}
			if file == toOutput && force {
				return errors.New("--force: there is nothing to replace in the standard output")
			}
			if file == toOutput {
				return backupToOutput(ctx, o, c)
			}
			if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
				return fmt.Errorf("%s is not a file", file)
			}
			if _, err := os.Lstat(file); err == nil && !force {
				return fmt.Errorf("%s is there already: name another file, or replace it with --force", file)
			}
			return backup(ctx, o, file, file, c)
		},
	}
}

// toOutput is the FILE that stands for the standard output.
const toOutput = "-"

// backupToOutput makes the file in the data directory, which is the one place that a server is sure
// to have, and copies it when it is known to be good.
func backupToOutput(ctx context.Context, o *program.StoreOptions, c Console) (err error) {
	dir, err := os.MkdirTemp(o.DataDir, ".backup-*")
	if err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	out := c.Out
	c.Out = c.Err // what is said must not stand in the snapshot
	file := filepath.Join(dir, "snapshot")
	if err := backup(ctx, o, file, "standard output", c); err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(out, f)
	return err
}

// sayElsewhere says what is not in the backup, by what the database notes and by what the flags
// say: objects of resources that have an etcd of their own.
func sayElsewhere(ctx context.Context, db *database.Database, o *program.StoreOptions, c Console) error {
	homes, err := db.Record().Homes(ctx)
	elsewhere := map[string][]string{}
	for name, home := range homes {
		elsewhere[name] = home.Servers
	}
	overrides, wrong := program.ParseEtcdOverrides(o.EtcdOverrides)
	for _, e := range overrides {
		for _, r := range e.Resources {
			elsewhere[r.String()] = e.Servers
		}
	}
	for _, name := range slices.Sorted(maps.Keys(elsewhere)) {
		if servers := elsewhere[name]; len(servers) > 0 {
			c.say(fmt.Sprintf("%s are in another etcd, and not in this backup: back that up too, with --etcd-servers=%s", name, strings.Join(servers, ",")))
		}
	}
	return errors.Join(err, wrong)
}

// backup tries the members of a cluster one after the other, since one may be down or behind. name
// is what the user calls the file.
func backup(ctx context.Context, o *program.StoreOptions, file, name string, c Console) error {
	if len(o.EtcdServers) == 0 {
		return backupMember(ctx, o, file, name, c)
	}
	var errs []error
	for _, endpoint := range o.EtcdServers {
		one := *o
		one.EtcdServers = []string{endpoint}
		err := backupMember(ctx, &one, file, name, c)
		if err == nil || ctx.Err() != nil {
			return err
		}
		errs = append(errs, fmt.Errorf("%s: %w", endpoint, err))
	}
	return errors.Join(errs...)
}

// backupMember writes into a file beside the wanted one, reads all of it, and then gives it its
// name.
func backupMember(ctx context.Context, o *program.StoreOptions, file, name string, c Console) (err error) {
	db, err := database.AttachEtcd(ctx, o, c.say, toolLog(c))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	revision, err := fetch(ctx, db.Client, f, c)
	if err != nil {
		return err
	}
	found, err := embedded.CheckSnapshot(f.Name())
	if err != nil {
		return err
	}
	if found.Revision < revision {
		return fmt.Errorf("the member is behind the others: its snapshot is of revision %d, they are at %d", found.Revision, revision)
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return err
	}
	if err := embedded.SyncPath(filepath.Dir(file)); err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "%s: revision %d, %d keys, %s, checked\n", name, found.Revision, found.Keys, byteCount(found.Size))
	return sayElsewhere(ctx, db, o, c)
}

func fetch(ctx context.Context, client *etcd3.Client, f *os.File, c Console) (int64, error) {
	bar := newProgress(c, "backup", byteCount)
	revision, err := etcd3.Snapshot(ctx, client, f, bar.set)
	bar.end()
	if err != nil {
		return 0, err
	}
	return revision, errors.Join(f.Sync(), f.Close())
}

func restoreCommand(s program.Server) command {
	o := &program.NewOptions(s.Name).Store
	replace := false
	return command{
		name: "restore", args: "FILE", takesFile: true, about: "makes the database of a data directory of such a file",
		more: "No server may run on the data directory. The database goes on at a revision beyond every one that clients can\n" +
			"have seen, and what was before counts as compacted: their watches get 410 and start again, as after a long pause.\n" +
			"To restore a cluster use etcdutl snapshot restore, with --bump-revision 1000000000 --mark-compacted.",
		flags: func(fs *pflag.FlagSet) {
			program.AddPlaceFlags(o, fs)
			fs.VisitAll(func(f *pflag.Flag) { f.Hidden = true }) // but one: those of a cluster are there to be refused
			data := fs.Lookup("data-dir")
			data.Hidden, data.Usage = false, "`directory` whose database is to be made; the directory is made if it is missing"
			fs.BoolVar(&replace, "replace", false, "put the database that is there aside, as member.before-TIME, and accept that there are other files")
		},
		run: func(_ context.Context, args []string, c Console) error {
			file, err := oneArgument(args, "the file to restore from")
			if err := errors.Join(err, needsEtcd(s, "restore")); err != nil {
				return err
			}
			if len(o.EtcdServers) > 0 {
				return fmt.Errorf(clusterRestore, file)
			}
			return restore(embedded.Restoration{Snapshot: file, Dir: o.DataDir, Replace: replace}, c.Out)
		},
	}
}

// clusterRestore is the answer to whoever wants to restore a cluster, also where the settings of
// the server name it.
const clusterRestore = "--etcd-servers: this makes the database of a data directory only. To restore a cluster stop its servers and its members, run " +
	"`etcdutl snapshot restore %s --bump-revision 1000000000 --mark-compacted` for each member with its --name, --data-dir, --initial-cluster and " +
	"--initial-advertise-peer-urls, and start them all. To restore a data directory leave --etcd-servers out, also of --config and the environment"

func restore(r embedded.Restoration, out io.Writer) error {
	done, err := embedded.Restore(r)
	if errors.Is(err, embedded.ErrNotEmpty) {
		return fmt.Errorf("%w (--replace)", err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d keys of revision %d, which goes on at revision %d\n", r.Dir, done.Snapshot.Keys, done.Snapshot.Revision, done.Revision)
	if done.Previous != "" {
		fmt.Fprintf(out, "the database of before is in %s: remove it when you are sure\n", done.Previous)
	}
	return nil
}
