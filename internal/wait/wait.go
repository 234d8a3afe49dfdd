// Package wait sleeps until a time is over or a context ends.
package wait

import (
	"context"
	"time"
)

// Sleep returns nil after d, or the error of ctx as soon as that ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
