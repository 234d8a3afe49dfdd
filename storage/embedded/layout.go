package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"
)

// etcd would make the part anew. Beside an old database it would wait for a leader for ever, and
// beside nothing it would begin an empty one. A directory without a member is one for a first
// start.
func checkLayout(dir string) error {
	member := filepath.Join(dir, "member")
	if _, err := os.Stat(member); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	database, log := filepath.Join(member, "snap", "db"), filepath.Join(member, "wal")
	hasDatabase, err := hasContent(database)
	if err != nil {
		return err
	}
	switch hasLog := wal.Exist(log); {
	case !hasDatabase && !hasLog:
		return fmt.Errorf("there is no database in %s any more: put it back, or restore a backup; for a new and empty one remove that folder", member)
	case !hasLog:
		return fmt.Errorf("the write-ahead log in %s is missing, and with it the newest writes: put it back, or restore a backup", log)
	case !hasDatabase:
		return checkTellsAll(log, database)
	}
	return nil
}

// checkTellsAll returns an error unless the database can be made anew of the write-ahead log: if
// that began with it, and no snapshot says that it goes on from somewhere.
func checkTellsAll(log, database string) error {
	snapshots, err := wal.ValidSnapshotEntries(zap.NewNop(), log)
	if err != nil {
		return fmt.Errorf("the database %s is missing, and the write-ahead log is damaged: %w; restore a backup", database, err)
	}
	for _, s := range snapshots {
		if s.GetIndex() > 0 {
			return fmt.Errorf("the database %s is missing, and the write-ahead log does not tell all of it: put it back, or restore a backup", database)
		}
	}
	return nil
}

// hasContent says that there is a file, and that it is not empty.
func hasContent(file string) (bool, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Size() > 0, err
}
