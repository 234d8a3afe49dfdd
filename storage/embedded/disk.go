package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/storage"
)

// How much of the disk of the data directory must be free, in bytes.
const (
	// lowSpace is where the log begins to warn.
	lowSpace = 512 << 20
	// DiskReserve is what etcd may need without being asked. It takes a whole segment of its
	// write-ahead log (64 MiB), and it commits to the database until the free space is looked at
	// again. With less, only deletions are taken.
	DiskReserve = 128 << 20
	// diskPeriod is how often the free space is looked at.
	diskPeriod = time.Second
)

// level is how full a disk is.
type level int32

const (
	roomy level = iota
	low         // that it will be full is told
	short       // what takes room is refused
)

// disk looks at the free space around the data directory. All methods may be called from any
// goroutine, except for look.
type disk struct {
	dir   string
	free  func(dir string) (int64, error)
	log   *logger
	level atomic.Int32
}

// keep reads the free space until ctx ends, and reports to h when there is enough again.
func (d *disk) keep(ctx context.Context, h *health) {
	ticks := time.NewTicker(diskPeriod)
	defer ticks.Stop()
	for {
		_ = recovery.Object(d.log.to, "etcd disk", d.dir, func() { d.look(h) })
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// look notes how full the disk is, and says so when that has changed.
func (d *disk) look(h *health) {
	free, err := d.free(d.dir)
	if err != nil {
		return // where the disk is gone, etcd is the one who says so
	}
	was := level(d.level.Load())
	now := levelOf(free, was)
	d.level.Store(int32(now))
	if now < short {
		h.roomAgain()
	}
	if now == was || h.failure.Load() != nil {
		return
	}
	about := []any{"data directory", d.dir, "free MiB", free >> 20, "reserve MiB", int64(DiskReserve >> 20)}
	switch now {
	case short:
		d.log.say(slog.LevelError, "the disk is nearly full: only deletions are taken until there is room; make some", about...)
	case low:
		d.log.say(slog.LevelWarn, "the disk will be full soon, and then writes are refused: make room", about...)
	default:
		d.log.say(slog.LevelInfo, "there is room on the disk again", about...)
	}
}

// levelOf judges the free space. To leave a level it takes an eighth more than to come to it.
func levelOf(free int64, was level) level {
	enough := func(limit int64, at level) bool {
		if was >= at {
			limit += limit / 8
		}
		return free >= limit
	}
	switch {
	case !enough(DiskReserve, short):
		return short
	case !enough(lowSpace, low):
		return low
	}
	return roomy
}

// refused is why nothing may be written that takes room; nil if it may.
func (d *disk) refused() error {
	if level(d.level.Load()) < short {
		return nil
	}
	return &storage.Error{Code: storage.CodeNoSpace, Err: fmt.Errorf("less than %d MiB are free around the data directory %s", int64(DiskReserve>>20), d.dir)}
}
