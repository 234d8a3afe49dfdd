package quota

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/quantity"
	"github.com/typeplane/typeplane/storage"
)

// named is a resource without objects.
type named []schema.GroupResource

func (n named) Names() []schema.GroupResource { return n }
func (named) List(context.Context, string, storage.ListOptions) (storage.Page, error) {
	return storage.Page{}, nil
}
func (named) Decode(storage.Entry) (apiruntime.Object, error)      { return nil, nil }
func (named) Replace(apiruntime.Object, int64) (storage.Op, error) { return storage.Op{}, nil }
func kindOf(group, plural string) *kind                            { return newKind(named{{Group: group, Resource: plural}}) }
func container(name string, requests, limits string) corev1.Container {
	return corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: amounts(requests), Limits: amounts(limits)}}
}

// amounts reads "cpu=1,memory=2Gi".
func amounts(text string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for part := range strings.SplitSeq(text, ",") {
		if name, amount, ok := strings.Cut(part, "="); ok {
			list[corev1.ResourceName(name)] = resource.MustParse(amount)
		}
	}
	return list
}

func podWith(change func(*corev1.Pod), containers ...corev1.Container) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p"}, Spec: corev1.PodSpec{Containers: containers}}
	if change != nil {
		change(pod)
	}
	return pod
}

