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
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/rest"
)

// cleanEvery is the time between two looks for records whose credentials have ended.
const cleanEvery = time.Hour

// keep tells list what is revoked, until ctx ends.
func keep(ctx context.Context, records *rest.Resource, list *auth.Revocations, log *slog.Logger) {
	follow.Keep(ctx, records, log, func(all []*v1alpha1.Credential) {
		var revoked []string
		for _, record := range all {
			if record.Spec.Revoked {
				revoked = append(revoked, record.Spec.ID)
			}
		}
		list.Set(revoked)
	})
}

// clean removes the records of what has ended, until ctx ends.
func clean(ctx context.Context, records *rest.Resource, log *slog.Logger) {
	for {
		if err := cleanOnce(ctx, records, time.Now()); err != nil && ctx.Err() == nil {
			log.Warn("remove the records of credentials that have ended; it is tried again", "error", err)
		}
		if wait.Sleep(ctx, cleanEvery) != nil {
			return
		}
	}
}

func cleanOnce(ctx context.Context, records *rest.Resource, now time.Time) error {
	all, _, err := follow.List[v1alpha1.Credential](ctx, records, "")
	if err != nil {
		return err
	}
	for i := range all {
		record := &all[i]
		if !over(record, now) {
			continue
		}
		only := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &record.UID}}
		if _, err := records.Delete.Delete(ctx, new(rest.Request), rest.Name{Name: record.Name}, only); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}
