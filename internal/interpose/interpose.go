// Package interpose runs a program and decides about some of its system calls. The program is any
// binary, and needs no rights. For tests only.
//
// A filter of seccomp makes the kernel ask before each such call. Whoever is asked lets it go
// on, or answers in its place. Start reading at Start. It needs Linux 5.5. Supported says why it
// can't be used elsewhere.
package interpose

import (
	"syscall"
	"time"
)

// Rule is a system call that the kernel asks about.
type Rule struct {
	Number uintptr
	// Where Only is set, it is asked about those calls alone whose first argument is First.
	First uint32
	Only  bool
}

// Call is one that the program wants to make.
type Call struct {
	PID    int // of the thread
	Number uintptr
	Args   [6]uint64
}

// Verdict is what happens to a call, after a delay. It goes on, or returns Errno (0: success)
// without being made.
type Verdict struct {
	GoesOn bool
	Errno  syscall.Errno
	Delay  time.Duration
}
