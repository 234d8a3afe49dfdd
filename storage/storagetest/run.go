package storagetest

import (
	"context"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// Run runs the suite.
func Run(t *testing.T, factory Factory) {
	groups := []struct {
		name  string
		tests []namedTest
	}{
		{"Create", createTests}, {"Get", getTests}, {"List", listTests}, {"Count", countTests}, {"Update", updateTests},
		{"Delete", deleteTests}, {"Watch", watchTests}, {"Single", singleTests}, {"Match", matchTests}, {"Ops", opsTests},
		{"DeleteOps", deleteOpsTests}, {"Acts", actTests}, {"Known", knownTests}, {"Capability", capabilityTests},
		{"Form", formTests}, {"Keys", keyTests}, {"Lifetime", lifetimeTests}, {"Where", whereTests},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			for _, nt := range g.tests {
				t.Run(nt.name, func(t *testing.T) {
					b := factory(t)
					if b.ProgressWithin == 0 {
						b.ProgressWithin = 5 * time.Second
					}
					ctx, cancel := context.WithTimeout(context.Background(), 5*hangs)
					defer cancel()
					nt.run(&env{T: t, Backend: b, ctx: ctx, s: b.Open(storage.Form{})})
				})
			}
		})
	}
}
