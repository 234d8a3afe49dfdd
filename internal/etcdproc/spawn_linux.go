package etcdproc

import (
	"os/exec"
	"runtime"
	"syscall"
)

// spawner starts processes that the kernel kills when this one ends, however that happens: a frozen
// etcd would stay for ever. The kernel watches the thread that started them, so there is one that
// does nothing else.
type spawner struct {
	starts chan func()
}

func newSpawner() *spawner {
	s := &spawner{starts: make(chan func())}
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine, and is nobody else's
		for start := range s.starts {
			start()
		}
	}()
	return s
}

func (s *spawner) start(cmd *exec.Cmd) error {
	// A group of its own keeps it from the terminal's Ctrl-C, which is for whoever started it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	done := make(chan error)
	s.starts <- func() { done <- cmd.Start() }
	return <-done
}

func (s *spawner) close() { close(s.starts) }