func TestUsage(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	sidecar := func(requests string) corev1.Container {
		c := container("side", requests, "")
		c.RestartPolicy = &always
		return c
	}
	service := func(kind corev1.ServiceType, allocate bool, nodePorts ...int32) *corev1.Service {
		s := &corev1.Service{Spec: corev1.ServiceSpec{Type: kind}}
		if !allocate {
			s.Spec.AllocateLoadBalancerNodePorts = &allocate
		}
		for _, p := range nodePorts {
			s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{NodePort: p})
		}
		return s
	}
	claim := func(class, size, allocated string) *corev1.PersistentVolumeClaim {
		c := &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{Resources: corev1.VolumeResourceRequirements{Requests: amounts(size)}}}
		if class != "" {
			c.Spec.StorageClassName = &class
		}
		c.Status.AllocatedResources = amounts(allocated)
		return c
	}
	for name, tc := range map[string]struct {
		kind *kind
		obj  apiruntime.Object
		want string
	}{
		"anything": {kindOf("apps", "deployments"), nil, "count/deployments.apps=1"},
		"of two groups": {newKind(named{{Group: "networking.k8s.io", Resource: "ingresses"}, {Group: "extensions", Resource: "ingresses"}}), nil,
			"count/ingresses.extensions=1,count/ingresses.networking.k8s.io=1"},
		"a secret":                  {kindOf("", "secrets"), &corev1.Secret{}, "count/secrets=1,secrets=1"},
		"an event of another group": {kindOf("example.com", "secrets"), nil, "count/secrets.example.com=1"},
		"a pod of nothing":          {kindOf("", "pods"), podWith(nil), "count/pods=1,pods=1"},
		"a pod that can't be read":  {kindOf("", "pods"), nil, "count/pods=1,pods=1"},
		"containers add up": {kindOf("", "pods"), podWith(nil, container("a", "cpu=1,memory=1Gi", "cpu=2"), container("b", "cpu=500m", "cpu=1,memory=2Gi")),
			"count/pods=1,cpu=1500m,limits.cpu=3,limits.memory=2Gi,memory=1Gi,pods=1,requests.cpu=1500m,requests.memory=1Gi"},
		"an init container that needs more": {kindOf("", "pods"), podWith(func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{container("i", "cpu=3,memory=1Mi", "")}
		}, container("a", "cpu=1,memory=1Gi", "")), "count/pods=1,cpu=3,memory=1Gi,pods=1,requests.cpu=3,requests.memory=1Gi"},
		"sidecars run on": {kindOf("", "pods"), podWith(func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{container("i", "cpu=2", ""), sidecar("cpu=1"), container("j", "cpu=3", "")}
		}, container("a", "cpu=1", "")), "count/pods=1,cpu=4,pods=1,requests.cpu=4"},
		"overhead": {kindOf("", "pods"), podWith(func(p *corev1.Pod) { p.Spec.Overhead = amounts("cpu=100m,memory=1Mi") }, container("a", "cpu=1", "cpu=2")),
			"count/pods=1,cpu=1100m,limits.cpu=2100m,memory=1Mi,pods=1,requests.cpu=1100m,requests.memory=1Mi"},
		"overhead without a limit": {kindOf("", "pods"), podWith(func(p *corev1.Pod) { p.Spec.Overhead = amounts("cpu=100m,memory=1Mi") }, container("a", "", "cpu=0")),
			"count/pods=1,cpu=100m,limits.cpu=0,memory=1Mi,pods=1,requests.cpu=100m,requests.memory=1Mi"},
		"what the pod as a whole says": {kindOf("", "pods"), podWith(func(p *corev1.Pod) {
			p.Spec.Resources = &corev1.ResourceRequirements{Requests: amounts("cpu=5"), Limits: amounts("memory=1Gi")}
		}, container("a", "cpu=1,memory=1Mi", "")), "count/pods=1,cpu=5,limits.memory=1Gi,memory=1Mi,pods=1,requests.cpu=5,requests.memory=1Mi"},
		"disk, huge pages, devices": {kindOf("", "pods"), podWith(nil, container("a", "ephemeral-storage=1Gi,hugepages-2Mi=4Mi,example.com/gpu=2,kubernetes.io/x=1", "ephemeral-storage=2Gi,example.com/gpu=2")),
			"count/pods=1,ephemeral-storage=1Gi,hugepages-2Mi=4Mi,limits.ephemeral-storage=2Gi,pods=1,requests.ephemeral-storage=1Gi,requests.example.com/gpu=2,requests.hugepages-2Mi=4Mi"},
		"a pod that has failed":   {kindOf("", "pods"), podWith(func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, container("a", "cpu=1", "")), "count/pods=1"},
		"a pod that is done":      {kindOf("", "pods"), podWith(func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }, container("a", "cpu=1", "")), "count/pods=1"},
		"a service":               {kindOf("", "services"), service(corev1.ServiceTypeClusterIP, true, 0, 0), "count/services=1,services=1"},
		"ports of nodes":          {kindOf("", "services"), service(corev1.ServiceTypeNodePort, true, 0, 0), "count/services=1,services.nodeports=2,services=1"},
		"a load balancer":         {kindOf("", "services"), service(corev1.ServiceTypeLoadBalancer, true, 0, 0), "count/services=1,services.loadbalancers=1,services.nodeports=2,services=1"},
		"one without node ports":  {kindOf("", "services"), service(corev1.ServiceTypeLoadBalancer, false, 0, 0), "count/services=1,services.loadbalancers=1,services=1"},
		"one with a port by hand": {kindOf("", "services"), service(corev1.ServiceTypeLoadBalancer, false, 0, 30000), "count/services=1,services.loadbalancers=1,services.nodeports=1,services=1"},
		"a claim":                 {kindOf("", "persistentvolumeclaims"), claim("", "storage=1Gi", ""), "count/persistentvolumeclaims=1,persistentvolumeclaims=1,requests.storage=1Gi"},
		"part of a byte": {kindOf("", "persistentvolumeclaims"), claim("gold", "storage=1500m", "storage=1700m"),
			"count/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/requests.storage=2,persistentvolumeclaims=1,requests.storage=2"},
		"a claim of devices": {kindOf("resource.k8s.io", "resourceclaims"), devicesOf(
			resourcev1.DeviceRequest{Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gold", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 2}},
			resourcev1.DeviceRequest{Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "lead", AllocationMode: resourcev1.DeviceAllocationModeAll}},
			resourcev1.DeviceRequest{FirstAvailable: []resourcev1.DeviceSubRequest{
				{DeviceClassName: "gold", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1},
				{DeviceClassName: "gold", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 3},
				{DeviceClassName: "tin", AllocationMode: "Later", Count: 9},
			}}), "count/resourceclaims.resource.k8s.io=1,gold.deviceclass.resource.k8s.io/devices=5,lead.deviceclass.resource.k8s.io/devices=32,tin.deviceclass.resource.k8s.io/devices=0"},
		"devices that can't be read": {kindOf("resource.k8s.io", "resourceclaims"), nil, "count/resourceclaims.resource.k8s.io=1"},
		"a claim of a class": {kindOf("", "persistentvolumeclaims"), claim("gold", "storage=1Gi", "storage=2Gi"),
			"count/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/requests.storage=2Gi,persistentvolumeclaims=1,requests.storage=2Gi"},
	} {
		t.Run(name, func(t *testing.T) {
			used := tc.kind.use(tc.obj).used
			if got := shown(used, quantity.SortedNames(used)); !slices.Equal(sortedParts(got), sortedParts(tc.want)) {
				t.Errorf("uses %s\nwant %s", got, tc.want)
			}
			for _, name := range quantity.SortedNames(used) {
				if !tc.kind.gives(name) {
					t.Errorf("a quota of %s alone would not count it", name)
				}
			}
		})
	}
}

