package faultdisk

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// shimEnv names the program that this process shall become, and the descriptor of the socket to its
// Disk, as "fd:path".
const shimEnv = "TYPEPLANE_FAULTDISK"

// watched are the system calls that a Disk is asked about.
var watched = []uintptr{
	unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_WRITEV, unix.SYS_PWRITEV, unix.SYS_PWRITEV2,
	unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE,
}

// init makes a process that Disk.Start started into the program that it was told: with the filter,
// whose descriptor it sends to the Disk. It must be so early because no other thread may be there
// to write.
func init() {
	target := os.Getenv(shimEnv)
	if target == "" {
		return
	}
	runtime.LockOSThread()
	if err := become(target); err != nil {
		fmt.Fprintln(os.Stderr, "faultdisk:", err)
		os.Exit(1)
	}
}

func become(target string) error {
	os.Unsetenv(shimEnv)
	var socket int
	var path string
	if _, err := fmt.Sscanf(target, "%d:%s", &socket, &path); err != nil {
		return err
	}
	listener, err := filter()
	if err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	if err := unix.Sendmsg(socket, []byte{0}, unix.UnixRights(listener), nil, 0); err != nil {
		return fmt.Errorf("send the filter's descriptor: %w", err)
	}
	unix.Close(socket)
	return syscall.Exec(path, os.Args, os.Environ())
}

// filter makes the kernel ask about the watched calls of this thread, and of what it becomes.
func filter() (listener int, err error) {
	code := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}} // the number of the call
	for i, nr := range watched {
		code = append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(nr), Jt: uint8(len(watched) - i)})
	}
	code = append(code,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return 0, errno
	}
	return int(fd), nil
}

func shimTarget(socket int, path string) string {
	return shimEnv + "=" + strconv.Itoa(socket) + ":" + path
}
