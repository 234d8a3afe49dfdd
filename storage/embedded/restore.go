package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.etcd.io/etcd/server/v3/embed"
)

// minBump is how many revisions a restored database is ahead at least of all that it is known to
// have been at.
const minBump = 1_000_000_000

// restoring is the folder in a data directory that a restore prepares its files in. If it is there
// without the files of a database beside it, the restore was killed at its last step.
const restoring = "restoring"

// Restoration says what Restore is to do.
type Restoration struct {
	// Snapshot is the file to restore from, Dir the data directory, which no process may use.
	Snapshot, Dir string
	// Replace allows a directory that holds something already. The database in it is kept under
	// another name.
	Replace bool
	// Now is the time; the zero value is that of the system.
	Now time.Time
}

// ErrNotEmpty is why Restore refuses a directory without Replace.
var ErrNotEmpty = errors.New("name another directory, or let the restore put a database aside and go beside other files")

// Restored is what Restore did.
type Restored struct {
	Snapshot Snapshot
	// Revision is where the database goes on. Every older one counts as compacted.
	Revision int64
	// Previous is where the database is that was in the directory before, "" if there was none.
	Previous string
}

// Restore makes the database of a data directory of a snapshot.
//
// Whoever has seen a revision of the database as it was must not take a new one for an old one. A
// watch would wait for ever, and an update could meet the wrong object. So the restored database
// goes on at a revision that is beyond everything that clients can have seen. What is before counts
// as compacted, so that watches and lists that go on from there are told to start again. Beyond
// everything is minBump more than the snapshot has, and than the database has that is replaced. It
// is also at least the time in microseconds since 1970. The same snapshot may be restored a second
// time in another place, with nothing there that tells of the first time. Nobody writes a million
// times a second.
//
// A process that is killed leaves either database whole, or a directory on which Start fails and
// Restore goes on.
func Restore(r Restoration) (done Restored, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("restore: %w", err)
		}
	}()
	if r.Now.IsZero() {
		r.Now = time.Now()
	}
	if done.Snapshot, err = CheckSnapshot(r.Snapshot); err != nil {
		return Restored{}, err
	}
	if err := prepareDir(r.Dir); err != nil {
		return Restored{}, fmt.Errorf("data directory %s: %w", r.Dir, err)
	}
	lock, err := lockDir(r.Dir)
	if err != nil {
		return Restored{}, fmt.Errorf("data directory %s: %w: stop it first", r.Dir, err)
	}
	defer lock.release()
	if err := r.checkDir(); err != nil {
		return Restored{}, fmt.Errorf("data directory %s: %w", r.Dir, err)
	}
	return r.run(done)
}

// run does the work in a directory that is ours.
func (r Restoration) run(done Restored) (Restored, error) {
	member, work := filepath.Join(r.Dir, "member"), filepath.Join(r.Dir, restoring)
	// A database that can't be read any more may be why it is replaced; then the time has to do.
	_, before, _ := revisions(filepath.Join(member, "snap", "db"))
	done.Revision = max(max(done.Snapshot.Revision, before)+minBump, r.Now.UnixMicro())
	if err := os.RemoveAll(work); err != nil {
		return Restored{}, err
	}
	if err := writeMember(r.Snapshot, work, done.Revision-done.Snapshot.lastKey); err != nil {
		return Restored{}, err
	}
	restored := filepath.Join(work, "member", "snap", "db")
	if err := renew(restored, done.Revision); err != nil {
		return Restored{}, err
	}
	if _, at, err := revisions(restored); err != nil || at != done.Revision {
		return Restored{}, fmt.Errorf("the restored database is at revision %d, want %d: %w", at, done.Revision, err)
	}
	if err := syncTree(work); err != nil {
		return Restored{}, err
	}
	if _, err := os.Stat(member); err == nil {
		done.Previous = member + ".before-" + r.Now.UTC().Format("20060102-150405.000")
		if err := os.Rename(member, done.Previous); err != nil {
			return Restored{}, err
		}
	}
	if err := os.Rename(filepath.Join(work, "member"), member); err != nil {
		return Restored{}, err
	}
	if err := errors.Join(SyncPath(r.Dir), os.Remove(work)); err != nil {
		return Restored{}, err
	}
	return done, endFirst(r.Dir)
}

// ownNames are what a data directory without a database may have in it.
var ownNames = []string{"pki", "admin.kubeconfig", "lock", unfinished, "etcd.sock", restoring, "audit"}

// checkDir returns an error if there is something in the directory that nobody allowed to be there.
func (r Restoration) checkDir() error {
	if r.Replace {
		return nil
	}
	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch {
		case e.Name() == "member":
			return fmt.Errorf("there is a database in it already: %w", ErrNotEmpty)
		case !slices.Contains(ownNames, e.Name()) && !strings.HasPrefix(e.Name(), "member.before-"):
			return fmt.Errorf("there is %s in it: %w", e.Name(), ErrNotEmpty)
		}
	}
	return nil
}

// writeMember makes the files of a member of a snapshot, below dir.
func writeMember(file, dir string, bump int64) error {
	log := newLogger(nil)
	defer log.close()
	c := memberConfig()
	return withCure(log.health.unlessFailed("restore", func() error {
		return snapshot.NewV3(log.zap).Restore(snapshot.RestoreConfig{
			SnapshotPath:        file,
			Name:                c.Name,
			OutputDataDir:       dir,
			PeerURLs:            []string{c.AdvertisePeerUrls[0].String()},
			InitialCluster:      c.InitialCluster,
			InitialClusterToken: c.InitialClusterToken,
			RevisionBump:        uint64(bump),
			MarkCompacted:       true,
		})
	}))
}

// memberConfig says who the one member is.
func memberConfig() *embed.Config {
	c := embed.NewConfig()
	c.Name = "embedded"
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	return c
}

// syncTree puts every file and directory below dir on the disk.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return SyncPath(path)
	})
}

// checkRestored returns an error if a restore was killed between the two renames at its end.
func checkRestored(dir string) error {
	_, work := os.Stat(filepath.Join(dir, restoring, "member"))
	_, member := os.Stat(filepath.Join(dir, "member"))
	if work == nil && errors.Is(member, fs.ErrNotExist) {
		return errors.New("a restore into it did not come to its end: run it again")
	}
	return nil
}
