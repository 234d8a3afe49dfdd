package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
	"go.etcd.io/etcd/client/pkg/v3/fileutil"
)

// maxSocketPath is the longest path that a unix socket may have on every system we know (Linux 107,
// macOS 103).
const maxSocketPath = 103

// prepareDir makes the data directory, or sees that it can be written to and is nobody else's.
func prepareDir(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("is a file")
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := closeDir(dir, info); err != nil {
			return err
		}
	}
	probe, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return fmt.Errorf("can't be written to: %w", err)
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// closeDir takes the permissions of others away from a directory that is empty or was ours before.
// Any other one may be /var/lib or somebody's home, and is not ours to close.
func closeDir(dir string, info fs.FileInfo) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	ours := len(entries) == 0
	for _, e := range entries {
		ours = ours || e.Name() == "member"
	}
	if !ours || info.Mode()&fs.ModeSticky != 0 {
		return fmt.Errorf("is open to other users (mode %04o) and holds other things: name a directory of its own, or make it 0700", info.Mode().Perm())
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("is open to other users (mode %04o) and can't be closed to them: %w", info.Mode().Perm(), err)
	}
	return nil
}

// dirLock is held as long as the data directory is in use. The system releases it when the process
// dies.
type dirLock struct{ file *fileutil.LockedFile }

func lockDir(dir string) (*dirLock, error) {
	file, err := fileutil.TryLockFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fileutil.ErrLocked) {
		return nil, errors.New("another server is running on it")
	}
	if err != nil {
		return nil, err
	}
	return &dirLock{file}, nil
}

// release gives the directory free. The file stays: to remove it would let two servers lock two
// files of one name.
func (l *dirLock) release() { l.file.Close() }

// probe opens the database file for a moment. etcd would wait without end for another process that
// has it open, and would take this process down if it can't read it. probe checks all of it,
// because etcd would not.
func probe(dir string) error {
	path := filepath.Join(dir, "member", "snap", "db")
	if there, err := hasContent(path); err != nil || !there {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("the database can't be written to: %w", err)
	}
	file.Close()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Millisecond})
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout):
		return inUse(path)
	case err != nil:
		return fmt.Errorf("the database %s can't be read: %w; restore a backup", path, err)
	}
	defer db.Close()
	switch err := checkDatabase(db); {
	case errors.Is(err, errNewer):
		return fmt.Errorf("the database %w", err)
	case err != nil:
		return fmt.Errorf("the database %s is damaged: %w; restore a backup", path, err)
	}
	applied, err := appliedEntry(db)
	if err != nil {
		return err
	}
	return checkLog(dir, applied)
}

func inUse(path string) error {
	return fmt.Errorf("another process has the database %s open (an etcd on the same directory?)", path)
}

// unfinished is the name of a file that is there from before the first start on a directory until
// that has succeeded. A process that is killed in between leaves a write-ahead log without a member
// in it, with which etcd would wait for a leader for ever. Nothing was acknowledged then, so it can
// be thrown away.
const unfinished = "unfinished"

// beginFirst prepares the first start on dir, also after one that did not come to its end.
func beginFirst(dir string) error {
	member, mark := filepath.Join(dir, "member"), filepath.Join(dir, unfinished)
	if _, err := os.Stat(mark); err == nil {
		// A backup may have been put here since.
		if empty, err := hasNoKeys(filepath.Join(member, "snap", "db")); err != nil || !empty {
			return err
		}
		if err := os.RemoveAll(member); err != nil {
			return err
		}
	}
	if _, err := os.Stat(member); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return err
	}
	return SyncPath(dir)
}

// endFirst notes that a start succeeded. It must be on disk before the first write is acknowledged.
func endFirst(dir string) error {
	err := os.Remove(filepath.Join(dir, unfinished))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return SyncPath(dir)
}

// SyncPath puts on the disk what is in a file, or which files are in a directory. On Windows that
// has to be opened for writing, which etcd's function does.
func SyncPath(name string) error {
	d, err := fileutil.OpenDir(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// hasNoKeys says whether the database file has no key in it, or is not there.
func hasNoKeys(path string) (empty bool, err error) {
	if there, err := hasContent(path); err != nil || !there {
		return err == nil, err
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Millisecond})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return false, inUse(path)
	}
	if err != nil {
		// Cut short while it was made.
		return true, nil
	}
	defer db.Close()
	switch err := checkDatabase(db); {
	case errors.Is(err, errNewer):
		return false, fmt.Errorf("the database %w", err)
	case err != nil:
		// The first pages are written together: power went in the middle of that.
		return true, nil
	}
	empty = true
	err = db.View(func(tx *bbolt.Tx) error {
		if b := tx.Bucket([]byte("key")); b != nil {
			k, _ := b.Cursor().First()
			empty = k == nil
		}
		return nil
	})
	return empty, err
}

// socketPath returns where the socket goes: in dir, by a relative path if the absolute one is too
// long.
func socketPath(dir string) (string, error) {
	path, err := filepath.Abs(filepath.Join(dir, "etcd.sock"))
	if err != nil {
		return "", err
	}
	if len(path) <= maxSocketPath {
		return path, nil
	}
	if wd, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(wd, path); err == nil && len(short) <= maxSocketPath {
			return short, nil
		}
	}
	return "", fmt.Errorf("the path of its socket %s has %d bytes and the system allows %d: choose a shorter one", path, len(path), maxSocketPath)
}
