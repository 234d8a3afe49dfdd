package serve

import (
	"errors"
	"slices"
)

// closers undo what was opened.
type closers struct{ all []func() error }

// add takes what undoes the step that was just done.
func (c *closers) add(closer func() error) { c.all = append(c.all, closer) }

// close undoes everything, the last first.
func (c *closers) close() error {
	var errs []error
	for _, closer := range slices.Backward(c.all) {
		errs = append(errs, closer())
	}
	c.all = nil
	return errors.Join(errs...)
}
