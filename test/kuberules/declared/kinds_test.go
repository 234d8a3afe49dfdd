package declared

import (
	"context"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	theiradmissionregistration "k8s.io/kubernetes/pkg/apis/admissionregistration/v1"
	theirapps "k8s.io/kubernetes/pkg/apis/apps/v1"
	theirauthorization "k8s.io/kubernetes/pkg/apis/authorization/v1"
	theirautoscalingv1 "k8s.io/kubernetes/pkg/apis/autoscaling/v1"
	theirautoscaling "k8s.io/kubernetes/pkg/apis/autoscaling/v2"
	theirbatch "k8s.io/kubernetes/pkg/apis/batch/v1"
	theircertificates "k8s.io/kubernetes/pkg/apis/certificates/v1"
	theircoordination "k8s.io/kubernetes/pkg/apis/coordination/v1"
	theircore "k8s.io/kubernetes/pkg/apis/core/v1"
	theirdiscovery "k8s.io/kubernetes/pkg/apis/discovery/v1"
	theirevents "k8s.io/kubernetes/pkg/apis/events/v1"
	theirflowcontrol "k8s.io/kubernetes/pkg/apis/flowcontrol/v1"
	theirnetworking "k8s.io/kubernetes/pkg/apis/networking/v1"
	theirnode "k8s.io/kubernetes/pkg/apis/node/v1"
	theirpolicy "k8s.io/kubernetes/pkg/apis/policy/v1"
	theirrbac "k8s.io/kubernetes/pkg/apis/rbac/v1"
	theirresource "k8s.io/kubernetes/pkg/apis/resource/v1"
	theirscheduling "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	theirstorage "k8s.io/kubernetes/pkg/apis/storage/v1"
	theirstoragemigration "k8s.io/kubernetes/pkg/apis/storagemigration/v1"

	ourapps "github.com/typeplane/typeplane/examples/kubernetes/api/apps/v1"
	ourautoscalingv1 "github.com/typeplane/typeplane/examples/kubernetes/api/autoscaling/v1"
	ourautoscaling "github.com/typeplane/typeplane/examples/kubernetes/api/autoscaling/v2"
	ourbatch "github.com/typeplane/typeplane/examples/kubernetes/api/batch/v1"
	ourcore "github.com/typeplane/typeplane/examples/kubernetes/api/core/v1"
	ourdiscovery "github.com/typeplane/typeplane/examples/kubernetes/api/discovery/v1"
	ournetworking "github.com/typeplane/typeplane/examples/kubernetes/api/networking/v1"
	ournode "github.com/typeplane/typeplane/examples/kubernetes/api/node/v1"
	ourresource "github.com/typeplane/typeplane/examples/kubernetes/api/resource/v1"
	ourstorage "github.com/typeplane/typeplane/examples/kubernetes/api/storage/v1"
	ourcertificates "github.com/typeplane/typeplane/internal/features/certificates/v1"
	ourflowcontrol "github.com/typeplane/typeplane/internal/features/flowcontrol/v1"
	ourrbac "github.com/typeplane/typeplane/internal/features/rbac/v1"
	ourstorageclass "github.com/typeplane/typeplane/internal/features/storageclass/v1"
	ourpolicies "github.com/typeplane/typeplane/policy/kinds/v1"
)

// registrations are those of Kubernetes' generated functions, for all versions that are served.
var registrations = []func(*runtime.Scheme) error{
	theiradmissionregistration.RegisterValidations, theirapps.RegisterValidations, theirauthorization.RegisterValidations,
	theirautoscalingv1.RegisterValidations, theirautoscaling.RegisterValidations, theirbatch.RegisterValidations, theircertificates.RegisterValidations,
	theircoordination.RegisterValidations, theircore.RegisterValidations, theirdiscovery.RegisterValidations, theirevents.RegisterValidations,
	theirflowcontrol.RegisterValidations, theirnetworking.RegisterValidations, theirnode.RegisterValidations, theirpolicy.RegisterValidations,
	theirrbac.RegisterValidations, theirresource.RegisterValidations, theirscheduling.RegisterValidations, theirstorage.RegisterValidations,
	theirstoragemigration.RegisterValidations,
}

// kind is one with rules in tags that are in force.
type kind struct {
	name string
	// make is a new object, ours the function that gen has printed.
	make func() runtime.Object
	ours func(ctx context.Context, op operation.Operation, obj, old runtime.Object) field.ErrorList
}

