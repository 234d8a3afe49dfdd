package faultdisk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/typeplane/typeplane/internal/interpose"
)

// Disk is the disk below one directory. One program at a time runs on it. All methods may be called
// from any goroutine.
type Disk struct {
	dir string

	mu    sync.Mutex // guards the fields below
	fault Fault
	pid   int // of the program
	syncs int // that are still to come until it is killed; 0 for never
	files map[inode]*file
	err   error         // of the Disk itself: it could not tell any more what is on the disk
	ended chan struct{} // closed when the program of the last Start is gone
}

type inode struct{ device, number uint64 }

// file is what Disk knows of one.
type file struct {
	content *os.File
	size    int64            // at the last sync
	before  map[int64][]byte // by the number of a sector that was written since, what was in it
}

// New returns the disk below a directory, which need not be there yet.
func New(dir string) (*Disk, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	return &Disk{dir: dir + string(filepath.Separator), files: map[inode]*file{}}, nil
}

// Supported returns why programs can't be run on a Disk here, nil if they can.
func Supported() error { return interpose.Supported() }

// watched are the system calls that a Disk is asked about.
var watched = []uintptr{
	unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_WRITEV, unix.SYS_PWRITEV, unix.SYS_PWRITEV2,
	unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE,
}

// Start starts a command on the disk. The binary that calls this is started first, and becomes the
// command's.
func (d *Disk) Start(cmd *exec.Cmd) error {
	var rules []interpose.Rule
	for _, number := range watched {
		rules = append(rules, interpose.Rule{Number: number})
	}
	program, err := interpose.Start(cmd, rules)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	d.mu.Lock()
	d.ended, d.pid = ended, cmd.Process.Pid
	d.mu.Unlock()
	go func() {
		defer close(ended)
		if err := program.Serve(d.judge); err != nil {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.note(err)
		}
	}()
	return nil
}

// Fail makes the disk fail from now on. NotFaulty ends that.
func (d *Disk) Fail(f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = f
}

// KillAt kills the program when it syncs for the nth time from now on, before that has an effect: 1
// is the next one.
func (d *Disk) KillAt(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.syncs = n
}

// Cut takes away what was not synced, of a program that was killed. With a source of chance some
// sectors of it stay, as when power fails while the disk writes; nil takes all.
func (d *Disk) Cut(torn *rand.Rand) error {
	d.mu.Lock()
	ended := d.ended
	d.mu.Unlock()
	<-ended
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.files {
		d.note(f.revert(torn))
		f.content.Close()
	}
	clear(d.files)
	return d.err
}

// Unsynced is how many sectors a Cut would take away now.
func (d *Disk) Unsynced() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, f := range d.files {
		n += len(f.before)
	}
	return n
}

// note keeps the first error. The caller holds mu.
func (d *Disk) note(err error) {
	if d.err == nil {
		d.err = err
	}
}

// revert puts back what was there at the last sync.
func (f *file) revert(torn *rand.Rand) error {
	stayed := int64(0) // the end of the last sector that stays
	numbers := make([]int64, 0, len(f.before))
	for number := range f.before {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		if torn != nil && torn.IntN(2) == 0 {
			stayed = (number + 1) * sector
			continue
		}
		if _, err := f.content.WriteAt(f.before[number], number*sector); err != nil {
			return err
		}
	}
	info, err := f.content.Stat()
	if err != nil || len(numbers) == 0 {
		return err
	}
	return f.content.Truncate(min(info.Size(), max(f.size, stayed)))
}

// remember keeps what is in a part of the file that is about to be overwritten.
func (f *file) remember(offset, length int64) error {
	if length <= 0 {
		return nil
	}
	for number := offset / sector; number <= (offset+length-1)/sector; number++ {
		if f.before[number] != nil {
			continue
		}
		old := make([]byte, sector)
		n, err := f.content.ReadAt(old, number*sector)
		if err != nil && n == 0 && !errors.Is(err, io.EOF) {
			return err
		}
		f.before[number] = old
	}
	return nil
}

// synced forgets what was there before: what is there now stays.
func (f *file) synced() error {
	clear(f.before)
	return f.resized()
}

