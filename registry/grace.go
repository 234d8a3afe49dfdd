package registry

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime"
)

// grace is what a deletion means for an object of a kind that has a time of grace.
type grace struct {
	// stays says that the object is not to be removed now; waits that it has its time already,
	// which this deletion does not change.
	stays, waits bool
	// seconds and until are the new time, where stays is set and waits is not.
	seconds int64
	until   metav1.Time
	// finalizers are those that the deletion gives the object; nil leaves it those that it has.
	finalizers *[]string
}

// inGrace says whether an object that is being deleted still has time.
func inGrace(meta *metav1.ObjectMeta) bool {
	return meta.DeletionGracePeriodSeconds != nil && *meta.DeletionGracePeriodSeconds > 0
}

// graceOf decides what a deletion means for a stored object, which is not modified. The rules are
// those of Kubernetes.
func (e *endpoint) graceOf(ctx context.Context, hub runtime.Object, opts metav1.DeleteOptions) (grace, error) {
	check, meta := e.def.Strategy.Deletion.CheckGracefulDelete, runtime.Meta(hub)
	if check == nil {
		return grace{}, nil
	}
	opts.GracePeriodSeconds = possible(opts.GracePeriodSeconds)
	if meta.DeletionTimestamp != nil {
		return e.shorterGrace(meta, opts.GracePeriodSeconds), nil
	}
	if !check(ctx, e.deepCopy(hub), &opts) {
		return grace{}, nil
	}
	if opts.GracePeriodSeconds == nil {
		return grace{}, apierrors.NewInternalError(errors.New("the strategy's CheckGracefulDelete left gracePeriodSeconds open"))
	}
	seconds := *possible(opts.GracePeriodSeconds)
	until := metav1.NewTime(e.metadata.Timestamp().Add(time.Duration(seconds) * time.Second))
	return grace{stays: seconds > 0, seconds: seconds, until: until}, nil
}

// longestGrace is a hundred years, in seconds. After three hundred a time.Duration runs over, and
// the object would go at once.
const longestGrace = 100 * 365 * 24 * 3600

// possible is a time that was asked for; a negative one is a second.
func possible(seconds *int64) *int64 {
	switch {
	case seconds == nil:
		return nil
	case *seconds < 0:
		return new(int64(1))
	case *seconds > longestGrace:
		return new(int64(longestGrace))
	}
	return seconds
}

// shorterGrace is graceOf for an object that is being deleted already. asked is nil if the client
// does not say how long.
func (e *endpoint) shorterGrace(meta *metav1.ObjectMeta, asked *int64) grace {
	switch {
	case !inGrace(meta):
		return grace{} // its time is over: somebody was to remove it and did not come to it
	case asked == nil || *asked >= *meta.DeletionGracePeriodSeconds:
		return grace{stays: true, waits: true}
	}
	seconds, now := *asked, e.metadata.Timestamp()
	begun := meta.DeletionTimestamp.Add(-time.Duration(*meta.DeletionGracePeriodSeconds) * time.Second)
	until := metav1.NewTime(begun.Add(time.Duration(seconds) * time.Second))
	if until.Before(&now) {
		until = now
		// It was to have some time, so whoever looks after it gets to see that it is over.
		seconds = min(seconds, 1)
	}
	return grace{stays: seconds > 0, seconds: seconds, until: until}
}

func (s *store) held(hub runtime.Object) bool {
	return s.def.Strategy.Deletion.Held != nil && s.def.Strategy.Deletion.Held(hub)
}
