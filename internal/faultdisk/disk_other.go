//go:build !linux

package faultdisk

import (
	"math/rand/v2"
	"os/exec"

	"github.com/typeplane/typeplane/internal/interpose"
)

// Disk is not there on this system.
type Disk struct{}

var errLinux = interpose.Supported()

// Supported returns why programs can't be run on a Disk here.
func Supported() error { return errLinux }

// New fails.
func New(string) (*Disk, error) { return nil, errLinux }

// Start fails.
func (*Disk) Start(*exec.Cmd) error { return errLinux }

// Fail does nothing.
func (*Disk) Fail(Fault) {}

// KillAt does nothing.
func (*Disk) KillAt(int) {}

// Cut fails.
func (*Disk) Cut(*rand.Rand) error { return errLinux }

// Unsynced is nothing.
func (*Disk) Unsynced() int { return 0 }
