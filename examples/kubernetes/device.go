package kubernetes

import (
	"context"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ResourceSliceStrategy holds what is special about devices: their taints say since when they are
// there.
type ResourceSliceStrategy struct{}

func (ResourceSliceStrategy) PrepareForCreate(_ context.Context, slice *resourcev1.ResourceSlice) {
	for i := range slice.Spec.Devices {
		taints := slice.Spec.Devices[i].Taints
		for j := range taints {
			begin(&taints[j])
		}
	}
}

func (s ResourceSliceStrategy) PrepareForUpdate(ctx context.Context, slice, _ *resourcev1.ResourceSlice) {
	s.PrepareForCreate(ctx, slice)
}

// DeviceTaintRuleStrategy holds what is special about taints that are put on devices.
type DeviceTaintRuleStrategy struct{}

func (DeviceTaintRuleStrategy) PrepareForCreate(_ context.Context, rule *resourcev1.DeviceTaintRule) {
	begin(&rule.Spec.Taint)
}

// PrepareForUpdate has a taint with another effect begin anew, unless its author says when it
// began.
func (DeviceTaintRuleStrategy) PrepareForUpdate(_ context.Context, rule, old *resourcev1.DeviceTaintRule) {
	taint, was := &rule.Spec.Taint, &old.Spec.Taint
	if taint.Effect != was.Effect && taint.TimeAdded.Equal(was.TimeAdded) {
		taint.TimeAdded = nil
	}
	begin(taint)
}

// begin says that a taint is there from now on, if nobody says since when. It is no default, since
// what is stored would have another one each time that it is read.
func begin(taint *resourcev1.DeviceTaint) {
	if taint.TimeAdded == nil {
		taint.TimeAdded = new(metav1.NewTime(time.Now().Truncate(time.Second)))
	}
}
