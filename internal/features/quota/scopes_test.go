package quota_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/examples/kubernetes"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage/memory"
)

// workloads is the part of examples/kubernetes that quotas measure.
func workloads() typeplane.API {
	api := kubernetes.API()
	api.Resources = slices.DeleteFunc(api.Resources, func(r registry.Resource) bool {
		return !slices.Contains([]string{"pods", "persistentvolumeclaims", "services"}, r.GroupResource().String())
	})
	return api
}

// scoped returns a quota with scopes, which may be nil, and with a scope selector unless that is
// empty.
func scoped(name string, hard map[corev1.ResourceName]string, scopes []corev1.ResourceQuotaScope, selector corev1.ScopedResourceSelectorRequirement) *corev1.ResourceQuota {
	q := quotaOf(name, hard)
	q.Spec.Scopes = scopes
	if selector.ScopeName != "" {
		q.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{selector}}
	}
	return q
}

func selects(scope corev1.ResourceQuotaScope, operator corev1.ScopeSelectorOperator, values ...string) corev1.ScopedResourceSelectorRequirement {
	return corev1.ScopedResourceSelectorRequirement{ScopeName: scope, Operator: operator, Values: values}
}

// TestObjectMovesBetweenScopes changes the scopes of a pod and of a claim. Each quota of one object
// is charged in the scope that the object is in.
func TestObjectMovesBetweenScopes(t *testing.T) {
	c := inMemory(memory.NewDatabase())
	c.more = []typeplane.API{workloads()}
	s := c.start(t)
	onePod, oneClaim := map[corev1.ResourceName]string{"count/pods": "1", "pods": "1"}, map[corev1.ResourceName]string{"count/persistentvolumeclaims": "1", "persistentvolumeclaims": "1"}
	none := corev1.ScopedResourceSelectorRequirement{}
	class := corev1.ResourceQuotaScopeVolumeAttributesClass
	s.mustCreate("resourcequotas", scoped("ends", onePod, []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeTerminating}, none))
	s.mustCreate("resourcequotas", scoped("runs", onePod, nil, selects(corev1.ResourceQuotaScopeNotTerminating, corev1.ScopeSelectorOpExists)))
	s.mustCreate("resourcequotas", scoped("gold", oneClaim, nil, selects(class, corev1.ScopeSelectorOpIn, "gold")))
	s.mustCreate("resourcequotas", scoped("rest", oneClaim, nil, selects(class, corev1.ScopeSelectorOpNotIn, "gold")))

	s.mustCreate("pods", podNamed("v", podShape{}))
	s.wantUsed("runs", "count/pods=1,pods=1")
	pod := get[corev1.Pod](s, "pods", "v")
	pod.Spec.ActiveDeadlineSeconds = new(int64(5000))
	s.mustUpdate("pods", pod)
	s.wantUsed("runs", "count/pods=0,pods=0")
	s.wantUsed("ends", "count/pods=1,pods=1")
	s.mustCreate("pods", podNamed("w", podShape{}))
	wantForbidden(t, s.create("pods", podNamed("x", podShape{terminating: true})),
		`pods "x" is forbidden: exceeded quota: ends, requested: count/pods=1,pods=1, used: count/pods=1,pods=1, limited: count/pods=1,pods=1`)
	pod = get[corev1.Pod](s, "pods", "w")
	pod.Spec.ActiveDeadlineSeconds = new(int64(5000))
	wantForbidden(t, s.update("pods", pod),
		`pods "w" is forbidden: exceeded quota: ends, requested: count/pods=1,pods=1, used: count/pods=1,pods=1, limited: count/pods=1,pods=1`)
	s.mustDelete("pods", "v")
	s.wantUsed("ends", "count/pods=0,pods=0")
	s.wantUsed("runs", "count/pods=1,pods=1")

	s.mustCreate("persistentvolumeclaims", claimNamed("c", ""))
	s.wantUsed("rest", "count/persistentvolumeclaims=1,persistentvolumeclaims=1")
	claim := get[corev1.PersistentVolumeClaim](s, "persistentvolumeclaims", "c")
	claim.Spec.VolumeAttributesClassName = new("gold")
	s.mustUpdate("persistentvolumeclaims", claim)
	s.wantUsed("rest", "count/persistentvolumeclaims=0,persistentvolumeclaims=0")
	s.wantUsed("gold", "count/persistentvolumeclaims=1,persistentvolumeclaims=1")
	claim = get[corev1.PersistentVolumeClaim](s, "persistentvolumeclaims", "c")
	claim.Status.CurrentVolumeAttributesClassName = new("tin")
	s.mustUpdate("persistentvolumeclaims/status", claim)
	s.wantUsed("rest", "count/persistentvolumeclaims=1,persistentvolumeclaims=1")
	s.mustDelete("persistentvolumeclaims", "c")
	s.wantUsed("rest", "count/persistentvolumeclaims=0,persistentvolumeclaims=0")
	s.wantUsed("gold", "count/persistentvolumeclaims=0,persistentvolumeclaims=0")
}

