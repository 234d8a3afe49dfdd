package kuberules

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"

	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install" // the versions of the groups, with their defaults
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/resolver"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/flowschema"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/prioritylevelconfiguration"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
)

// strategy is what a kube-apiserver knows of a kind.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// kind is one that both serve. The objects that are made wrong are in testdata, in files of its
// resource's name and group.
type kind struct {
	schema.GroupVersionKind
	resource string
	cluster  bool // not in namespaces
	strategy strategy
	status   rest.RESTUpdateStrategy // nil: it has none
}

func gvk(group, version, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

var kinds = []kind{
	{gvk("", "v1", "Pod"), "pods", false, pod.Strategy, pod.StatusStrategy},
	{gvk("", "v1", "ReplicationController"), "replicationcontrollers", false, replicationcontroller.Strategy, replicationcontroller.StatusStrategy},
	{gvk("", "v1", "PersistentVolume"), "persistentvolumes", true, persistentvolume.Strategy, persistentvolume.StatusStrategy},
	{gvk("", "v1", "PersistentVolumeClaim"), "persistentvolumeclaims", false, persistentvolumeclaim.Strategy, persistentvolumeclaim.StatusStrategy},
	{gvk("", "v1", "Namespace"), "namespaces", true, namespace.Strategy, namespace.StatusStrategy},
	{gvk("", "v1", "Secret"), "secrets", false, secret.Strategy, nil},
	{gvk("", "v1", "ConfigMap"), "configmaps", false, configmap.Strategy, nil},
	{gvk("", "v1", "ServiceAccount"), "serviceaccounts", false, serviceaccount.Strategy, nil},
	{gvk("", "v1", "LimitRange"), "limitranges", false, limitrange.Strategy, nil},
	{gvk("", "v1", "ResourceQuota"), "resourcequotas", false, resourcequota.Strategy, resourcequota.StatusStrategy},
	{gvk("", "v1", "Event"), "events", false, event.Strategy, nil},
	{gvk("apps", "v1", "Deployment"), "deployments", false, deployment.Strategy, deployment.StatusStrategy},
	{gvk("autoscaling", "v2", "HorizontalPodAutoscaler"), "horizontalpodautoscalers", false, horizontalpodautoscaler.Strategy, horizontalpodautoscaler.StatusStrategy},
	{gvk("autoscaling", "v1", "HorizontalPodAutoscaler"), "horizontalpodautoscalers", false, horizontalpodautoscaler.Strategy, horizontalpodautoscaler.StatusStrategy},
	{gvk("coordination.k8s.io", "v1", "Lease"), "leases", false, lease.Strategy, nil},
	{gvk("flowcontrol.apiserver.k8s.io", "v1", "FlowSchema"), "flowschemas", true, flowschema.Strategy, flowschema.StatusStrategy},
	{gvk("flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration"), "prioritylevelconfigurations", true, prioritylevelconfiguration.Strategy, prioritylevelconfiguration.StatusStrategy},
	{gvk("rbac.authorization.k8s.io", "v1", "Role"), "roles", false, role.Strategy, nil},
	{gvk("rbac.authorization.k8s.io", "v1", "RoleBinding"), "rolebindings", false, rolebinding.Strategy, nil},
	{gvk("rbac.authorization.k8s.io", "v1", "ClusterRole"), "clusterroles", true, clusterrole.Strategy, nil},
	{gvk("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding"), "clusterrolebindings", true, clusterrolebinding.Strategy, nil},
	{gvk("storage.k8s.io", "v1", "StorageClass"), "storageclasses", true, storageclass.Strategy, nil},
	{gvk("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"), "mutatingwebhookconfigurations", true, mutatingwebhookconfiguration.Strategy, nil},
	{gvk("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration"), "validatingwebhookconfigurations", true, validatingwebhookconfiguration.Strategy, nil},
}

// policyKinds are those of module policy, which examples/kubernetes serves.
var policyKinds = []kind{
	{gvk("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy"), "mutatingadmissionpolicies", true, mutatingadmissionpolicy.NewStrategy(nil, nil), nil},
	{gvk("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicyBinding"), "mutatingadmissionpolicybindings", true, mutatingadmissionpolicybinding.NewStrategy(nil, nil, unresolved{}), nil},
	{gvk("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy"), "validatingadmissionpolicies", true, validatingPolicies, validatingadmissionpolicy.NewStatusStrategy(validatingPolicies)},
	{gvk("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding"), "validatingadmissionpolicybindings", true, validatingadmissionpolicybinding.NewStrategy(nil, nil, unresolved{}), nil},
}

var validatingPolicies = validatingadmissionpolicy.NewStrategy(nil, nil)

// unresolved is for strategies that want to know where objects of a kind are. Without an authorizer
// they never ask.
type unresolved struct{ resolver.ResourceResolver }
