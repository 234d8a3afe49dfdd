// Package patch makes the next JSON of an object of its current one, as the three types of patches
// say it: JSON patches, merge patches and strategic merge patches. It knows no kinds and no stores.
// Apply patches are in package ownership.
package patch

import "fmt"

// Change makes the next JSON of an object of its current one. It may be used again, but by one
// goroutine. Its errors are a change's that does not fit the object, or API statuses.
type Change interface {
	Apply(current []byte) ([]byte, error)
}

// Apply applies a change. The libraries behind it are not above a panic when a patch is strange
// enough.
func Apply(c Change, current []byte) (next []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			next, err = nil, fmt.Errorf("it can't be applied: %v", r)
		}
	}()
	return c.Apply(current)
}
