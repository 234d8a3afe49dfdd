//go:build unix

package serve

import "syscall"

// descriptors is how many file descriptors this process may have; 0 if that is not known. The Go
// runtime has raised it to what is allowed.
func descriptors() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur)
}
