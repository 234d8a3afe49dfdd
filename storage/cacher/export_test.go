package cacher

import "context"

// Take is one turn of t.
func Take(t *CheckLimiter, ctx context.Context, check func(context.Context)) { t.take(ctx, check) }
