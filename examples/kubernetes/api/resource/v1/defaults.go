package v1

import (
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/typeplane/typeplane/examples/kubernetes/api/internal/absent"
)

// SetDefaults_ExactDeviceRequest asks for one device.
func SetDefaults_ExactDeviceRequest(in *resourcev1.ExactDeviceRequest) {
	setCount(&in.AllocationMode, &in.Count)
}

// SetDefaults_DeviceSubRequest asks for one device.
func SetDefaults_DeviceSubRequest(in *resourcev1.DeviceSubRequest) {
	setCount(&in.AllocationMode, &in.Count)
}

func setCount(mode *resourcev1.DeviceAllocationMode, count *int64) {
	absent.Fill(mode, resourcev1.DeviceAllocationModeExactCount)
	if *mode == resourcev1.DeviceAllocationModeExactCount {
		absent.Fill(count, 1)
	}
}
