package embedded

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"
)

// Snapshot is what CheckSnapshot finds in a file.
type Snapshot struct {
	// Revision is the newest one in it, Keys how many keys there are then.
	Revision int64
	Keys     int
	// Size is that of the database, in bytes. Version is the etcd that its form is of, "" before
	// 3.6.
	Size    int64
	Version string

	lastKey int64 // the newest revision that has an entry of its own; Revision may be beyond it
}

// CheckSnapshot reads all of a snapshot: the SHA-256 at its end, the structure of the database,
// every revision in it. The file is not changed.
func CheckSnapshot(file string) (Snapshot, error) {
	if err := checkSum(file); err != nil {
		return Snapshot{}, fmt.Errorf("%s: %w", file, err)
	}
	status, err := snapshot.NewV3(zap.NewNop()).Status(file)
	if err != nil {
		return Snapshot{}, fmt.Errorf("%s: %w", file, err)
	}
	last, newest, err := revisions(file)
	if err != nil {
		return Snapshot{}, fmt.Errorf("%s: %w", file, err)
	}
	return Snapshot{Revision: newest, Keys: status.TotalKey, Size: status.TotalSize, Version: status.Version, lastKey: last}, nil
}

// checkSum compares the last 32 bytes of a snapshot with the SHA-256 of those before. A database
// has whole sectors of 512 bytes, so a file that is as long as one can't have a sum.
func checkSum(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a file")
	}
	if info.Size()%512 != sha256.Size {
		return errors.New("is not a whole snapshot: there is no SHA-256 at its end (was it cut short, or copied from a data directory?)")
	}
	sum := sha256.New()
	if _, err := io.CopyN(sum, f, info.Size()-sha256.Size); err != nil {
		return err
	}
	want, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return errors.New("the SHA-256 at its end is not that of the rest: the file was damaged")
	}
	return nil
}

// revisions returns the newest revision that has an entry in the database file, and the newest one
// that the database has been at. They differ when everything since was compacted away.
func revisions(file string) (last, newest int64, err error) {
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		return 0, 0, err
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		if b := tx.Bucket([]byte("key")); b != nil {
			k, _ := b.Cursor().Last()
			last = mainRevision(k)
		}
		newest = last
		if b := tx.Bucket([]byte("meta")); b != nil {
			newest = max(newest, mainRevision(b.Get([]byte("scheduledCompactRev"))), mainRevision(b.Get([]byte("finishedCompactRev"))))
		}
		return nil
	})
	return last, newest, err
}

// mainRevision reads the first part of a revision as etcd writes it, 0 if there is none.
func mainRevision(b []byte) int64 {
	if len(b) < 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}
