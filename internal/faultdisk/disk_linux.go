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
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
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
func Supported() error {
	action := uint32(unix.SECCOMP_RET_USER_NOTIF)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return fmt.Errorf("the kernel does not ask about system calls (seccomp): %w", errno)
	}
	return nil
}

// Start starts a command on the disk. The binary that calls this is started first, and becomes the
// command's.
func (d *Disk) Start(cmd *exec.Cmd) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	theirs := os.NewFile(uintptr(pair[1]), "faultdisk")
	defer unix.Close(pair[0])
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, shimTarget(3+len(cmd.ExtraFiles), cmd.Path))
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	cmd.Path = self
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return err
	}
	listener, err := receive(pair[0])
	if err != nil {
		return fmt.Errorf("faultdisk: the program was not started: %w", err)
	}
	ended := make(chan struct{})
	d.mu.Lock()
	d.ended, d.pid = ended, cmd.Process.Pid
	d.mu.Unlock()
	go func() {
		defer close(ended)
		defer unix.Close(listener)
		d.serve(listener)
	}()
	return nil
}

// receive takes the descriptor that the shim sends.
func receive(socket int) (int, error) {
	one, rights := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	n, oob, _, _, err := unix.Recvmsg(socket, one, rights, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, errors.New("it has ended")
	}
	messages, err := unix.ParseSocketControlMessage(rights[:oob])
	if err != nil || len(messages) == 0 {
		return 0, fmt.Errorf("no descriptor: %w", err)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return 0, err
	}
	return fds[0], nil
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

// call is a system call that the kernel asks about.
type call struct {
	pid  int
	nr   uintptr
	args [6]uint64
}

// verdict is what happens to one: it goes on, or returns errno (0: success) without being made.
type verdict struct {
	goesOn bool
	errno  syscall.Errno
}

var goOn = verdict{goesOn: true}

// judge decides about one call.
func (d *Disk) judge(c call) verdict {
	fd := int(int32(c.args[0]))
	link := fmt.Sprintf("/proc/%d/fd/%d", c.pid, fd)
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
		return verdict{}
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
func (d *Disk) file(c call, f *file, fault Fault) (verdict, error) {
	fails := verdict{errno: fault.Errno}
	switch c.nr {
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		if d.syncs--; d.syncs == 0 {
			return verdict{errno: unix.EIO}, unix.Kill(d.pid, unix.SIGKILL) // nobody will see the error
		}
		if fault.Syncs {
			return fails, nil
		}
		return verdict{}, f.synced()
	case unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE:
		if fault.Growth && (c.nr == unix.SYS_FALLOCATE || fault.Writes) {
			return fails, nil
		}
		return goOn, f.resize(c)
	case unix.SYS_WRITE, unix.SYS_PWRITE64:
		offset, length := int64(c.args[3]), int64(c.args[2])
		if c.nr == unix.SYS_WRITE {
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
	return goOn, fmt.Errorf("system call %d is not modelled", c.nr)
}

// resize takes a new size of the file for safe. What lies behind its end is gone for good.
func (f *file) resize(c call) error {
	if c.nr == unix.SYS_FALLOCATE {
		if mode := c.args[1]; mode&unix.FALLOC_FL_KEEP_SIZE == 0 {
			f.size = max(f.size, int64(c.args[2]+c.args[3]))
		}
		return nil
	}
	f.size = int64(c.args[1])
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
func position(c call) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", c.pid, int32(c.args[0])))
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
