package kuberules

import (
	"context"

	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/kubernetes/fake"

	_ "k8s.io/kubernetes/pkg/apis/batch/install" // the versions of the groups, with their defaults
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/certificates/certificates"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/ipaddress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/networking/servicecidr"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattributesclass"
)

// kindsOfKubernetes are those of examples/kubernetes that examples/cluster does not serve.
var kindsOfKubernetes = []kind{
	{gvk("", "v1", "Endpoints"), "endpoints", false, endpoint.Strategy, nil},
	{gvk("", "v1", "Node"), "nodes", true, node.Strategy, node.StatusStrategy},
	{gvk("", "v1", "PodTemplate"), "podtemplates", false, podtemplate.Strategy, nil},
	{gvk("", "v1", "Service"), "services", false, service.Strategy, service.StatusStrategy},
	{gvk("apps", "v1", "ControllerRevision"), "controllerrevisions", false, controllerrevision.Strategy, nil},
	{gvk("apps", "v1", "DaemonSet"), "daemonsets", false, daemonset.Strategy, daemonset.StatusStrategy},
	{gvk("apps", "v1", "ReplicaSet"), "replicasets", false, replicaset.Strategy, replicaset.StatusStrategy},
	{gvk("apps", "v1", "StatefulSet"), "statefulsets", false, statefulset.Strategy, statefulset.StatusStrategy},
	{gvk("batch", "v1", "CronJob"), "cronjobs", false, cronjob.Strategy, cronjob.StatusStrategy},
	{gvk("batch", "v1", "Job"), "jobs", false, job.Strategy, job.StatusStrategy},
	{gvk("certificates.k8s.io", "v1", "CertificateSigningRequest"), "certificatesigningrequests", true, certificates.Strategy, certificates.StatusStrategy},
	{gvk("discovery.k8s.io", "v1", "EndpointSlice"), "endpointslices", false, endpointslice.Strategy, nil},
	{gvk("networking.k8s.io", "v1", "IPAddress"), "ipaddresses", true, ipaddress.Strategy, nil},
	{gvk("networking.k8s.io", "v1", "Ingress"), "ingresses", false, ingress.Strategy, ingress.StatusStrategy},
	{gvk("networking.k8s.io", "v1", "IngressClass"), "ingressclasses", true, ingressclass.Strategy, nil},
	{gvk("networking.k8s.io", "v1", "NetworkPolicy"), "networkpolicies", false, networkpolicy.Strategy, nil},
	{gvk("networking.k8s.io", "v1", "ServiceCIDR"), "servicecidrs", true, servicecidr.Strategy, servicecidr.StatusStrategy},
	{gvk("node.k8s.io", "v1", "RuntimeClass"), "runtimeclasses", true, runtimeclass.Strategy, nil},
	{gvk("policy", "v1", "PodDisruptionBudget"), "poddisruptionbudgets", false, poddisruptionbudget.Strategy, poddisruptionbudget.StatusStrategy},
	{gvk("resource.k8s.io", "v1", "DeviceClass"), "deviceclasses", true, deviceclass.Strategy, nil},
	{gvk("resource.k8s.io", "v1", "ResourceClaim"), "resourceclaims", false, claims, resourceclaim.NewStatusStrategy(claims)},
	{gvk("resource.k8s.io", "v1", "ResourceClaimTemplate"), "resourceclaimtemplates", false, resourceclaimtemplate.NewStrategy(namespaces), nil},
	{gvk("resource.k8s.io", "v1", "ResourceSlice"), "resourceslices", true, resourceslice.Strategy, nil},
	{gvk("scheduling.k8s.io", "v1", "PriorityClass"), "priorityclasses", true, priorityclass.Strategy, nil},
	{gvk("storage.k8s.io", "v1", "CSIDriver"), "csidrivers", true, csidriver.Strategy, nil},
	{gvk("storage.k8s.io", "v1", "CSINode"), "csinodes", true, csinode.Strategy, nil},
	{gvk("storage.k8s.io", "v1", "CSIStorageCapacity"), "csistoragecapacities", false, csistoragecapacity.Strategy, nil},
	{gvk("storage.k8s.io", "v1", "VolumeAttachment"), "volumeattachments", true, volumeattachment.Strategy, volumeattachment.StatusStrategy},
	{gvk("storage.k8s.io", "v1", "VolumeAttributesClass"), "volumeattributesclasses", true, volumeattributesclass.Strategy, nil},
}

// Some strategies ask the server: whether a namespace may use devices as an administrator does, and
// whether the user may write what a driver writes.
var (
	namespaces = fake.NewClientset().CoreV1().Namespaces()
	claims     = resourceclaim.NewStrategy(namespaces, allowed{})
)

// allowed lets everybody do everything.
type allowed struct {
	authorizer.UnconditionalAuthorizer
}

func (allowed) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}
