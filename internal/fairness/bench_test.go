package fairness

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/typeplane/typeplane/auth"
)

// BenchmarkTurn is what a request costs that need not wait: of an administrator, whom the first
// schema is about, and of a user, whom only the last ones are about.
func BenchmarkTurn(b *testing.B) {
	for name, user := range map[string]*auth.User{
		"administrator": {Name: "admin", Groups: []string{auth.GroupMasters, auth.GroupAuthenticated}},
		"user":          {Name: "jane@example.com", Groups: []string{"readers", "writers", auth.GroupAuthenticated}},
	} {
		b.Run(name, func(b *testing.B) {
			c := New(600, prometheus.NewRegistry())
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				t := c.Classify(&Request{User: user, Verb: "get", IsResource: true, Group: "library.example.com", Resource: "books", Namespace: "default"})
				if err := t.Begin(ctx, Work{Seats: 1}, time.Second); err != nil {
					b.Fatal(err)
				}
				t.End()
			}
		})
	}
}
