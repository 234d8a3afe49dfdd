package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"

	"go.etcd.io/bbolt"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"
)

// checkLog returns an error unless the write-ahead log is whole and reaches as far as the database.
// Every record has a checksum over all before it. A log that ends in the middle of a record is what
// a power failure leaves, and etcd cuts it there. A log that ends before what the database has
// already was cut by something else. etcd would use the numbers of the missing entries again, take
// those for done, and so lose what it acknowledges, or wait for ever.
func checkLog(dir string, applied uint64) error {
	dir = filepath.Join(dir, "member", "wal")
	last, err := lastEntry(dir)
	if err != nil {
		return fmt.Errorf("the write-ahead log in %s is damaged: %w; restore a backup", dir, err)
	}
	if last < applied {
		return fmt.Errorf("the write-ahead log in %s ends at entry %d, and the database has entry %d: a part of it was lost; restore a backup", dir, last, applied)
	}
	return nil
}

// lastEntry returns the number of the last whole entry of the log.
func lastEntry(dir string) (uint64, error) {
	log := zap.NewNop()
	snapshots, err := wal.ValidSnapshotEntries(log, dir)
	if err != nil {
		return 0, err
	}
	if len(snapshots) == 0 {
		return 0, errors.New("it has no beginning")
	}
	newest := snapshots[len(snapshots)-1]
	w, err := wal.OpenForRead(log, dir, newest)
	if err != nil {
		return 0, err
	}
	defer w.Close()
	_, _, entries, err := w.ReadAll()
	if err != nil {
		return 0, err
	}
	last := newest.GetIndex()
	if n := len(entries); n > 0 {
		last = max(last, entries[n-1].GetIndex())
	}
	return last, nil
}

// appliedEntry is the number of the last entry of the log that is in the database, 0 if it has
// none.
func appliedEntry(db *bbolt.DB) (index uint64, err error) {
	err = db.View(func(tx *bbolt.Tx) error {
		if b := tx.Bucket(metaBucket); b != nil {
			if v := b.Get([]byte("consistent_index")); len(v) == 8 {
				index = binary.BigEndian.Uint64(v)
			}
		}
		return nil
	})
	return index, err
}
