package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// tick is the unit of CPU time in /proc; Linux shows it to programs as 1/100 s on every
// architecture.
const tick = 10 * time.Millisecond

// cpu is the time that a process has spent so far, in user mode and in the kernel, all threads
// together.
func cpu(pid int) (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The second field is the program's name in parentheses, which may hold anything.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	const user, system = 14 - 3, 15 - 3 // as proc(5) numbers them
	if len(fields) <= system {
		return 0, fmt.Errorf("/proc/%d/stat: %q", pid, data)
	}
	var ticks int64
	for _, field := range [][]byte{fields[user], fields[system]} {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick, nil
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
