package load

import "time"

// SetPatience is for tests that don't wait. What it returns takes it back.
func SetPatience(d time.Duration) (reset func()) {
	before := patience
	patience = d
	return func() { patience = before }
}
