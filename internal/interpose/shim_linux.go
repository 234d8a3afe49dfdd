package interpose

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// shimEnv has the target of this process, as JSON.
const shimEnv = "TYPEPLANE_INTERPOSE"

// target is the program that a process shall become, with the filter of some rules, whose
// descriptor it sends through a socket.
type target struct {
	Socket int
	Rules  []Rule
	Path   string
}

// init makes a process that Start started into the program that it was told. It must be so early
// because no other thread may be there to make a call.
func init() {
	text := os.Getenv(shimEnv)
	if text == "" {
		return
	}
	runtime.LockOSThread()
	if err := become(text); err != nil {
		fmt.Fprintln(os.Stderr, "interpose:", err)
		os.Exit(1)
	}
}

func become(text string) error {
	os.Unsetenv(shimEnv)
	var to target
	if err := json.Unmarshal([]byte(text), &to); err != nil {
		return err
	}
	listener, err := filter(to.Rules)
	if err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	if err := unix.Sendmsg(to.Socket, []byte{0}, unix.UnixRights(listener), nil, 0); err != nil {
		return fmt.Errorf("send the filter's descriptor: %w", err)
	}
	unix.Close(to.Socket)
	return syscall.Exec(to.Path, os.Args, os.Environ())
}

// Where struct seccomp_data of linux/seccomp.h has the number of a call, and the lower half of its
// first argument on a little-endian machine.
const (
	offsetNumber = 0
	offsetFirst  = 16
)

// filter makes the kernel ask about the calls of some rules of this thread, and of what it becomes.
func filter(rules []Rule) (listener int, err error) {
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	unless := func(value uint32, skip uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: value, Jf: skip}
	}
	ask := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF}
	var code []unix.SockFilter
	for _, r := range rules {
		if r.Only {
			code = append(code, load(offsetNumber), unless(uint32(r.Number), 3), load(offsetFirst), unless(r.First, 1), ask)
		} else {
			code = append(code, load(offsetNumber), unless(uint32(r.Number), 1), ask)
		}
	}
	code = append(code, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
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

func shimTarget(socket int, rules []Rule, path string) (string, error) {
	text, err := json.Marshal(target{Socket: socket, Rules: rules, Path: path})
	return shimEnv + "=" + string(text), err
}
