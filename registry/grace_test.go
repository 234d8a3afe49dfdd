package registry

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/internal/metadata"
)

// TestShorterGraceEndsNow covers a second deletion whose grace period is over already: its
// deletionTimestamp is the time of that deletion, because tokens of the object end after it.
func TestShorterGraceEndsNow(t *testing.T) {
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	was := int64(600)
	meta := &metav1.ObjectMeta{DeletionTimestamp: new(metav1.NewTime(begun.Add(600 * time.Second))), DeletionGracePeriodSeconds: &was}
	for _, tc := range []struct {
		after, asked, wantUntil, wantSeconds int64
		stays                                bool
	}{
		{after: 0, asked: 300, wantUntil: 300, wantSeconds: 300, stays: true},
		{after: 100, asked: 300, wantUntil: 300, wantSeconds: 300, stays: true},
		{after: 300, asked: 300, wantUntil: 300, wantSeconds: 300, stays: true},
		{after: 400, asked: 300, wantUntil: 400, wantSeconds: 1, stays: true},
		{after: 400, asked: 1, wantUntil: 400, wantSeconds: 1, stays: true},
		{after: 700, asked: 599, wantUntil: 700, wantSeconds: 1, stays: true},
		{after: 400, asked: 0, wantUntil: 400, wantSeconds: 0},
	} {
		now := begun.Add(time.Duration(tc.after) * time.Second)
		e := &endpoint{store: &store{metadata: metadata.Rules{Now: func() time.Time { return now }}}}
		g := e.shorterGrace(meta, &tc.asked)
		until := g.until.Sub(begun) / time.Second
		if g.stays != tc.stays || g.seconds != tc.wantSeconds || until != time.Duration(tc.wantUntil) {
			t.Errorf("%d s asked after %d s: %+v, until %d s", tc.asked, tc.after, g, until)
		}
	}
}
