package quota

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
)

// measureDevices adds the devices that a resource claim may get, by their classes.
func measureDevices(obj apiruntime.Object, to *usage) bool {
	claim, ok := obj.(*resourcev1.ResourceClaim)
	if !ok {
		return false
	}
	for _, request := range claim.Spec.Devices.Requests {
		most := map[string]int64{} // by class: of several choices, the one that takes most
		if exactly := request.Exactly; exactly != nil {
			most[exactly.DeviceClassName] = devices(exactly.AllocationMode, exactly.Count)
		}
		for _, choice := range request.FirstAvailable {
			most[choice.DeviceClassName] = max(most[choice.DeviceClassName], devices(choice.AllocationMode, choice.Count))
		}
		for class, n := range most {
			name := corev1.ResourceName(class + corev1.ResourceClaimsPerClass)
			amount := to.used[name]
			amount.Add(*resource.NewQuantity(n, resource.DecimalSI))
			to.used[name] = amount
		}
	}
	return true
}

// devices is how many devices a request may get. All that there are is as many as a claim can have;
// a mode that is not known counts for nothing, as in Kubernetes.
func devices(mode resourcev1.DeviceAllocationMode, count int64) int64 {
	switch mode {
	case resourcev1.DeviceAllocationModeExactCount:
		return count
	case resourcev1.DeviceAllocationModeAll:
		return resourcev1.AllocationResultsMaxSize
	}
	return 0
}

func devicesMeasure(name corev1.ResourceName) bool {
	return strings.HasSuffix(string(name), corev1.ResourceClaimsPerClass)
}