// scopesOfAll returns quotas in every scope, by name and by selector, with every operator, and two
// quotas with two scopes each.
func scopesOfAll() (all []*corev1.ResourceQuota) {
	few := func() string { return fmt.Sprint(4 + rand.N(10)) }
	add := func(hard map[corev1.ResourceName]string, scopes []corev1.ResourceQuotaScope, selector corev1.ScopedResourceSelectorRequirement) {
		all = append(all, scoped(fmt.Sprint("q", len(all)), hard, scopes, selector))
	}
	pods := func() map[corev1.ResourceName]string {
		return map[corev1.ResourceName]string{"count/pods": few(), "pods": few()}
	}
	claims := func() map[corev1.ResourceName]string {
		return map[corev1.ResourceName]string{"count/persistentvolumeclaims": few(), "persistentvolumeclaims": few(), "requests.storage": few()}
	}
	none := corev1.ScopedResourceSelectorRequirement{}
	type scopes = []corev1.ResourceQuotaScope
	add(map[corev1.ResourceName]string{"count/pods": "24", "pods": "20", "count/persistentvolumeclaims": "20", "requests.storage": "40"}, nil, none)
	ofPods := scopes{
		corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating, corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort,
		corev1.ResourceQuotaScopeCrossNamespacePodAffinity, corev1.ResourceQuotaScopePriorityClass,
	}
	for _, scope := range ofPods {
		add(pods(), scopes{scope}, none)
		add(pods(), nil, selects(scope, corev1.ScopeSelectorOpExists))
	}
	add(claims(), scopes{corev1.ResourceQuotaScopeVolumeAttributesClass}, none)
	for scope, hard := range map[corev1.ResourceQuotaScope]func() map[corev1.ResourceName]string{
		corev1.ResourceQuotaScopePriorityClass: pods, corev1.ResourceQuotaScopeVolumeAttributesClass: claims,
	} {
		add(hard(), nil, selects(scope, corev1.ScopeSelectorOpExists))
		add(hard(), nil, selects(scope, corev1.ScopeSelectorOpDoesNotExist))
		add(hard(), nil, selects(scope, corev1.ScopeSelectorOpIn, "a", "b"))
		add(hard(), nil, selects(scope, corev1.ScopeSelectorOpNotIn, "a"))
	}
	busy := map[corev1.ResourceName]string{"count/pods": few(), "requests.cpu": few(), "cpu": "9"}
	add(busy, scopes{corev1.ResourceQuotaScopeNotBestEffort}, selects(corev1.ResourceQuotaScopeNotTerminating, corev1.ScopeSelectorOpExists))
	add(pods(), scopes{corev1.ResourceQuotaScopeTerminating}, selects(corev1.ResourceQuotaScopePriorityClass, corev1.ScopeSelectorOpIn, "a"))
	return all
}

