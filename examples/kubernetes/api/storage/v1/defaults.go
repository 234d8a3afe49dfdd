package v1

import (
	storagev1 "k8s.io/api/storage/v1"

	"github.com/typeplane/typeplane/examples/kubernetes/api/internal/absent"
)

// SetDefaults_CSIDriverSpec attaches volumes that outlive pods, and asks the driver for nothing
// else.
func SetDefaults_CSIDriverSpec(in *storagev1.CSIDriverSpec) {
	absent.Set(&in.AttachRequired, true)
	absent.Set(&in.FSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)
	for _, wanted := range []**bool{&in.PodInfoOnMount, &in.StorageCapacity, &in.RequiresRepublish, &in.SELinuxMount, &in.PreventPodSchedulingIfMissing} {
		absent.Set(wanted, false)
	}
	if len(in.VolumeLifecycleModes) == 0 {
		in.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent}
	}
}
