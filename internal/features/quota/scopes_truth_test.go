package quota_test

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

// podShape is what quotas and scopes see of a pod.
type podShape struct {
	terminating, abroad, over bool
	class                     string
	cpu                       int64 // requested; 0 makes it a pod of best effort
}

func podNamed(name string, is podShape) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "i"}}
	pod.Spec.PriorityClassName = is.class
	if is.terminating {
		pod.Spec.ActiveDeadlineSeconds = new(int64(5000))
	}
	if is.abroad {
		pod.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
			{TopologyKey: "zone", LabelSelector: &metav1.LabelSelector{}, NamespaceSelector: &metav1.LabelSelector{}},
		}}}
	}
	if is.cpu > 0 {
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(is.cpu, resource.DecimalSI)}
	}
	return pod
}

func shapeOf(pod *corev1.Pod) podShape {
	cpu := pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU]
	return podShape{
		terminating: pod.Spec.ActiveDeadlineSeconds != nil, abroad: pod.Spec.Affinity != nil, class: pod.Spec.PriorityClassName, cpu: cpu.Value(),
		over: pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded,
	}
}

func claimNamed(name, class string) *corev1.PersistentVolumeClaim {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	claim.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1")}
	if class != "" {
		claim.Spec.VolumeAttributesClassName = &class
	}
	return claim
}

// charged returns the amounts of a quota's resources that an object uses outside of any scope, and
// whether a scope selects the object. It repeats the rules of Kubernetes' documentation for the
// objects of this test.
func charged(obj runtime.Object) (uses map[corev1.ResourceName]int64, in func(corev1.ScopedResourceSelectorRequirement) bool) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		is := shapeOf(obj)
		uses = map[corev1.ResourceName]int64{"count/pods": 1}
		if !is.over {
			uses["pods"], uses["requests.cpu"], uses["cpu"] = 1, is.cpu, is.cpu
		}
		return uses, func(want corev1.ScopedResourceSelectorRequirement) bool {
			switch want.ScopeName {
			case corev1.ResourceQuotaScopeTerminating:
				return is.terminating
			case corev1.ResourceQuotaScopeNotTerminating:
				return !is.terminating
			case corev1.ResourceQuotaScopeBestEffort:
				return is.cpu == 0
			case corev1.ResourceQuotaScopeNotBestEffort:
				return is.cpu > 0
			case corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
				return is.abroad
			case corev1.ResourceQuotaScopePriorityClass:
				return operates(want, is.class)
			}
			return false
		}
	case *corev1.PersistentVolumeClaim:
		size := obj.Spec.Resources.Requests[corev1.ResourceStorage]
		if allocated := obj.Status.AllocatedResources[corev1.ResourceStorage]; allocated.Cmp(size) > 0 {
			size = allocated
		}
		uses = map[corev1.ResourceName]int64{"count/persistentvolumeclaims": 1, "persistentvolumeclaims": 1, "requests.storage": size.Value()}
		return uses, func(want corev1.ScopedResourceSelectorRequirement) bool {
			if want.ScopeName != corev1.ResourceQuotaScopeVolumeAttributesClass {
				return false
			}
			var classes []string
			for _, class := range []*string{obj.Spec.VolumeAttributesClassName, obj.Status.CurrentVolumeAttributesClassName} {
				if class != nil && *class != "" {
					classes = append(classes, *class)
				}
			}
			if classes == nil {
				return operates(want, "")
			}
			return slices.ContainsFunc(classes, func(class string) bool { return operates(want, class) })
		}
	}
	return nil, nil
}

func operates(want corev1.ScopedResourceSelectorRequirement, class string) bool {
	switch want.Operator {
	case corev1.ScopeSelectorOpExists:
		return class != ""
	case corev1.ScopeSelectorOpDoesNotExist:
		return class == ""
	case corev1.ScopeSelectorOpIn:
		return slices.Contains(want.Values, class)
	}
	return !slices.Contains(want.Values, class)
}

// scopeHistory is what readScopes has seen.
type scopeHistory struct {
	revisions int
	moved     map[string]int // changes of an object's scopes, by resource
}