// TestScopesAtRandom has writers on two servers create, change and remove pods and claims in all
// ways, while quotas in every scope come and go. Then every revision is read: each quota used
// exactly the sum of the objects in its scopes, and no write has exceeded it.
func TestScopesAtRandom(t *testing.T) {
	const writers, attempts = 12, 3000
	db := memory.NewDatabase()
	c := inMemory(db)
	c.more = []typeplane.API{workloads()}
	servers := []*server{c.start(t), c.start(t)}
	quotas := scopesOfAll()
	for _, i := range rand.Perm(len(quotas))[:8] { // with all of them at once, little is allowed
		servers[0].mustCreate("resourcequotas", quotas[i].DeepCopy())
	}
	var left, full atomic.Int64
	left.Store(attempts)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			wr := &scopeWriter{server: servers[w%2], name: fmt.Sprint("w", w)}
			for left.Add(-1) >= 0 {
				err := wr.act()
				if err != nil && !expected(err) {
					t.Error(err)
				}
				if err != nil && strings.Contains(err.Error(), "exceeded quota") {
					full.Add(1)
				}
			}
		})
	}
	wg.Go(func() {
		for i := 0; left.Load() > 0; i++ {
			s := servers[i%2]
			for range 2 {
				if err := s.delete("resourcequotas", quotas[rand.N(len(quotas))].Name); err != nil && !expected(err) {
					t.Error(err)
				}
			}
			q := quotas[rand.N(len(quotas))].DeepCopy()
			if err := s.create("resourcequotas", q); err != nil && !expected(err) {
				t.Error(err)
			}
			q.ResourceVersion = "" // others charge it all the time
			q.Spec.Hard["count/secrets"] = *quantityOf(1)
			if err := s.update("resourcequotas", q); err != nil && !expected(err) {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	h := readScopes(t, servers[0], db)
	t.Logf("%d revisions, %d changes of pods' and %d of claims' scopes, %d writes refused at a limit", h.revisions, h.moved["pods"], h.moved["persistentvolumeclaims"], full.Load())
	if h.moved["pods"] == 0 || h.moved["persistentvolumeclaims"] == 0 || full.Load() == 0 {
		t.Error("nothing moves between scopes, or no quota is ever full")
	}
}

// expected reports whether an error is one of writers that cross.
func expected(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) || apierrors.IsConflict(err)
}

// scopeWriter writes pods and claims of its own names.
type scopeWriter struct {
	*server
	name string
}

func (w *scopeWriter) act() error {
	name := fmt.Sprint(w.name, "-", rand.N(4))
	dryRun := []string{}
	if rand.N(6) == 0 {
		dryRun = []string{"All"}
	}
	if rand.N(3) == 0 {
		return w.claim(name, dryRun)
	}
	return w.pod(name, dryRun)
}

func (w *scopeWriter) pod(name string, dryRun []string) error {
	at, opts := rest.Name{Namespace: "ns", Name: name}, metav1.UpdateOptions{DryRun: dryRun}
	pod, err := read[corev1.Pod](w.server, "pods", name)
	if apierrors.IsNotFound(err) {
		fresh := podNamed(name, podShape{terminating: rand.N(5) == 0, abroad: rand.N(3) == 0, class: []string{"", "a", "b", "c"}[rand.N(4)], cpu: rand.Int64N(3)})
		if rand.N(3) == 0 {
			fresh.Finalizers = []string{"example.com/wait"}
		}
		return w.create("pods", fresh, dryRun...)
	}
	if err != nil {
		return err
	}
	update := func(resource string) error {
		_, _, err := w.verbs[resource].Update.Update(context.Background(), new(rest.Request), at, pod, opts)
		return err
	}
	switch rand.N(8) {
	case 0:
		if pod.Spec.ActiveDeadlineSeconds == nil {
			pod.Spec.ActiveDeadlineSeconds = new(int64(5000))
		}
		return update("pods")
	case 1:
		if len(pod.Spec.Containers[0].Resources.Requests) > 0 {
			pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = *resource.NewQuantity(1+rand.Int64N(4), resource.DecimalSI)
		}
		return update("pods/resize")
	case 2:
		pod.Status.Phase = []corev1.PodPhase{corev1.PodRunning, corev1.PodFailed, corev1.PodSucceeded}[rand.N(3)]
		return update("pods/status")
	case 3:
		pod.Spec.EphemeralContainers = append(pod.Spec.EphemeralContainers, corev1.EphemeralContainer{EphemeralContainerCommon: corev1.EphemeralContainerCommon{
			Name: fmt.Sprint("e", len(pod.Spec.EphemeralContainers)), Image: "i",
		}})
		return update("pods/ephemeralcontainers")
	case 4:
		binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}, Target: corev1.ObjectReference{Name: "node"}}
		_, err := w.verbs["pods/binding"].Create.Create(context.Background(), new(rest.Request), at, binding, metav1.CreateOptions{DryRun: dryRun})
		return err
	case 5:
		pod.Finalizers = nil
		if pod.Spec.ActiveDeadlineSeconds == nil && rand.N(2) == 0 {
			pod.Spec.ActiveDeadlineSeconds = new(int64(5000))
		}
		return update("pods")
	}
	grace := []int64{0, 600}[rand.N(2)]
	_, err = w.verbs["pods"].Delete.Delete(context.Background(), new(rest.Request), at, metav1.DeleteOptions{GracePeriodSeconds: &grace, DryRun: dryRun})
	return err
}

func (w *scopeWriter) claim(name string, dryRun []string) error {
	at, opts := rest.Name{Namespace: "ns", Name: name}, metav1.UpdateOptions{DryRun: dryRun}
	class := []string{"", "a", "b", "c"}[rand.N(4)]
	claim, err := read[corev1.PersistentVolumeClaim](w.server, "persistentvolumeclaims", name)
	if apierrors.IsNotFound(err) {
		fresh := claimNamed(name, class)
		if rand.N(3) == 0 {
			fresh.Finalizers = []string{"example.com/wait"}
		}
		return w.create("persistentvolumeclaims", fresh, dryRun...)
	}
	if err != nil {
		return err
	}
	resource := "persistentvolumeclaims"
	switch rand.N(4) {
	case 0:
		claim.Spec.VolumeAttributesClassName = nil
		if class != "" {
			claim.Spec.VolumeAttributesClassName = &class
		}
	case 1:
		resource += "/status"
		claim.Status.CurrentVolumeAttributesClassName, claim.Status.AllocatedResources = nil, nil
		if class != "" {
			claim.Status.CurrentVolumeAttributesClassName = &class
		}
		if rand.N(2) == 0 {
			claim.Status.AllocatedResources = claimNamed("", "").Spec.Resources.Requests.DeepCopy()
			claim.Status.AllocatedResources[corev1.ResourceStorage] = *quantityOf(rand.Int64N(4))
		}
	case 2:
		claim.Finalizers = nil
		if rand.N(2) == 0 {
			claim.Spec.VolumeAttributesClassName = &class
		}
	default:
		return w.delete(resource, name, dryRun...)
	}
	_, _, err = w.verbs[resource].Update.Update(context.Background(), new(rest.Request), at, claim, opts)
	return err
}

func quantityOf(n int64) *resource.Quantity { return resource.NewQuantity(n, resource.BinarySI) }
