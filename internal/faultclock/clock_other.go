//go:build !linux

package faultclock

import (
	"os/exec"
	"time"

	"github.com/typeplane/typeplane/internal/interpose"
)

// Clock is not there on this system.
type Clock struct{}

// Supported returns why programs can't be run by a Clock here.
func Supported() error { return interpose.Supported() }

// Set does nothing.
func (*Clock) Set(time.Duration) {}

// Asked is nothing.
func (*Clock) Asked() (int, error) { return 0, Supported() }

// Start fails.
func (*Clock) Start(*exec.Cmd) error { return Supported() }
