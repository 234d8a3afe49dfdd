package credential

import (
	"context"
	"log/slog"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/credential/v1alpha1"
	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/rest"
)

// cleanEvery is the time between two looks for records whose credentials have ended.
const cleanEvery = time.Hour

// keep gives list the IDs of the revoked credentials, until ctx ends. A credential counts as
// revoked if reading its record panics.
func keep(ctx context.Context, records *rest.Resource, list *auth.Revocations, log *slog.Logger) {
	follow.Keep(ctx, records, log, func(all []*v1alpha1.Credential) {
		var revoked []string
		for _, record := range all {
			isRevoked := true
			_ = recovery.Object(log, records.Name, record.Name, func() { isRevoked = record.Spec.Revoked })
			if isRevoked {
				revoked = append(revoked, record.Spec.ID)
			}
		}
		list.Set(revoked)
	})
}

// clean removes the records of what has ended, until ctx ends.
func clean(ctx context.Context, records *rest.Resource, log *slog.Logger) {
	for {
		if err := cleanOnce(ctx, records, log, time.Now()); err != nil && ctx.Err() == nil {
			log.Warn("remove the records of credentials that have ended; it is tried again", "error", err)
		}
		if wait.Sleep(ctx, cleanEvery) != nil {
			return
		}
	}
}

func cleanOnce(ctx context.Context, records *rest.Resource, log *slog.Logger, now time.Time) error {
	all, _, err := follow.List[v1alpha1.Credential](ctx, records, "")
	if err != nil {
		return err
	}
	for i := range all {
		record := &all[i]
		ended := false
		if recovery.Object(log, records.Name, record.Name, func() { ended = over(record, now) }) != nil || !ended {
			continue
		}
		only := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &record.UID}}
		if _, err := records.Delete.Delete(ctx, new(rest.Request), rest.Name{Name: record.Name}, only); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}