func devicesOf(requests ...resourcev1.DeviceRequest) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: requests}}}
}

func sortedParts(list string) []string { return slices.Sorted(strings.SplitSeq(list, ",")) }

func TestScopes(t *testing.T) {
	deadline := int64(5)
	exists := func(scope corev1.ResourceQuotaScope) corev1.ScopedResourceSelectorRequirement {
		return corev1.ScopedResourceSelectorRequirement{ScopeName: scope, Operator: corev1.ScopeSelectorOpExists}
	}
	class := func(op corev1.ScopeSelectorOperator, values ...string) corev1.ScopedResourceSelectorRequirement {
		return corev1.ScopedResourceSelectorRequirement{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: op, Values: values}
	}
	plain, busy := podWith(nil, container("a", "", "")), podWith(nil, container("a", "cpu=1", ""))
	high := podWith(func(p *corev1.Pod) { p.Spec.PriorityClassName = "high" })
	ends := podWith(func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = &deadline })
	far := podWith(func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{PodAffinityTerm: corev1.PodAffinityTerm{Namespaces: []string{"x"}}}}}}
	})
	gold := "gold"
	claim := &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{VolumeAttributesClassName: &gold}}
	golden := corev1.ScopedResourceSelectorRequirement{ScopeName: corev1.ResourceQuotaScopeVolumeAttributesClass, Operator: corev1.ScopeSelectorOpIn, Values: []string{"gold"}}
	whole := podWith(func(p *corev1.Pod) { p.Spec.Resources = &corev1.ResourceRequirements{Requests: amounts("memory=0")} }, container("a", "cpu=1", ""))
	for name, tc := range map[string]struct {
		scope   corev1.ScopedResourceSelectorRequirement
		in, out []apiruntime.Object
	}{
		"Terminating":    {exists(corev1.ResourceQuotaScopeTerminating), []apiruntime.Object{ends}, []apiruntime.Object{plain, claim}},
		"NotTerminating": {exists(corev1.ResourceQuotaScopeNotTerminating), []apiruntime.Object{plain}, []apiruntime.Object{ends, claim}},
		"BestEffort":     {exists(corev1.ResourceQuotaScopeBestEffort), []apiruntime.Object{plain, high, whole}, []apiruntime.Object{busy}},
		"NotBestEffort":  {exists(corev1.ResourceQuotaScopeNotBestEffort), []apiruntime.Object{busy}, []apiruntime.Object{plain}},
		"of any class":   {class(corev1.ScopeSelectorOpExists), []apiruntime.Object{high}, []apiruntime.Object{plain}},
		"of no class":    {class(corev1.ScopeSelectorOpDoesNotExist), []apiruntime.Object{plain}, []apiruntime.Object{high}},
		"of a class":     {class(corev1.ScopeSelectorOpIn, "low", "high"), []apiruntime.Object{high}, []apiruntime.Object{plain}},
		"of another":     {class(corev1.ScopeSelectorOpNotIn, "high"), []apiruntime.Object{plain}, []apiruntime.Object{high}},
		"far away":       {exists(corev1.ResourceQuotaScopeCrossNamespacePodAffinity), []apiruntime.Object{far}, []apiruntime.Object{plain}},
		"of attributes":  {golden, []apiruntime.Object{claim}, []apiruntime.Object{plain, &corev1.PersistentVolumeClaim{}}},
		"unknown":        {exists("Blue"), nil, []apiruntime.Object{plain, claim}},
	} {
		t.Run(name, func(t *testing.T) {
			q := quota{ResourceQuota: &corev1.ResourceQuota{}}
			q.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{tc.scope}}
			for _, obj := range tc.in {
				if !q.matches(usageOf(obj)) {
					t.Errorf("%+v is not in it", obj)
				}
			}
			for _, obj := range tc.out {
				if q.matches(usageOf(obj)) {
					t.Errorf("%+v is in it", obj)
				}
			}
		})
	}
}

