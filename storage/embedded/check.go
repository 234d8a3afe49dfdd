package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"

	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/mvccpb"
	etcdversion "go.etcd.io/etcd/api/v3/version"
	"google.golang.org/protobuf/proto"
)

// Names in etcd's database.
var (
	keyBucket         = []byte("key")
	metaBucket        = []byte("meta")
	clusterBucket     = []byte("cluster")
	storageVersionKey = []byte("storageVersion")
	clusterVersionKey = []byte("clusterVersion")
)

// checkDatabase returns an error unless etcd can work with the database. It must be of this etcd or
// an older one, its pages where they belong, and each revision in it whole. The values themselves
// have no checksum: what was changed inside one is found by whoever reads it, if at all, or by
// comparing with another member.
func checkDatabase(db *bbolt.DB) error {
	return db.View(func(tx *bbolt.Tx) error {
		if err := walk(tx); err != nil {
			return err
		}
		// Which pages are in use, free, or neither. It is safe now that walk has been everywhere.
		var first error
		for err := range tx.Check() {
			if first == nil {
				first = err
			}
		}
		return first
	})
}

// errNewer says that the database was written by a later etcd.
var errNewer = errors.New("was written by a newer etcd")

// checkWriter returns errNewer if a later minor version of etcd than the one in this process has
// written the database. It may hold what this etcd would misunderstand.
func checkWriter(tx *bbolt.Tx) error {
	for _, note := range []struct{ bucket, key []byte }{{metaBucket, storageVersionKey}, {clusterBucket, clusterVersionKey}} {
		b := tx.Bucket(note.bucket)
		if b == nil {
			continue
		}
		text := string(b.Get(note.key))
		if text == "" {
			continue
		}
		wrote, err := minorOf(text)
		if err != nil {
			return fmt.Errorf("can't read its version: %w", err)
		}
		ours, err := minorOf(etcdversion.Version)
		if err != nil {
			return err
		}
		if wrote[0] > ours[0] || wrote[0] == ours[0] && wrote[1] > ours[1] {
			return fmt.Errorf("%w (%s, and this is %s): use the server that wrote it, or a later one; there is no way back but a backup", errNewer, text, etcdversion.Version)
		}
	}
	return nil
}

// minorOf reads the first two numbers of a version.
func minorOf(version string) (v [2]int, err error) {
	if _, err := fmt.Sscanf(version, "%d.%d", &v[0], &v[1]); err != nil {
		return v, fmt.Errorf("version %q: %w", version, err)
	}
	return v, nil
}

// walk reads every key and value. A broken page is a panic of bbolt, or a fault where the page
// points to nowhere.
func walk(tx *bbolt.Tx) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a page is broken: %v", r)
		}
	}()
	if err := checkWriter(tx); err != nil {
		return err
	}
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		var last []byte
		cursor := b.Cursor()
		for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
			if last != nil && bytes.Compare(last, k) >= 0 {
				return fmt.Errorf("bucket %s: the keys are out of order after %x", name, last)
			}
			last = k
			if bytes.Equal(name, keyBucket) {
				if err := checkRevision(k, v); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// checkRevision looks at one entry of the bucket of revisions: the key is the revision, which is in
// the value again unless it marks a deletion. One without a value is what a restore has put there,
// to move revisions forward.
func checkRevision(revision, value []byte) error {
	deletion := isDeletion(revision)
	if len(revision) != 17 && !deletion {
		return fmt.Errorf("%x is not a revision", revision)
	}
	if len(value) == 0 {
		return nil // a restore of an empty database says with it which revision comes next
	}
	var kv mvccpb.KeyValue
	if err := proto.Unmarshal(value, &kv); err != nil {
		return fmt.Errorf("revision %d can't be read: %w", mainRevision(revision), err)
	}
	if len(kv.Key) == 0 || !deletion && (kv.ModRevision > mainRevision(revision) || kv.CreateRevision > kv.ModRevision) {
		return fmt.Errorf("revision %d is not what it says it is", mainRevision(revision))
	}
	return nil
}
