package embedded

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/protobuf/proto"
)

// renewBytes is about how much of a database is rewritten in one transaction. Its pages are used
// again by the next but one, so the file grows by twice of that.
const renewBytes = 4 << 20

// renew makes of a database that is at a revision one in which every key was written at that
// revision, and has no history.
//
// A client may have seen a key at a later revision than a backup has it at. With the old one, it
// would take what was restored for something that it knows to be over. A client that waits to see
// its own last write would wait for ever.
//
// Nobody else may have the file open. It is not put on the disk: whoever calls it does that.
func renew(file string, revision int64) (err error) {
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{NoSync: true, Timeout: time.Second})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	live, err := liveRevisions(db)
	if err != nil {
		return err
	}
	r := renewal{revision: revision, live: live}
	for more := true; more && err == nil; {
		err = db.Update(func(tx *bbolt.Tx) (err error) {
			b := tx.Bucket(keyBucket)
			if more, err = r.move(b); err != nil || more || r.moved == 0 {
				return err
			}
			return b.Delete(revisionKey(revision, 0)) // etcdutl's note of the revision, which looks like a key
		})
	}
	return err
}

// liveRevisions are the entries of the bucket of revisions that hold what a key is now.
func liveRevisions(db *bbolt.DB) (map[string]bool, error) {
	newest := map[string]string{} // by key
	err := db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(keyBucket).ForEach(func(revision, value []byte) error {
			var kv mvccpb.KeyValue
			if err := proto.Unmarshal(value, &kv); err != nil {
				return fmt.Errorf("revision %d can't be read: %w", mainRevision(revision), err)
			}
			if isDeletion(revision) {
				delete(newest, string(kv.Key))
			} else if len(value) > 0 {
				newest[string(kv.Key)] = string(revision)
			}
			return nil
		})
	})
	live := make(map[string]bool, len(newest))
	for _, revision := range newest {
		live[revision] = true
	}
	return live, err
}

// renewal is one run of renew.
type renewal struct {
	revision int64
	live     map[string]bool
	moved    int64 // how many keys have been written again; the second part of their revisions counts them
}

// move takes the oldest entries out of the bucket, and puts those that are live behind all others.
// more is false if there are no older ones left.
func (r *renewal) move(b *bbolt.Bucket) (more bool, err error) {
	var old, values [][]byte
	size := 0
	cursor := b.Cursor()
	for k, v := cursor.First(); k != nil && mainRevision(k) < r.revision && size < renewBytes; k, v = cursor.Next() {
		old = append(old, bytes.Clone(k))
		size += len(k) + len(v)
		if !r.live[string(k)] {
			continue
		}
		var kv mvccpb.KeyValue
		if err := proto.Unmarshal(v, &kv); err != nil {
			return false, err
		}
		kv.ModRevision = r.revision
		kv.Version++
		value, err := proto.Marshal(&kv)
		if err != nil {
			return false, err
		}
		values = append(values, value)
	}
	for _, k := range old {
		if err := b.Delete(k); err != nil {
			return false, err
		}
	}
	for _, v := range values {
		r.moved++
		if err := b.Put(revisionKey(r.revision, r.moved), v); err != nil {
			return false, err
		}
	}
	return len(old) > 0, nil
}

// revisionKey is the key of a revision in the bucket of revisions; sub tells apart what was written
// in one transaction.
func revisionKey(main, sub int64) []byte {
	key := binary.BigEndian.AppendUint64(make([]byte, 0, 17), uint64(main))
	key = append(key, '_')
	return binary.BigEndian.AppendUint64(key, uint64(sub))
}

// isDeletion says if the key of a revision is marked as that of a deletion.
func isDeletion(revision []byte) bool { return len(revision) == 18 && revision[17] == 't' }
