package embedded

import (
	"context"
	"log/slog"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/etcdserver"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// These say when a defragmentation is worth its price. It copies what is in use into a new file,
// and all reads and writes wait for it (6 ms for every MB, see BenchmarkDefragment). bbolt uses
// free pages again, so that they cost nothing but disk.
const (
	minWaste    = 100 << 20 // bytes; and half of the file
	maxInUse    = 16 << 20  // bytes; more is copied only before anybody is served, or where writes are in danger
	warnAt      = 80        // percent of the quota
	roomAt      = 90        // percent of the quota below which an alarm is disarmed
	checkPeriod = time.Minute
)

// keeper looks after the space that the database takes. It says early that the quota will be
// reached, and defragments where that pays. When the quota was reached it makes room as far as
// there is history or waste. It lets writes in again as soon as there is room.
type keeper struct {
	etcd     *etcdserver.EtcdServer
	client   *etcd3.Client
	log      *logger
	disk     *disk
	quota    int64
	every    time.Duration
	minWaste int64
	maxInUse int64

	revision int64 // of the last look
	warned   int64 // percent of the quota that was warned of
	full     bool  // the alarm was said
	stop     context.CancelFunc
	done     chan struct{}
}

func newKeeper(s *Server, every time.Duration) *keeper {
	if every == 0 {
		every = checkPeriod
	}
	return &keeper{
		etcd: s.etcd.Server, client: s.client, log: s.log, disk: s.disk, quota: s.config.Quota, every: every,
		minWaste: minWaste, maxInUse: maxInUse, done: make(chan struct{}),
	}
}

// start makes the first look at once, while nobody is served: then a defragmentation disturbs
// nobody, however much it has to copy.
func (k *keeper) start() error {
	ctx, cancel := context.WithCancel(context.Background())
	k.stop = cancel
	if k.wasteful() {
		k.defragment("it pays at the start")
	}
	go k.run(ctx)
	return nil
}

// run calls look at each tick until ctx ends.
func (k *keeper) run(ctx context.Context) {
	defer close(k.done)
	ticks := time.NewTicker(k.every)
	defer ticks.Stop()
	for {
		_ = recovery.Object(k.log.to, "etcd space", "", func() { k.look(ctx) })
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

func (k *keeper) close() {
	k.stop()
	<-k.done
}

// look reads the size of the database, and defragments or warns if that is necessary.
func (k *keeper) look(ctx context.Context) {
	before := k.revision
	k.revision = k.etcd.KV().Rev()
	if before == 0 {
		before = k.revision
	}
	switch {
	case k.alarmed():
		k.warn()
		k.makeRoom(ctx, before)
	case k.percent() >= warnAt && k.waste() >= k.size()/4:
		// The quota counts free pages, too.
		k.defragment("its size is near the quota")
	case k.wasteful() && k.inUse() <= k.maxInUse:
		k.defragment("it pays")
	}
	k.warn()
}

func (k *keeper) size() int64    { return k.etcd.Backend().Size() }
func (k *keeper) inUse() int64   { return k.etcd.Backend().SizeInUse() }
func (k *keeper) waste() int64   { return k.size() - k.inUse() }
func (k *keeper) percent() int64 { return 100 * k.size() / k.quota }

func (k *keeper) wasteful() bool { return k.waste() >= k.minWaste && k.waste() >= k.size()/2 }

func (k *keeper) alarmed() bool {
	for _, a := range k.etcd.Alarms() {
		if a.Alarm == etcdserverpb.AlarmType_NOSPACE {
			return true
		}
	}
	return false
}

// makeRoom ends the state in which etcd refuses every write but deletions, if that is possible. It
// gives up history up to the revision of the last look, and the free pages.
func (k *keeper) makeRoom(ctx context.Context, revision int64) {
	_, err := k.etcd.Compact(ctx, &etcdserverpb.CompactionRequest{Revision: revision, Physical: true})
	if err != nil && ctx.Err() != nil {
		return
	}
	k.etcd.Backend().ForceCommit()
	if k.percent() >= roomAt && k.waste() >= k.size()/10 {
		k.defragment("the quota is reached")
	}
	if k.percent() >= roomAt {
		return
	}
	_, err = k.etcd.Alarm(ctx, &etcdserverpb.AlarmRequest{MemberID: uint64(k.etcd.MemberID()), Action: etcdserverpb.AlarmRequest_DEACTIVATE, Alarm: etcdserverpb.AlarmType_NOSPACE})
	switch {
	case err == nil:
		k.log.say(slog.LevelWarn, "there is room again, and writes are taken", "size", k.size(), "quota", k.quota)
	case ctx.Err() == nil:
		k.log.say(slog.LevelError, "there is room again, but the alarm can't be disarmed", "error", err)
	}
}

func (k *keeper) defragment(because string) {
	begin, before := time.Now(), k.size()
	if free, err := k.disk.free(k.disk.dir); err == nil && free < k.inUse()+DiskReserve {
		k.log.say(slog.LevelWarn, "the database should be defragmented, for which the disk has no room", "because", because, "in use", k.inUse(), "free", free)
		return
	}
	if err := k.etcd.Defragment(); err != nil {
		k.log.say(slog.LevelError, "the database can't be defragmented", "error", err)
		return
	}
	k.log.say(slog.LevelInfo, "the database was defragmented", "because", because, "before", before, "after", k.size(), "took", time.Since(begin))
}

// warn says how full it is, again after every 5 % more.
func (k *keeper) warn() {
	was := k.full
	k.full = k.alarmed()
	switch percent := k.percent(); {
	case k.full && !was:
		k.log.say(slog.LevelError, "the space quota is reached: only deletions are taken until there is room; delete objects", "size", k.size(), "in use", k.inUse(), "quota", k.quota)
	case percent < warnAt-5:
		k.warned = 0
	case percent >= warnAt && percent >= k.warned+5:
		k.warned = percent
		k.log.say(slog.LevelWarn, "the space quota will be reached soon, and then writes are refused: delete objects", "percent", percent, "size", k.size(), "in use", k.inUse(), "quota", k.quota)
	}
}
