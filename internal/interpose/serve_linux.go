package interpose

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notification and response are struct seccomp_notif and struct seccomp_notif_resp of
// linux/seccomp.h.
type notification struct {
	id           uint64
	pid, flags   uint32
	nr           int32
	architecture uint32
	ip           uint64
	args         [6]uint64
}

type response struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// The requests of the descriptor, _IOWR('!', 0, …) and _IOWR('!', 1, …), and the flag that lets a
// call go on.
const (
	receiveNotification = 3<<30 | unsafe.Sizeof(notification{})<<16 | '!'<<8
	sendResponse        = 3<<30 | unsafe.Sizeof(response{})<<16 | '!'<<8 | 1
	goOnFlag            = 1
)

// Serve answers what the kernel asks, one call after the other, until the program is gone. It is
// called once.
func (p *Program) Serve(judge func(Call) Verdict) error {
	defer unix.Close(p.listener)
	for {
		poll := []unix.PollFd{{Fd: int32(p.listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("interpose: %w", err)
		}
		if poll[0].Revents&unix.POLLIN == 0 {
			if poll[0].Revents&unix.POLLHUP != 0 {
				return nil
			}
			continue
		}
		var n notification
		switch err := ioctl(p.listener, receiveNotification, unsafe.Pointer(&n)); {
		case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EINTR):
			continue // who asked was interrupted, and will ask again, or is dead
		case err != nil:
			return fmt.Errorf("interpose: %w", err)
		}
		v := judge(Call{PID: int(n.pid), Number: uintptr(n.nr), Args: n.args})
		time.Sleep(v.Delay)
		r := response{id: n.id, errno: -int32(v.Errno)}
		if v.GoesOn {
			r.flags = goOnFlag
		}
		if err := ioctl(p.listener, sendResponse, unsafe.Pointer(&r)); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("interpose: %w", err)
		}
	}
}

func ioctl(fd int, request uintptr, arg unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}
