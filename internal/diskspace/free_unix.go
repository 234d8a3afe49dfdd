//go:build linux || darwin || freebsd

// Package diskspace says how much room there is on a disk.
package diskspace

import "syscall"

// Free is how many bytes of the disk under dir this process may still use.
func Free(dir string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(uint64(s.Bavail) * uint64(s.Bsize)), nil
}