// readScopes reads all revisions of the database, and compares each quota with the objects in its
// scopes.
func readScopes(t *testing.T, s *server, db *memory.Database) scopeHistory {
	t.Helper()
	raw := memory.New(memory.Config{Database: db, Root: "/registry"})
	watch, err := raw.Watch(context.Background(), "/", storage.WatchOptions{After: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	h := scopeHistory{moved: map[string]int{}}
	objects, quotas := map[string]runtime.Object{}, map[string]*corev1.ResourceQuota{}
	for last, now := int64(0), db.Revision(); last < now; {
		events, err := watch.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i, ev := range events {
			key := ev.Entry.Key
			last = ev.Entry.Revision
			plural, _, _ := strings.Cut(strings.TrimPrefix(key, "/"), "/")
			switch from := s.objects[plural]; {
			case from == nil:
			case ev.Type == storage.Deleted:
				delete(objects, key)
				delete(quotas, key)
			default:
				obj, err := from.Decode(ev.Entry)
				if err != nil {
					t.Fatal(err)
				}
				if q, ok := obj.(*corev1.ResourceQuota); ok {
					wantNoExcess(t, last, quotas[key], q)
					quotas[key] = q
					break
				}
				if before := objects[key]; before != nil && scopesOf(before) != scopesOf(obj.(runtime.Object)) {
					h.moved[plural]++
				}
				objects[key] = obj.(runtime.Object)
			}
			if i+1 < len(events) && events[i+1].Entry.Revision == last {
				continue // the rest of the transaction
			}
			h.revisions++
			for _, q := range quotas {
				if usedOf(q.Status.Used) != usedOf(sumOf(q, objects)) {
					t.Fatalf("revision %d: quota %s %v %v uses %s, its objects %s", last, q.Name, q.Spec.Scopes, q.Spec.ScopeSelector, usedOf(q.Status.Used), usedOf(sumOf(q, objects)))
				}
			}
		}
	}
	return h
}

// wantNoExcess checks that a charge of a quota, from before to after, keeps to its limits.
func wantNoExcess(t *testing.T, revision int64, before, after *corev1.ResourceQuota) {
	t.Helper()
	for name, used := range after.Status.Used {
		if used.Sign() < 0 {
			t.Fatalf("revision %d: quota %s uses %s=%s", revision, after.Name, name, used.String())
		}
		if before == nil || usedOf(before.Spec.Hard) != usedOf(after.Spec.Hard) {
			continue // it counts what there is
		}
		if had := before.Status.Used[name]; used.Cmp(after.Spec.Hard[name]) > 0 && used.Cmp(had) > 0 {
			t.Fatalf("revision %d: quota %s is exceeded: %s=%s", revision, after.Name, name, used.String())
		}
	}
}

// sumOf returns the usage of the objects in a quota's scopes.
func sumOf(q *corev1.ResourceQuota, objects map[string]runtime.Object) corev1.ResourceList {
	sum := map[corev1.ResourceName]int64{}
	for _, obj := range objects {
		uses, in := charged(obj)
		if uses == nil || !inAll(&q.Spec, in) {
			continue
		}
		for name, n := range uses {
			sum[name] += n
		}
	}
	list := corev1.ResourceList{}
	for name := range q.Spec.Hard {
		list[name] = *quantityOf(sum[name])
	}
	return list
}

func inAll(spec *corev1.ResourceQuotaSpec, in func(corev1.ScopedResourceSelectorRequirement) bool) bool {
	for _, scope := range spec.Scopes {
		if !in(selects(scope, corev1.ScopeSelectorOpExists)) {
			return false
		}
	}
	if spec.ScopeSelector == nil {
		return true
	}
	return !slices.ContainsFunc(spec.ScopeSelector.MatchExpressions, func(want corev1.ScopedResourceSelectorRequirement) bool { return !in(want) })
}

// scopesOf names what decides the scopes of an object.
func scopesOf(obj runtime.Object) string {
	switch obj := obj.(type) {
	case *corev1.Pod:
		return fmt.Sprint(obj.Spec.ActiveDeadlineSeconds != nil)
	case *corev1.PersistentVolumeClaim:
		return fmt.Sprint(deref(obj.Spec.VolumeAttributesClassName), "/", deref(obj.Status.CurrentVolumeAttributesClassName))
	}
	return ""
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// usedOf prints amounts as whole numbers.
func usedOf(list corev1.ResourceList) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(list)) {
		amount := list[name]
		parts = append(parts, fmt.Sprintf("%s=%d", path.Clean(string(name)), amount.Value()))
	}
	return strings.Join(parts, ",")
}
