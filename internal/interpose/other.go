//go:build !linux

package interpose

import (
	"errors"
	"os/exec"
)

// Program is not there on this system.
type Program struct{}

var errLinux = errors.New("system calls are stopped by seccomp, which only Linux has")

// Supported returns why programs can't be run so here.
func Supported() error { return errLinux }

// Start fails.
func Start(*exec.Cmd, []Rule) (*Program, error) { return nil, errLinux }

// Serve fails.
func (*Program) Serve(func(Call) Verdict) error { return errLinux }
