package quota

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
)

// measureService adds what a service uses: ports of nodes, and of a load balancer's whatever it
// allocates.
func measureService(obj apiruntime.Object, to *usage) bool {
	service, ok := obj.(*corev1.Service)
	if !ok {
		return false
	}
	to.used[corev1.ResourceServices] = one()
	ports := len(service.Spec.Ports)
	switch service.Spec.Type {
	case corev1.ServiceTypeNodePort:
	case corev1.ServiceTypeLoadBalancer:
		to.used[corev1.ResourceServicesLoadBalancers] = one()
		if allocate := service.Spec.AllocateLoadBalancerNodePorts; allocate != nil && !*allocate {
			ports = 0
			for _, p := range service.Spec.Ports {
				if p.NodePort != 0 {
					ports++
				}
			}
		}
	default:
		ports = 0
	}
	if ports > 0 {
		to.used[corev1.ResourceServicesNodePorts] = *resource.NewQuantity(int64(ports), resource.DecimalSI)
	}
	return true
}

func serviceMeasures(name corev1.ResourceName) bool {
	return name == corev1.ResourceServices || strings.HasPrefix(string(name), "services.")
}

// ofClass is what stands between the name of a storage class and a resource that is limited for it.
const ofClass = ".storageclass.storage.k8s.io/"

// measureClaim adds what a claim uses, also of its storage class.
func measureClaim(obj apiruntime.Object, to *usage) bool {
	claim, ok := obj.(*corev1.PersistentVolumeClaim)
	if !ok {
		return false
	}
	to.claim = claim
	class := claimClass(claim)
	to.used[corev1.ResourcePersistentVolumeClaims] = one()
	if class != "" {
		to.used[corev1.ResourceName(class)+ofClass+corev1.ResourcePersistentVolumeClaims] = one()
	}
	size, ok := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	if !ok {
		return true
	}
	// One that was made smaller again while it grew still has what was allocated.
	if allocated, ok := claim.Status.AllocatedResources[corev1.ResourceStorage]; ok && allocated.Cmp(size) > 0 {
		size = allocated
	}
	size = size.DeepCopy()
	size.RoundUp(0) // the status of a quota has whole bytes
	to.used[corev1.ResourceRequestsStorage] = size
	if class != "" {
		to.used[corev1.ResourceName(class)+ofClass+corev1.ResourceRequestsStorage] = size
	}
	return true
}

func claimMeasures(name corev1.ResourceName) bool {
	return name == corev1.ResourcePersistentVolumeClaims || name == corev1.ResourceRequestsStorage || strings.Contains(string(name), ofClass)
}

func claimClass(claim *corev1.PersistentVolumeClaim) string {
	if class, ok := claim.Annotations[corev1.BetaStorageClassAnnotation]; ok {
		return class
	}
	if claim.Spec.StorageClassName != nil {
		return *claim.Spec.StorageClassName
	}
	return ""
}
