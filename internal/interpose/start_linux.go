package interpose

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supported returns why programs can't be run so here, nil if they can.
func Supported() error {
	action := uint32(unix.SECCOMP_RET_USER_NOTIF)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return fmt.Errorf("the kernel does not ask about system calls (seccomp): %w", errno)
	}
	return nil
}

// Program is one that runs. Until somebody serves it, it waits at the first call that a rule is
// about.
type Program struct{ listener int }

// Start starts a command. The binary that calls this is started first, and becomes the command's.
func Start(cmd *exec.Cmd, rules []Rule) (*Program, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "interpose")
	defer unix.Close(pair[0])
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	target, err := shimTarget(3+len(cmd.ExtraFiles), rules, cmd.Path)
	if err != nil {
		return nil, err
	}
	cmd.Env = append(cmd.Env, target)
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	cmd.Path = self
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return nil, err
	}
	listener, err := receive(pair[0])
	if err != nil {
		return nil, fmt.Errorf("interpose: the program was not started: %w", err)
	}
	return &Program{listener: listener}, nil
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