func usageOf(obj apiruntime.Object) *usage {
	if _, ok := obj.(*corev1.Pod); ok {
		return kindOf("", "pods").use(obj)
	}
	return kindOf("", "persistentvolumeclaims").use(obj)
}

// TestDecisions is about one quota and one write; used is what the quota says afterwards.
func TestDecisions(t *testing.T) {
	pods := kindOf("", "pods")
	create := func(pod *corev1.Pod) change {
		return pods.change(&admission.Request{Operation: admission.Create, Object: pod})
	}
	update := func(old, pod *corev1.Pod) change {
		return pods.change(&admission.Request{Operation: admission.Update, Old: old, Object: pod})
	}
	remove := func(old *corev1.Pod) change {
		return pods.change(&admission.Request{Operation: admission.Delete, Old: old})
	}
	small, large := podWith(nil, container("a", "cpu=1", "")), podWith(nil, container("a", "cpu=2", ""))
	done := podWith(func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }, container("a", "cpu=1", ""))
	deadline := int64(1)
	ending := podWith(func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = &deadline }, container("a", "cpu=1", ""))
	over := func(pod *corev1.Pod) *corev1.Pod {
		pod = pod.DeepCopy()
		pod.Status.Phase = corev1.PodFailed
		return pod
	}
	for name, tc := range map[string]struct {
		hard, used string
		scopes     []corev1.ResourceQuotaScope
		change     change
		want       string // "" when nothing is charged
		fails      string
	}{
		"a pod":         {hard: "pods=2,requests.cpu=3", used: "pods=0,requests.cpu=0", change: create(small), want: "pods=1,requests.cpu=1"},
		"one too many":  {hard: "pods=2,cpu=9", used: "pods=2,cpu=2", change: create(small), fails: "exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2"},
		"too much":      {hard: "pods=1,cpu=1500m", used: "pods=1,cpu=1", change: create(small), fails: "exceeded quota: q, requested: cpu=1,pods=1, used: cpu=1,pods=1, limited: cpu=1500m,pods=1"},
		"of no concern": {hard: "secrets=2", used: "secrets=0", change: create(small)},
		"without limits": {hard: "limits.cpu=1,limits.memory=1Gi", used: "limits.cpu=0,limits.memory=0", change: create(podWith(nil, container("b", "", "memory=1"), container("a", "", ""))),
			fails: "failed quota: q: must specify limits.cpu for: a,b; limits.memory for: a"},
		"limits of the pod as a whole": {hard: "limits.cpu=3,requests.memory=1Gi", used: "limits.cpu=0,requests.memory=0", want: "limits.cpu=2,requests.memory=0",
			change: create(podWith(func(p *corev1.Pod) { p.Spec.Resources = &corev1.ResourceRequirements{Limits: amounts("cpu=2")} }, container("a", "", "")))},
		"more":                   {hard: "cpu=3", used: "cpu=1", change: update(small, large), want: "cpu=2"},
		"less":                   {hard: "cpu=3", used: "cpu=2", change: update(large, small), want: "cpu=1"},
		"less, over a limit":     {hard: "cpu=1", used: "cpu=5", change: update(large, small), want: "cpu=4"},
		"the same":               {hard: "cpu=3", used: "cpu=1", change: update(small, small)},
		"done":                   {hard: "pods=1,cpu=1,count/pods=1", used: "pods=1,cpu=1,count/pods=1", change: update(small, done), want: "pods=0,cpu=0,count/pods=1"},
		"gone":                   {hard: "pods=1,cpu=1", used: "pods=1,cpu=1", change: remove(small), want: "pods=0,cpu=0"},
		"gone when done":         {hard: "pods=1,count/pods=1", used: "pods=0,count/pods=1", change: remove(done), want: "pods=0,count/pods=0"},
		"into a scope":           {hard: "pods=1", used: "pods=0", scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeTerminating}, change: update(small, ending), want: "pods=1"},
		"out of a scope":         {hard: "pods=1", used: "pods=1", scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeNotTerminating}, change: update(small, ending), want: "pods=0"},
		"not in a scope":         {hard: "pods=0", used: "pods=0", scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeTerminating}, change: create(small)},
		"counted into a scope":   {hard: "count/pods=1", used: "count/pods=0", scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeTerminating}, change: update(small, ending), want: "count/pods=1"},
		"counted out of a scope": {hard: "count/pods=1", used: "count/pods=1", scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeNotTerminating}, change: update(small, ending), want: "count/pods=0"},
		"into a full scope": {hard: "count/pods=1", used: "count/pods=1", scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeTerminating}, change: update(small, ending),
			fails: "exceeded quota: q, requested: count/pods=1, used: count/pods=1, limited: count/pods=1"},
		"done on the way into a scope": {hard: "count/pods=1,pods=1", used: "count/pods=0,pods=0", scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeTerminating},
			change: update(small, over(ending)), want: "count/pods=1,pods=0"},
		"never charged":      {hard: "pods=1,count/pods=1", used: "pods=0,count/pods=1", change: remove(small), want: "count/pods=0"},
		"another type":       {hard: "count/pods=1", used: "count/pods=1", change: pods.change(&admission.Request{Operation: admission.Update, Old: small, Object: &corev1.Binding{}})},
		"nobody has counted": {hard: "pods=1", change: create(small), fails: "status unknown for quota: q, resources: pods"},
		"released before":    {hard: "pods=1", change: remove(small)},
	} {
		t.Run(name, func(t *testing.T) {
			q := quota{ResourceQuota: &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}}}
			q.Spec.Hard, q.Spec.Scopes = amounts(tc.hard), tc.scopes
			if tc.used != "" {
				q.Status.Hard, q.Status.Used = amounts(tc.hard), amounts(tc.used)
			}
			next, err := q.after(tc.change)
			if tc.fails != "" {
				if err == nil || err.Error() != tc.fails {
					t.Errorf("%v\nwant %s", err, tc.fails)
				}
				return
			}
			got := ""
			if next != nil {
				got = shown(next.Status.Used, quantity.SortedNames(next.Status.Used))
			}
			if err != nil || !slices.Equal(sortedParts(got), sortedParts(tc.want)) {
				t.Errorf("%s, %v\nwant %s", got, err, tc.want)
			}
			if tc.used != "" && !sameList(q.Status.Used, amounts(tc.used)) {
				t.Error("the stored quota was modified")
			}
		})
	}
}

