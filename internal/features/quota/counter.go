package quota

import (
	"context"
	"log/slog"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/rest"
)

// counter has quotas counted that nobody has counted: every quota once, and later those whose
// status does not fit. What was written while the plug-in was off, or before there was one, was
// charged to nobody; where it is on in every server, counting changes nothing.
//
// It counts nothing itself: it writes the status of a quota as it is, and the plug-in makes it
// exact in that write. One of the servers that share their objects is enough; more do no harm.
type counter struct {
	quotas, status rest.Resource // of v1
	log            *slog.Logger
}

// The attempts to count a quota, and the wait after the first one that fails; each is twice as long
// as the one before.
const (
	attempts   = 6
	firstPause = 200 * time.Millisecond
)

// run does that until ctx ends.
func (c *counter) run(ctx context.Context) {
	follow.Run(ctx, &c.quotas, "", c.log, follow.Handler[corev1.ResourceQuota]{
		Replace: func(all []corev1.ResourceQuota) {
			follow.Each(c.log, c.quotas.Name, all, func(q *corev1.ResourceQuota) { c.count(ctx, q) })
		},
		Changed: func(q *corev1.ResourceQuota) {
			if !isCounted(q) {
				c.count(ctx, q)
			}
		},
	})
}

// isCounted says whether the status is one that the plug-in has written.
func isCounted(q *corev1.ResourceQuota) bool {
	for name, hard := range q.Spec.Hard {
		limited, ok := q.Status.Hard[name]
		if _, used := q.Status.Used[name]; !ok || !used || limited.Cmp(hard) != 0 {
			return false
		}
	}
	return true
}

// count has q counted.
func (c *counter) count(ctx context.Context, q *corev1.ResourceQuota) {
	pause := firstPause
	for n := range attempts {
		err := c.write(ctx, q)
		switch {
		case err == nil || apierrors.IsNotFound(err) || ctx.Err() != nil:
			return
		case n == attempts-1:
			c.log.Warn("a quota could not be counted; a write of its status has it counted, as kubectl replace --subresource=status does",
				"namespace", q.Namespace, "quota", q.Name, "error", err)
			return
		}
		_ = wait.Sleep(ctx, pause)
		pause *= 2
	}
}

func (c *counter) write(ctx context.Context, q *corev1.ResourceQuota) error {
	bare := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: q.Namespace, Name: q.Name, UID: q.UID}, Status: q.Status}
	_, _, err := c.status.Update.Update(ctx, new(rest.Request), rest.Name{Namespace: q.Namespace, Name: q.Name}, bare, metav1.UpdateOptions{})
	return err
}
