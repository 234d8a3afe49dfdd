//go:build !(linux || darwin || freebsd)

// Package diskspace says how much room there is on a disk.
package diskspace

import "errors"

// Free is not known here.
func Free(string) (int64, error) { return 0, errors.ErrUnsupported }
