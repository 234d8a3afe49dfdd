package embedded_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/faultdisk"
	"github.com/typeplane/typeplane/storage/embedded"
)

// faulty returns the disk below the files of a data directory.
func faulty(t *testing.T, dir string) *faultdisk.Disk {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip(faultdisk.Supported())
	}
	if err := faultdisk.Supported(); err != nil {
		t.Fatal(err)
	}
	disk, err := faultdisk.New(filepath.Join(dir, "member"))
	if err != nil {
		t.Fatal(err)
	}
	return disk
}

// A write that was acknowledged is there when power was cut, whatever else is there of what was not
// synced. Power is cut in the middle of a sync, which may be one of the start.
func TestPowerCutWhileWriting(t *testing.T) {
	dir := t.TempDir()
	disk := faulty(t, dir)
	rounds, lost := 6, 0
	if testing.Short() {
		rounds = 2
	}
	random := rand.New(rand.NewPCG(1, uint64(os.Getpid())))
	acked := map[string]int64{}
	for round := range rounds {
		disk.KillAt(1 + random.IntN(50<<(round%4)))
		for k, r := range killOn(t, disk.Start, dir, false, time.Minute) {
			acked[k] = r
		}
		lost += disk.Unsynced()
		if err := disk.Cut(random); err != nil {
			t.Fatal(err)
		}
		s := start(t, embedded.Config{Dir: dir})
		for _, text := range missing(t, s, acked) {
			t.Error(text)
		}
		s.Close()
		t.Logf("round %d: %d writes acknowledged, %d sectors not synced so far", round, len(acked), lost)
	}
	if lost == 0 {
		t.Error("all that was written was on the disk: nothing is shown")
	}
}

// The counter-check: what is acknowledged without waiting for the disk is lost.
func TestPowerCutFindsWhatWasNotSynced(t *testing.T) {
	dir := t.TempDir()
	disk := faulty(t, dir)
	killOn(t, disk.Start, dir, true, 0)
	acked := killOn(t, disk.Start, dir, true, 100*time.Millisecond, unsynced+"=yes")
	if err := disk.Cut(nil); err != nil {
		t.Fatal(err)
	}
	s := start(t, embedded.Config{Dir: dir})
	if texts := missing(t, s, acked); len(texts) == 0 {
		t.Errorf("%d writes were acknowledged without a sync, and all of them are there", len(acked))
	}
}
