package serve

import (
	"errors"
	"slices"
)

// closers undo what was opened.
type closers struct{ all []func() error }

// add takes what undoes the step that was just done.
func (c *closers) add(closer func() error) { c.all = append(c.all, closer) }

// count returns how many steps there are to undo.
func (c *closers) count() int { return len(c.all) }

// close undoes everything, the last first.
func (c *closers) close() error { return c.closeDownTo(0) }

// closeDownTo undoes all but the first n steps, the last first.
func (c *closers) closeDownTo(n int) error {
	var errs []error
	for _, closer := range slices.Backward(c.all[n:]) {
		errs = append(errs, closer())
	}
	c.all = c.all[:n]
	return errors.Join(errs...)
}