// object is what *T has to be.
type object[T any] interface {
	*T
	runtime.Object
}

func of[T any, P object[T]](name string, validate func(context.Context, operation.Operation, *field.Path, *T, *T) field.ErrorList) kind {
	return kind{name, func() runtime.Object { return P(new(T)) }, func(ctx context.Context, op operation.Operation, obj, old runtime.Object) field.ErrorList {
		before, _ := old.(P)
		return validate(ctx, op, nil, obj.(P), before)
	}}
}

var kinds = []kind{
	of[appsv1.DaemonSet]("DaemonSet", ourapps.Validate_DaemonSet),
	of[appsv1.Deployment]("Deployment", ourapps.Validate_Deployment),
	of[appsv1.ReplicaSet]("ReplicaSet", ourapps.Validate_ReplicaSet),
	of[appsv1.StatefulSet]("StatefulSet", ourapps.Validate_StatefulSet),
	of[autoscalingv1.HorizontalPodAutoscaler]("HorizontalPodAutoscaler v1", ourautoscalingv1.Validate_HorizontalPodAutoscaler),
	of[autoscalingv2.HorizontalPodAutoscaler]("HorizontalPodAutoscaler", ourautoscaling.Validate_HorizontalPodAutoscaler),
	of[batchv1.CronJob]("CronJob", ourbatch.Validate_CronJob),
	of[batchv1.Job]("Job", ourbatch.Validate_Job),
	of[certificatesv1.CertificateSigningRequest]("CertificateSigningRequest", ourcertificates.Validate_CertificateSigningRequest),
	of[corev1.Node]("Node", ourcore.Validate_Node),
	of[corev1.PersistentVolumeClaim]("PersistentVolumeClaim", ourcore.Validate_PersistentVolumeClaim),
	of[corev1.Pod]("Pod", ourcore.Validate_Pod),
	of[corev1.PodTemplate]("PodTemplate", ourcore.Validate_PodTemplate),
	of[corev1.ReplicationController]("ReplicationController", ourcore.Validate_ReplicationController),
	of[discoveryv1.EndpointSlice]("EndpointSlice", ourdiscovery.Validate_EndpointSlice),
	of[flowcontrolv1.PriorityLevelConfiguration]("PriorityLevelConfiguration", ourflowcontrol.Validate_PriorityLevelConfiguration),
	of[networkingv1.IPAddress]("IPAddress", ournetworking.Validate_IPAddress),
	of[networkingv1.IngressClass]("IngressClass", ournetworking.Validate_IngressClass),
	of[networkingv1.NetworkPolicy]("NetworkPolicy", ournetworking.Validate_NetworkPolicy),
	of[nodev1.RuntimeClass]("RuntimeClass", ournode.Validate_RuntimeClass),
	of[rbacv1.ClusterRole]("ClusterRole", ourrbac.Validate_ClusterRole),
	of[rbacv1.ClusterRoleBinding]("ClusterRoleBinding", ourrbac.Validate_ClusterRoleBinding),
	of[rbacv1.Role]("Role", ourrbac.Validate_Role),
	of[rbacv1.RoleBinding]("RoleBinding", ourrbac.Validate_RoleBinding),
	of[resourcev1.DeviceClass]("DeviceClass", ourresource.Validate_DeviceClass),
	of[resourcev1.DeviceTaintRule]("DeviceTaintRule", ourresource.Validate_DeviceTaintRule),
	of[resourcev1.ResourceClaim]("ResourceClaim", ourresource.Validate_ResourceClaim),
	of[resourcev1.ResourceClaimTemplate]("ResourceClaimTemplate", ourresource.Validate_ResourceClaimTemplate),
	of[resourcev1.ResourceSlice]("ResourceSlice", ourresource.Validate_ResourceSlice),
	of[storagev1.StorageClass]("StorageClass", ourstorageclass.Validate_StorageClass),
	of[storagev1.VolumeAttachment]("VolumeAttachment", ourstorage.Validate_VolumeAttachment),
	of[admissionregistrationv1.ValidatingAdmissionPolicyBinding]("ValidatingAdmissionPolicyBinding", ourpolicies.Validate_ValidatingAdmissionPolicyBinding),
}

// options are those that the rules depend on; each object is judged with all of them on or off.
var options = []string{"HPAScaleToZero", "WorkloadWithJob", "InPlacePodVerticalScalingSchedulerPreemption", "DRAPartitionableDevicesType"}
