package faultclock

import (
	"encoding/binary"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/typeplane/typeplane/internal/interpose"
)

// Clock is the clock of one program. All methods may be called from any goroutine.
type Clock struct {
	mu     sync.Mutex // guards the fields below
	offset time.Duration
	asked  int
	err    error
}

// Supported returns why programs can't be run by a Clock here, nil if they can.
func Supported() error { return interpose.Supported() }

// Set makes the clock jump: from now on it is off by offset.
func (c *Clock) Set(offset time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset = offset
}

// Asked is how often the program has looked at the clock. An error means that one time could not be
// told to it, and was the right one.
func (c *Clock) Asked() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked, c.err
}

// Start starts a command whose program is one of Prepare.
func (c *Clock) Start(cmd *exec.Cmd) error {
	program, err := interpose.Start(cmd, []interpose.Rule{{Number: unix.SYS_CLOCK_GETTIME, First: unix.CLOCK_REALTIME, Only: true}})
	if err != nil {
		return err
	}
	go func() {
		if err := program.Serve(c.tell); err != nil {
			c.note(err)
		}
	}()
	return nil
}

// tell writes the time into the memory of the program.
func (c *Clock) tell(call interpose.Call) interpose.Verdict {
	c.mu.Lock()
	now := time.Now().Add(c.offset)
	c.asked++
	c.mu.Unlock()
	timespec := make([]byte, 16)
	binary.NativeEndian.PutUint64(timespec, uint64(now.Unix()))
	binary.NativeEndian.PutUint64(timespec[8:], uint64(now.Nanosecond()))
	local := unix.Iovec{Base: &timespec[0]}
	local.SetLen(len(timespec))
	remote := unix.RemoteIovec{Base: uintptr(call.Args[1]), Len: len(timespec)}
	if _, err := unix.ProcessVMWritev(call.PID, []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0); err != nil {
		if err != unix.ESRCH {
			c.note(fmt.Errorf("faultclock: %w", err))
		}
		return interpose.Verdict{GoesOn: true}
	}
	return interpose.Verdict{}
}

func (c *Clock) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}
