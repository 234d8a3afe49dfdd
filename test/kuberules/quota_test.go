package kuberules

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	theiradmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	theirquota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/kubernetes/pkg/quota/v1/evaluator/core"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/features/quota"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

// TestQuotas charges random pods, claims and services to random quotas with all scopes, as a
// kube-apiserver does: what is used, and which new objects are refused, in which words.
func TestQuotas(t *testing.T) {
	const rounds = 3000
	all := map[string]*inMemory{}
	config := quota.Config{Gates: memory.New(memory.Config{Database: memory.NewDatabase(), Root: "/registry"})}
	for _, name := range []string{"resourcequotas", "pods", "persistentvolumeclaims", "services"} {
		all[name] = &inMemory{name: schema.GroupResource{Resource: name}}
		config.Objects = append(config.Objects, all[name])
	}
	config.Quotas = all["resourcequotas"]
	plugin, err := quota.New(config)
	if err != nil {
		t.Fatal(err)
	}
	evaluators := map[string]theirquota.Evaluator{
		"pods": core.NewPodEvaluator(nil, clock.RealClock{}), "persistentvolumeclaims": core.NewPersistentVolumeClaimEvaluator(nil), "services": core.NewServiceEvaluator(nil),
	}
	refused, charged := 0, 0
	for range rounds {
		for name, random := range randomObjects {
			all[name].objects = nil
			for range rand.N(4) {
				all[name].objects = append(all[name].objects, random())
			}
		}
		q := randomQuota()
		all["resourcequotas"].objects = nil
		request := func(name string, obj runtime.Object) *admission.Request {
			return &admission.Request{
				Operation: admission.Create, Resource: schema.GroupVersionResource{Version: "v1", Resource: name}, Namespace: "ns", Name: "n", Object: obj, DryRun: true,
			}
		}
		if _, err := plugin.Transact(t.Context(), request("resourcequotas", q)); err != nil {
			t.Fatal(err)
		}
		want := theirUse(t, q, all, evaluators)
		if !theirquota.Equals(q.Status.Used, want) {
			t.Fatalf("%s\nuses  %s\nwants %s\nof %s", shownQuota(q), amounts(q.Status.Used), amounts(want), shownObjects(all))
		}
		if len(theirquota.RemoveZeros(want)) > 0 {
			charged++
		}

		all["resourcequotas"].objects = []runtime.Object{q}
		for name, random := range randomObjects {
			obj := random()
			attributes := theiradmission.NewAttributesRecord(obj.DeepCopyObject(), nil, schema.GroupVersionKind{}, "ns", "n", schema.GroupVersionResource{Version: "v1", Resource: name}, "",
				theiradmission.Create, &metav1.CreateOptions{}, true, nil)
			_, theirs := resourcequota.CheckRequest([]corev1.ResourceQuota{*q}, attributes, evaluators[name], nil)
			_, ours := plugin.Transact(t.Context(), request(name, obj))
			if (ours == nil) != (theirs == nil) || ours != nil && !strings.HasSuffix(theirs.Error(), "is forbidden: "+ours.Error()) {
				t.Fatalf("%s\nof %s\nours:   %v\ntheirs: %v", shownQuota(q), shownObjects(map[string]*inMemory{name: {objects: []runtime.Object{obj}}}), ours, theirs)
			}
			if ours != nil {
				refused++
			}
		}
	}
	t.Logf("%d quotas, %d of them used; %d objects refused", rounds, charged, refused)
}

// theirUse returns what a kube-apiserver counts for a quota.
func theirUse(t *testing.T, q *corev1.ResourceQuota, all map[string]*inMemory, evaluators map[string]theirquota.Evaluator) corev1.ResourceList {
	t.Helper()
	used := corev1.ResourceList{}
	for name := range q.Spec.Hard {
		used[name] = resource.Quantity{}
	}
	for name, evaluator := range evaluators {
		for _, obj := range all[name].objects {
			matches, err := evaluator.Matches(q, obj)
			if err != nil {
				t.Fatal(err)
			}
			usage, err := evaluator.Usage(obj)
			if err != nil {
				t.Fatal(err)
			}
			if matches {
				used = theirquota.Add(used, theirquota.Mask(usage, slices.Collect(maps.Keys(q.Spec.Hard))))
			}
		}
	}
	return used
}

// inMemory are the objects of a resource.
type inMemory struct {
	name    schema.GroupResource
	objects []runtime.Object
}

func (m *inMemory) Names() []schema.GroupResource { return []schema.GroupResource{m.name} }

func (m *inMemory) List(context.Context, string, storage.ListOptions) (page storage.Page, err error) {
	for i := range m.objects {
		page.Entries = append(page.Entries, &storage.Entry{Key: strconv.Itoa(i), Revision: 1})
	}
	return page, nil
}

func (m *inMemory) Decode(entry storage.Entry) (runtime.Object, error) {
	i, err := strconv.Atoi(entry.Key)
	if err != nil {
		return nil, err
	}
	return m.objects[i].DeepCopyObject(), nil
}

func (m *inMemory) Replace(runtime.Object, int64) (storage.Op, error) { return storage.Op{}, nil }

var randomObjects = map[string]func() runtime.Object{"pods": randomPod, "persistentvolumeclaims": randomClaim, "services": randomService}

func oneOf[T any](all ...T) T { return all[rand.N(len(all))] }

func chance() bool { return rand.N(3) == 0 }

func randomList(names ...corev1.ResourceName) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, name := range names {
		if chance() {
			list[name] = resource.MustParse(oneOf("0", "1", "2", "500m", "3"))
		}
	}
	return list
}

func randomResources(names ...corev1.ResourceName) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: randomList(names...), Limits: randomList(names...)}
}