// TestBrokenQuota: the limits of a quota that cannot be read are unknown, so nothing may be added
// to any scope.
func TestBrokenQuota(t *testing.T) {
	q := quota{ResourceQuota: &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"}}, broken: errors.New("garbage")}
	pods, small := kindOf("", "pods"), podWith(nil, container("a", "cpu=1", ""))
	ending := podWith(func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = new(int64(1)) }, container("a", "cpu=1", ""))
	for name, tc := range map[string]struct {
		request admission.Request
		allowed bool
	}{
		"a new pod":             {admission.Request{Operation: admission.Create, Object: small}, false},
		"a pod that goes":       {admission.Request{Operation: admission.Delete, Old: small}, true},
		"a pod that asks less":  {admission.Request{Operation: admission.Update, Old: small, Object: podWith(nil, container("a", "", ""))}, false}, // it is of best effort then
		"less in the same ones": {admission.Request{Operation: admission.Update, Old: podWith(nil, container("a", "cpu=2", "")), Object: small}, true},
		"into another scope":    {admission.Request{Operation: admission.Update, Old: small, Object: ending}, false},
	} {
		if next, err := q.after(pods.change(&tc.request)); next != nil || (err == nil) != tc.allowed {
			t.Errorf("%s: %v, %v", name, next, err)
		}
	}
}
