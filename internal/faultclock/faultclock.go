// Package faultclock runs a Go program with a wrong clock: its time of day is off by as much as it
// is told, and may jump while the program runs. Timers, which are of another clock, are right. For
// tests only.
//
// Programs read the clock without a system call, from memory that the kernel shares with them.
// Prepare makes a copy of a program that does not find it. By package interpose the copy is then
// answered what time it is. Start at Clock. It needs Linux, as interpose does.
package faultclock

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// clockSymbol is the name by which Go's runtime looks for the clock in that memory.
const clockSymbol = "__vdso_clock_gettime"

// Prepare writes a copy of a program into a directory, and returns its path.
func Prepare(program, dir string) (string, error) {
	code, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	if !bytes.Contains(code, []byte(clockSymbol)) {
		return "", fmt.Errorf("faultclock: %s does not look for %s: is it a Go program for Linux?", program, clockSymbol)
	}
	blind := bytes.ReplaceAll(code, []byte(clockSymbol), bytes.Repeat([]byte{'-'}, len(clockSymbol)))
	copied := filepath.Join(dir, filepath.Base(program))
	return copied, os.WriteFile(copied, blind, 0o700)
}
