package metadata

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/wire"
)

// What happens to the objects that an object owns is the garbage collector's work, in this server
// (internal/features/garbage) or beside it. It is told by two finalizers, which it takes off when
// it is done. So a deletion adds them only if a collector runs (Options.Collected): an object would
// stay for ever else.

// FinalizersAfter returns the finalizers that an object has once a deletion has said what happens
// to its dependents; changed says whether they are other ones than before. The rules are those of
// Kubernetes: what the request says counts, then a finalizer that is there already, and then what
// the kind says, which is whether they become orphans.
func FinalizersAfter(meta wire.Meta, opts metav1.DeleteOptions, byDefault bool) (after []string, changed bool) {
	before := slices.Collect(meta.Finalizers())
	isNot := func(f string) bool {
		return f != metav1.FinalizerOrphanDependents && f != metav1.FinalizerDeleteDependents
	}
	for _, f := range before {
		if isNot(f) {
			after = append(after, f)
		}
	}
	goFirst := slices.Contains(before, metav1.FinalizerDeleteDependents)
	switch {
	case orphans(opts, slices.Contains(before, metav1.FinalizerOrphanDependents) || byDefault && !goFirst):
		after = append(after, metav1.FinalizerOrphanDependents)
	case foreground(opts, goFirst):
		after = append(after, metav1.FinalizerDeleteDependents)
	}
	return after, !slices.Equal(slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(after)))
}

// orphans says whether the dependents shall lose their owner and stay.
func orphans(opts metav1.DeleteOptions, already bool) bool {
	switch {
	//lint:ignore SA1019 clients of long ago still send it
	case opts.OrphanDependents != nil:
		//lint:ignore SA1019 as above
		return *opts.OrphanDependents
	case opts.PropagationPolicy != nil:
		return *opts.PropagationPolicy == metav1.DeletePropagationOrphan
	}
	return already
}

// foreground says whether the dependents shall go first.
func foreground(opts metav1.DeleteOptions, already bool) bool {
	switch {
	//lint:ignore SA1019 as above
	case opts.OrphanDependents != nil:
		return false
	case opts.PropagationPolicy != nil:
		return *opts.PropagationPolicy == metav1.DeletePropagationForeground
	}
	return already
}
