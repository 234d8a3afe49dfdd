package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"go.uber.org/zap/zapcore"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/storage"
)

// Failure is what etcd can't go on after: it would end the process. It is immutable.
type Failure struct {
	// Doing is what etcd could not do, in its words, and Err why; nil if etcd did not say.
	Doing string
	Err   error

	disk *diskFault // nil: the disk is not to blame
}

// Error says what happened, and what to do.
func (f *Failure) Error() string {
	what, cure := "etcd can't go on", "start the server again; if that does not help, restore a backup"
	if f.disk != nil {
		what, cure = f.disk.what, f.disk.cure
	}
	return fmt.Sprintf("%s (%s); %s", what, f.cause(), cure)
}

func (f *Failure) cause() string {
	if f.Err == nil {
		return f.Doing
	}
	return fmt.Sprintf("%s: %v", f.Doing, f.Err)
}

func (f *Failure) Unwrap() error { return f.Err }

// full says that the disk has no room.
func (f *Failure) full() bool { return f.disk != nil && f.disk.full }

// refused is what a request comes to that is not sent to an etcd that has failed.
func (f *Failure) refused(write bool) error {
	e := &storage.Error{Code: storage.CodeFailed, Err: f}
	switch {
	case write && f.full():
		e.Code, e.Told = storage.CodeNoSpace, "the disk of the storage is full, and nothing can be written until there is room and the server was started again"
	case write && f.disk != nil:
		e.Told = f.disk.what + ", and nothing can be written until the server was started again"
	case write:
		e.Told = "the storage has failed, and nothing can be written until the server was started again"
	default:
		e.Told = "the storage has failed, and can't show that an answer is the newest; resourceVersion=0 asks for what is in memory"
	}
	return e
}

// diskFault is a way in which disks fail.
type diskFault struct {
	errno      syscall.Errno
	full       bool
	what, cure string
}

const mendDisk = "mend the disk and mount it anew, or the machine may go on with what never got there; then start the server again"

// diskFaults are those that we have words for.
var diskFaults = []diskFault{
	{syscall.ENOSPC, true, "the disk of the storage is full", "make room on it"},
	{syscall.EDQUOT, true, "the disk quota of the storage is reached", "make room, or raise it"},
	{syscall.EIO, false, "the disk of the storage has failed", mendDisk},
	{syscall.ENXIO, false, "the disk of the storage is gone", mendDisk},
	{syscall.ENODEV, false, "the disk of the storage is gone", mendDisk},
	{syscall.ESTALE, false, "the disk of the storage is gone", mendDisk},
	{syscall.EROFS, false, "the disk of the storage has become read-only", "find out why (the kernel's log says it), make it writable, and start the server again"},
	{syscall.EFBIG, false, "a file of the storage may not grow any more", "raise the limit of file sizes, and start the server again"},
}

// faultOf says how a disk has failed, nil if the error does not say that one has. Some of bbolt's
// errors keep only the text of their cause.
func faultOf(err error) *diskFault {
	if err == nil {
		return nil
	}
	for i := range diskFaults {
		if f := &diskFaults[i]; errors.Is(err, f.errno) || strings.HasSuffix(err.Error(), f.errno.Error()) {
			return f
		}
	}
	return nil
}

// withCure says what to do about an error of the disk.
func withCure(err error) error {
	var failure *Failure
	if f := faultOf(err); f != nil && !errors.As(err, &failure) {
		return fmt.Errorf("%w; %s", err, f.cure)
	}
	return err
}

// health is whether etcd works. Where etcd would end the process, the goroutine that found the
// fault is parked instead. It never goes on, and keeps the locks that it holds. So nothing is
// written any more behind a write that failed. What the kernel holds of a file after a failed fsync
// is not what is on the disk: only a start that reads it again knows.
//
// All methods may be called from any goroutine.
type health struct {
	log *logger
	dir string // the data directory, for the log

	mu       sync.Mutex // guards the writing of what follows, and read
	failure  atomic.Pointer[Failure]
	failed   chan struct{} // closed when failure is there
	read     func()        // reads something of etcd; nil while it starts
	readable atomic.Bool   // after a failure: what etcd has in memory can be read anyway
	stuck    chan struct{} // closed when that is over

	over    chan struct{} // closed when there is nothing left to wait for
	overErr error         // written before over is closed
}

func newHealth(log *logger) *health {
	return &health{log: log, failed: make(chan struct{}), stuck: make(chan struct{}), over: make(chan struct{})}
}

// OnWrite is called by etcd's logger for a record after which etcd can't go on. It does not return.
func (h *health) OnWrite(ce *zapcore.CheckedEntry, fields []zapcore.Field) {
	h.fail(ce.Message, errorOf(fields))
	select {}
}

// fail notes the first failure. Another one means that what the first has left is not to be
// trusted: a goroutine that was needed to read may be among the parked ones.
func (h *health) fail(doing string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failure.Load() != nil {
		h.readable.Store(false)
		h.closeOnce(h.stuck)
		return
	}
	f := &Failure{Doing: doing, Err: err, disk: faultOf(err)}
	h.failure.Store(f)
	h.say(f)
	close(h.failed)
	if h.read != nil {
		go h.tryReading(h.read)
	}
	if f.disk == nil {
		// What is in memory may be as wrong as what etcd stumbled over.
		h.end(f)
	}
}

// tryReading tests if an etcd that has failed can still be read. If the parked goroutine holds the
// lock of the database, read never returns.
func (h *health) tryReading(read func()) {
	if recovery.Object(h.log.to, "etcd requests", "", read) != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.stuck:
	default:
		h.readable.Store(true)
	}
}

// reads says how something of etcd can be read.
func (h *health) reads(read func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.read = read
}

// unlessFailed runs do, which may be parked: then it returns the failure. Its panics, which are
// another way in which etcd says that a file is broken, are errors.
func (h *health) unlessFailed(doing string, do func() error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- fmt.Errorf("etcd can't %s: %v", doing, r)
			}
		}()
		done <- do()
	}()
	select {
	case err := <-done:
		return err
	case <-h.failed:
		return h.failure.Load()
	}
}

// end says that the server shall end, because of err.
func (h *health) end(err error) {
	h.overErr = err
	h.closeOnce(h.over)
}

// closeOnce closes a channel of h if that is still to be done. The caller holds mu.
func (h *health) closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

// roomAgain is told that there is room on the disk. An etcd that had none is started again by
// whoever starts the server again: the files of the parked one are still open and locked.
func (h *health) roomAgain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f := h.failure.Load(); f != nil && f.full() {
		h.end(errors.New("the disk was full and has room again: the server ends, and works when it is started again"))
	}
}

// say logs why etcd has failed. While it starts that is the error of the start.
func (h *health) say(f *Failure) {
	if phase(h.log.phase.Load()) == starting && h.read == nil {
		return
	}
	then := "the server ends"
	switch {
	case f.full():
		then = "the server ends when there is some, to be started again; until then writes are refused, and reads answered from memory as far as they can be"
	case f.disk != nil:
		then = "until then writes are refused, and reads answered from memory as far as they can be"
	}
	h.log.say(slog.LevelError, fmt.Sprintf("%v; %s", f, then), "data directory", h.dir)
}
