// Package faultdisk runs a program on a disk that fails as disks do: it is full, it returns errors,
// or power is cut and what was not synced is gone. For tests only.
//
// The program is any binary, and needs no rights. By package interpose the kernel asks a Disk
// before each system call that writes, syncs or grows a file. The Disk fails the call, answers it,
// or lets it go on and remembers what it overwrites. SIGKILL alone leaves what was written in the
// kernel's memory, where the next process finds it: only Cut shows if a program waits for the disk.
//
// What is modelled is the content of files. Names, sizes that ftruncate and fallocate set, and
// directories are taken for safe at once, as if the file system's journal were written through. So
// a forgotten sync of a directory is not found.
//
// Start at Disk. It needs Linux 5.5; Supported says why it can't be used elsewhere.
package faultdisk

import (
	"syscall"
	"time"
)

// Fault is how the disk fails. The zero value is a disk that works.
type Fault struct {
	// Errno is what the calls fail with.
	Errno syscall.Errno
	// Writes are calls that write, Syncs fsync and fdatasync, Growth what needs room that the file
	// does not have yet.
	Writes, Syncs, Growth bool
	// Delay is how long each sync takes. The disk does nothing else meanwhile.
	Delay time.Duration
	// Name is a part of the paths of the files that it is about; "" is all of them.
	Name string
}

// Of is the fault for files with a name in their paths.
func (f Fault) Of(name string) Fault {
	f.Name = name
	return f
}

// Slow is a disk that takes so long for each sync.
func Slow(delay time.Duration) Fault { return Fault{Delay: delay} }

// Faults that disks have.
var (
	Full      = Fault{Errno: syscall.ENOSPC, Growth: true}
	NoWrites  = Fault{Errno: syscall.EIO, Writes: true, Growth: true}
	NoSyncs   = Fault{Errno: syscall.EIO, Syncs: true}
	ReadOnly  = Fault{Errno: syscall.EROFS, Writes: true, Growth: true}
	NotFaulty = Fault{}
)

// sector is the unit in which a disk writes: of a write that was not synced some sectors may be
// there after a cut, and others not.
const sector = 512
