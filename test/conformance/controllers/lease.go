package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// theirs are the leases for which servers contend whose own loops keep namespaces, accounts, root
// certificates and quotas.
var theirs = []string{"typeplane-control", "typeplane-quota"}

// takeControl has the server's own loops stand by, as if another server led, and returns when they
// have.
func takeControl(ctx context.Context, client kubernetes.Interface) error {
	var longest time.Duration
	for _, name := range theirs {
		duration, err := takeLease(ctx, client.CoordinationV1().Leases("kube-system"), name)
		if err != nil {
			return fmt.Errorf("lease %s: %w; the server has to be on an etcd of its own process", name, err)
		}
		longest = max(longest, duration)
	}
	time.Sleep(longest)
	return nil
}

// takeLease takes a lease away from its holder, and returns how long that may take to notice: as
// long as the claim was good.
func takeLease(ctx context.Context, leases coordinationv1.LeaseInterface, name string) (time.Duration, error) {
	var before time.Duration
	err := eventually(ctx, func(ctx context.Context) error {
		lease, err := leases.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		spec := &lease.Spec
		if spec.HolderIdentity == nil || *spec.HolderIdentity == "" {
			return errors.New("nobody holds it")
		}
		before = time.Duration(*spec.LeaseDurationSeconds) * time.Second
		ours, hour, now := manager, int32(3600), metav1.NowMicro()
		spec.HolderIdentity, spec.LeaseDurationSeconds, spec.AcquireTime, spec.RenewTime = &ours, &hour, &now, &now
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
		return err
	})
	return before, err
}
