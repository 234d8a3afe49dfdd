package main

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// cpu is the time that a process has spent so far, in user mode and in the kernel, all threads
// together. It is what /proc/PID/stat says, but not in steps of 10 ms.
func cpu(pid int) (time.Duration, error) {
	const scheduled = 2 // clock_getcpuclockid(3): what the scheduler has counted
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &t); err != nil {
		return 0, fmt.Errorf("the CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// resident is how much memory of a process is in RAM, in MiB.
func resident(pid int) (int, error) { return status(pid, "VmRSS") }

// status is a size that the kernel says of a process, in MiB.
func status(pid int, name string) (int, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(data) {
		var kib int
		if n, _ := fmt.Sscanf(string(line), name+": %d kB", &kib); n == 1 {
			return kib >> 10, nil
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no %s", pid, name)
}