func (f *file) resized() error {
	info, err := f.content.Stat()
	if err == nil {
		f.size = info.Size()
	}
	return err
}

var goOn = interpose.Verdict{GoesOn: true}

// judge decides about one call.
func (d *Disk) judge(c interpose.Call) interpose.Verdict {
	fd := int(int32(c.Args[0]))
	link := fmt.Sprintf("/proc/%d/fd/%d", c.PID, fd)
	path, err := os.Readlink(link)
	if err != nil || !strings.HasPrefix(path, d.dir) {
		return goOn
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := d.open(link)
	if gone(err) {
		return goOn
	}
	if err != nil {
		d.note(fmt.Errorf("faultdisk: %s: %w", path, err))
		return goOn
	}
	if f == nil { // a directory
		return interpose.Verdict{}
	}
	fault := d.fault
	if !strings.Contains(path, fault.Name) {
		fault = NotFaulty
	}
	v, err := d.file(c, f, fault)
	if gone(err) {
		return goOn
	}
	if err != nil {
		d.note(fmt.Errorf("faultdisk: %s: %w", path, err))
	}
	return v
}

// gone says that the program was killed meanwhile, so its call is never made.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) }

// open returns what is known of the file that a link in /proc leads to, nil for a directory.
func (d *Disk) open(link string) (*file, error) {
	var s unix.Stat_t
	if err := unix.Stat(link, &s); err != nil {
		return nil, err
	}
	if s.Mode&unix.S_IFMT == unix.S_IFDIR {
		return nil, nil
	}
	id := inode{uint64(s.Dev), s.Ino}
	if f := d.files[id]; f != nil {
		return f, nil
	}
	content, err := os.OpenFile(link, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	f := &file{content: content, size: s.Size, before: map[int64][]byte{}}
	d.files[id] = f
	return f, nil
}

// file decides about a call on a file of the disk. The caller holds mu.
func (d *Disk) file(c interpose.Call, f *file, fault Fault) (interpose.Verdict, error) {
	fails := interpose.Verdict{Errno: fault.Errno}
	switch c.Number {
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		if d.syncs--; d.syncs == 0 {
			return interpose.Verdict{Errno: unix.EIO}, unix.Kill(d.pid, unix.SIGKILL) // nobody will see the error
		}
		if fault.Syncs {
			return fails, nil
		}
		return interpose.Verdict{Delay: fault.Delay}, f.synced()
	case unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE:
		if fault.Growth && (c.Number == unix.SYS_FALLOCATE || fault.Writes) {
			return fails, nil
		}
		return goOn, f.resize(c)
	case unix.SYS_WRITE, unix.SYS_PWRITE64:
		offset, length := int64(c.Args[3]), int64(c.Args[2])
		if c.Number == unix.SYS_WRITE {
			var err error
			if offset, err = position(c); err != nil {
				return goOn, err
			}
		}
		if fault.Writes {
			return fails, nil
		}
		if fault.Growth {
			if room, err := f.hasRoom(offset + length); err != nil || !room {
				return fails, err
			}
		}
		return goOn, f.remember(offset, length)
	}
	return goOn, fmt.Errorf("system call %d is not modelled", c.Number)
}

// resize takes a new size of the file for safe. What lies behind its end is gone for good.
func (f *file) resize(c interpose.Call) error {
	if c.Number == unix.SYS_FALLOCATE {
		if mode := c.Args[1]; mode&unix.FALLOC_FL_KEEP_SIZE == 0 {
			f.size = max(f.size, int64(c.Args[2]+c.Args[3]))
		}
		return nil
	}
	f.size = int64(c.Args[1])
	for number := range f.before {
		if number*sector >= f.size {
			delete(f.before, number)
		}
	}
	return nil
}

// hasRoom says if blocks of the disk are there for the file up to an end.
func (f *file) hasRoom(end int64) (bool, error) {
	var s unix.Stat_t
	if err := unix.Fstat(int(f.content.Fd()), &s); err != nil {
		return false, err
	}
	return end <= s.Blocks*512, nil
}

// position is where a write without an offset goes.
func position(c interpose.Call) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", c.PID, int32(c.Args[0])))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "pos:"); ok {
			return strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
		}
	}
	return 0, errors.New("no position")
}