func randomPod() runtime.Object {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "n"}}
	pod.Status.Phase = oneOf(corev1.PodPending, corev1.PodRunning, corev1.PodRunning, corev1.PodFailed, corev1.PodSucceeded)
	containers := func(n int) (all []corev1.Container) {
		for i := range n {
			all = append(all, corev1.Container{Name: fmt.Sprint("c", i), Resources: randomResources("cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "example.com/gpu", "kubernetes.io/x")})
		}
		return all
	}
	pod.Spec.Containers, pod.Spec.InitContainers = containers(1+rand.N(2)), containers(rand.N(3))
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; chance() {
			c.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
		}
	}
	if chance() {
		pod.Spec.Overhead = randomList("cpu", "memory")
	}
	if chance() {
		pod.Spec.Resources = new(randomResources("cpu", "memory", "hugepages-2Mi"))
	}
	if chance() {
		pod.Spec.ActiveDeadlineSeconds = new(int64(5))
	}
	pod.Spec.PriorityClassName = oneOf("", "a", "b")
	if chance() {
		term := corev1.PodAffinityTerm{TopologyKey: "zone", Namespaces: oneOf(nil, []string{"x"}), NamespaceSelector: oneOf(nil, &metav1.LabelSelector{})}
		required, preferred := []corev1.PodAffinityTerm{term}, []corev1.WeightedPodAffinityTerm{{PodAffinityTerm: term}}
		pod.Spec.Affinity = oneOf(
			&corev1.Affinity{}, &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required}},
			&corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: preferred}},
		)
	}
	return pod
}

func randomClaim() runtime.Object {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "n"}}
	claim.Spec.Resources.Requests = randomList(corev1.ResourceStorage)
	claim.Status.AllocatedResources = randomList(corev1.ResourceStorage)
	claim.Spec.StorageClassName = oneOf(nil, new(""), new("gold"))
	if chance() {
		claim.Annotations = map[string]string{corev1.BetaStorageClassAnnotation: oneOf("", "gold", "tin")}
	}
	class := func() *string { return oneOf(nil, new(""), new("a"), new("b")) }
	claim.Spec.VolumeAttributesClassName, claim.Status.CurrentVolumeAttributesClassName = class(), class()
	if chance() {
		claim.Status.ModifyVolumeStatus = &corev1.ModifyVolumeStatus{TargetVolumeAttributesClassName: oneOf("", "a", "b")}
	}
	return claim
}

func randomService() runtime.Object {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "n"}}
	service.Spec.Type = oneOf(corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort, corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeExternalName)
	service.Spec.AllocateLoadBalancerNodePorts = oneOf(nil, new(true), new(false))
	for range rand.N(3) {
		service.Spec.Ports = append(service.Spec.Ports, corev1.ServicePort{NodePort: oneOf[int32](0, 30000)})
	}
	return service
}

func randomQuota() *corev1.ResourceQuota {
	q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "q"}}
	q.Spec.Hard = randomList(
		"pods", "count/pods", "cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory", "ephemeral-storage", "requests.ephemeral-storage", "limits.ephemeral-storage",
		"hugepages-2Mi", "requests.hugepages-2Mi", "requests.example.com/gpu", "services", "count/services", "services.nodeports", "services.loadbalancers",
		"persistentvolumeclaims", "count/persistentvolumeclaims", "requests.storage", "gold.storageclass.storage.k8s.io/requests.storage", "gold.storageclass.storage.k8s.io/persistentvolumeclaims",
	)
	for _, scope := range []corev1.ResourceQuotaScope{
		corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating, corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort,
		corev1.ResourceQuotaScopePriorityClass, corev1.ResourceQuotaScopeCrossNamespacePodAffinity, corev1.ResourceQuotaScopeVolumeAttributesClass,
	} {
		switch rand.N(12) {
		case 0:
			q.Spec.Scopes = append(q.Spec.Scopes, scope)
		case 1:
			want := corev1.ScopedResourceSelectorRequirement{ScopeName: scope, Operator: corev1.ScopeSelectorOpExists}
			if scope == corev1.ResourceQuotaScopePriorityClass || scope == corev1.ResourceQuotaScopeVolumeAttributesClass {
				want.Operator = oneOf(corev1.ScopeSelectorOpExists, corev1.ScopeSelectorOpDoesNotExist, corev1.ScopeSelectorOpIn, corev1.ScopeSelectorOpNotIn)
			}
			if want.Operator == corev1.ScopeSelectorOpIn || want.Operator == corev1.ScopeSelectorOpNotIn {
				want.Values = oneOf([]string{"a"}, []string{"a", "b"})
			}
			if q.Spec.ScopeSelector == nil {
				q.Spec.ScopeSelector = &corev1.ScopeSelector{}
			}
			q.Spec.ScopeSelector.MatchExpressions = append(q.Spec.ScopeSelector.MatchExpressions, want)
		}
	}
	q.Status.Hard = q.Spec.Hard
	return q
}

func amounts(list corev1.ResourceList) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(list)) {
		amount := list[name]
		parts = append(parts, fmt.Sprintf("%s=%s", name, amount.String()))
	}
	return strings.Join(parts, ",")
}

func shownQuota(q *corev1.ResourceQuota) string {
	return fmt.Sprintf("a quota of %s with scopes %v and %+v", amounts(q.Spec.Hard), q.Spec.Scopes, q.Spec.ScopeSelector)
}

func shownObjects(all map[string]*inMemory) string {
	var b strings.Builder
	for name, in := range all {
		for _, obj := range in.objects {
			data, err := yaml.Marshal(obj)
			fmt.Fprintf(&b, "\n%s %s %v", name, data, err)
		}
	}
	return b.String()
}
