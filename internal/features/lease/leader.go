package lease

import (
	"context"
	"errors"
	"log/slog"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/rest"
)

// leaderConfig says what is contended for.
type leaderConfig struct {
	// Leases are those of coordination.k8s.io/v1.
	Leases *rest.Resource
	// Namespace and Name are those of the Lease.
	Namespace, Name string
	// Identity is the name of a candidate: no two processes have the same.
	Identity string
	// Duration is how long a claim is good; RenewEvery is how often it is renewed, or looked at by
	// those who wait. Zero: 15 s and 2 s.
	Duration, RenewEvery time.Duration
	Log                  *slog.Logger
}

// elect is the protocol of client-go's leader election, so that people see who leads with kubectl
// get leases. A server counts the age of a claim by its own clock, from when it first saw it:
// clocks need not agree. Whoever leads may have been overtaken for a moment without knowing: what
// it does has to bear that.
//
// It waits until this process leads, calls lead, whose context ends when it does not any more, and
// begins again when lead has returned; until ctx ends. It gives its claim back at the end.
func elect(ctx context.Context, c leaderConfig, lead func(context.Context)) {
	if c.Duration == 0 {
		c.Duration = 15 * time.Second
	}
	if c.RenewEvery == 0 {
		c.RenewEvery = 2 * time.Second
	}
	e := &election{leaderConfig: c}
	for ctx.Err() == nil {
		if !e.try(ctx) {
			_ = wait.Sleep(ctx, c.RenewEvery)
			continue
		}
		c.Log.Info("leading", "lease", c.Name, "identity", c.Identity)
		e.lead(ctx, lead)
	}
}

// election is what one process knows of a Lease.
type election struct {
	leaderConfig
	seen   coordinationv1.LeaseSpec // the claim as it was last seen,
	seenAt time.Time                // and since when
}

// lead runs the loops for as long as the claim is renewed in time.
func (e *election) lead(ctx context.Context, loops func(context.Context)) {
	leading, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		recovery.Loop(leading, e.Log, "leader", loops)
	}()
	renewed := time.Now()
	for leading.Err() == nil && time.Since(renewed) < e.Duration*2/3 {
		_ = wait.Sleep(leading, e.RenewEvery)
		if at := time.Now(); e.try(leading) {
			renewed = at
		}
	}
	stop()
	<-done
	if ctx.Err() != nil {
		e.release()
		return
	}
	e.Log.Warn("no longer leading", "lease", e.Name, "identity", e.Identity)
}

// try claims the lease, or renews the claim, and reports whether that worked. After a panic it did
// not, so this process does not lead with a claim that it can't read.
func (e *election) try(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, e.Duration/3)
	defer cancel()
	err := recovery.Call(e.Log, "leader", e.Name, func() error { return e.claim(ctx) })
	if err != nil && !errors.Is(err, errTaken) && !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) && ctx.Err() == nil {
		e.Log.Warn("claim a lease", "lease", e.Name, "error", err)
	}
	return err == nil
}

var errTaken = errors.New("somebody else leads")

func (e *election) claim(ctx context.Context) error {
	name := rest.Name{Namespace: e.Namespace, Name: e.Name}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: e.Name}}
	view, err := e.Leases.Get.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		e.write(lease)
		_, err = e.Leases.Create.Create(ctx, new(rest.Request), name, lease, metav1.CreateOptions{})
		return err
	}
	if err == nil {
		err = rest.Read(view, lease)
	}
	if err != nil {
		return err
	}
	if !e.free(&lease.Spec) {
		return errTaken
	}
	e.write(lease)
	_, _, err = e.Leases.Update.Update(ctx, new(rest.Request), name, lease, metav1.UpdateOptions{})
	return err
}

// free says whether the claim may be taken over.
func (e *election) free(spec *coordinationv1.LeaseSpec) bool {
	if holder(spec) != holder(&e.seen) || !spec.RenewTime.Equal(e.seen.RenewTime) {
		e.seen, e.seenAt = *spec.DeepCopy(), time.Now()
	}
	return holder(spec) == e.Identity || holder(spec) == "" || time.Since(e.seenAt) >= e.Duration
}

func holder(spec *coordinationv1.LeaseSpec) string {
	if spec.HolderIdentity == nil {
		return ""
	}
	return *spec.HolderIdentity
}

// write puts the claim into a lease.
func (e *election) write(lease *coordinationv1.Lease) {
	now, seconds := metav1.NowMicro(), max(1, int32(e.Duration/time.Second))
	if was := holder(&lease.Spec); was != e.Identity {
		changes := int32(0)
		if lease.Spec.LeaseTransitions != nil {
			changes = *lease.Spec.LeaseTransitions + 1
		}
		lease.Spec.AcquireTime, lease.Spec.LeaseTransitions = &now, &changes
	}
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds, lease.Spec.RenewTime = &e.Identity, &seconds, &now
}

// release lets the next one lead at once.
func (e *election) release() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	name, lease := rest.Name{Namespace: e.Namespace, Name: e.Name}, new(coordinationv1.Lease)
	view, err := e.Leases.Get.Get(ctx, name, metav1.GetOptions{})
	if err != nil || rest.Read(view, lease) != nil || holder(&lease.Spec) != e.Identity {
		return
	}
	nobody, second := "", int32(1)
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = &nobody, &second
	_, _, _ = e.Leases.Update.Update(ctx, new(rest.Request), name, lease, metav1.UpdateOptions{}) // else it ends by itself
}
