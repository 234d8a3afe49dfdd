//go:build unix && !linux

package etcdproc

import (
	"os/exec"
	"syscall"
)

// spawner starts processes. Other kernels than Linux do not tie them to this one: they end with
// Close only.
type spawner struct{}

func newSpawner() *spawner { return &spawner{} }

func (*spawner) start(cmd *exec.Cmd) error {
	// A group of its own keeps it from the terminal's Ctrl-C, which is for whoever started it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd.Start()
}

func (*spawner) close() {}
