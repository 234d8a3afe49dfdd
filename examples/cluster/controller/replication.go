package main

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// replication keeps the pods of replication controllers at the wanted number. Reconcile is the
// whole of it: whatever happened, it looks at what there is and does what is missing. So it does
// not matter which events were missed, or who died when.
type replication struct {
	client.Client               // reads from the cache, writes to the server
	server        client.Reader // reads from the server
	expected      expectations
}

var replicationControllers = corev1.SchemeGroupVersion.WithKind("ReplicationController")

// addReplication has the manager run it: for replication controllers that change, for those whose
// pods change, and for those that could adopt a pod.
func addReplication(manager ctrl.Manager) error {
	r := &replication{Client: manager.GetClient(), server: manager.GetAPIReader()}
	return ctrl.NewControllerManagedBy(manager).
		For(new(corev1.ReplicationController)).
		Owns(new(corev1.Pod)).
		Watches(new(corev1.Pod), handler.EnqueueRequestsFromMapFunc(r.adopters)).
		WithOptions(patient()).
		Complete(r)
}

// patient: a server that is down for a while is no reason to wait much longer once it is back.
// Without a bound the pauses between attempts would double up to a quarter of an hour.
func patient() controller.Options {
	return controller.Options{RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, 5*time.Second)}
}

// adopters are the replication controllers that would take a pod which belongs to nobody.
func (r *replication) adopters(ctx context.Context, pod client.Object) (requests []reconcile.Request) {
	if metav1.GetControllerOf(pod) != nil {
		return nil
	}
	var all corev1.ReplicationControllerList
	if err := r.List(ctx, &all, client.InNamespace(pod.GetNamespace())); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list replication controllers")
		return nil
	}
	for i := range all.Items {
		if selects(&all.Items[i], pod) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&all.Items[i])})
		}
	}
	return requests
}

// Reconcile brings one replication controller's pods to the wanted number, and tells in its status
// how many there are.
func (r *replication) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	rc := new(corev1.ReplicationController)
	if err := r.Get(ctx, request.NamespacedName, rc); err != nil {
		if apierrors.IsNotFound(err) {
			r.expected.forget(request.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if rc.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	pods, err := r.look(ctx, request.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if pods, err = r.claim(ctx, rc, pods); err != nil {
		return ctrl.Result{}, err
	}
	pods, failure := r.manage(ctx, rc, pods)
	again, err := r.report(ctx, rc, pods, failure)
	return ctrl.Result{RequeueAfter: again}, errors.Join(failure, err)
}

// look returns the pods of the namespace that are alive. Those of the cache cost nothing, but the
// cache may not have seen yet what this process did or is not sure of (expectations.go). Then it
// asks the server.
func (r *replication) look(ctx context.Context, rc types.NamespacedName) ([]corev1.Pod, error) {
	cached, err := alive(ctx, r.Client, rc.Namespace)
	if err != nil || r.expected.met(rc, cached) {
		return cached, err
	}
	now, err := alive(ctx, r.server, rc.Namespace)
	if err == nil {
		r.expected.become(rc, cached, now)
	}
	return now, err
}

// alive are the pods that count: one that has ended, or is on its way out, has to be replaced.
func alive(ctx context.Context, from client.Reader, namespace string) (pods []corev1.Pod, err error) {
	var all corev1.PodList
	if err := from.List(ctx, &all, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	for _, pod := range all.Items {
		if pod.DeletionTimestamp == nil && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			pods = append(pods, pod)
		}
	}
	return pods, nil
}

// claim returns the pods that belong to rc. It adopts those that fit and belong to nobody, and lets
// go those whose labels do not fit any more.
func (r *replication) claim(ctx context.Context, rc *corev1.ReplicationController, pods []corev1.Pod) (mine []corev1.Pod, err error) {
	for i := range pods {
		pod := &pods[i]
		owner, fits := metav1.GetControllerOf(pod), selects(rc, pod)
		switch {
		case owner != nil && owner.UID != rc.UID:
		case owner != nil && fits:
			mine = append(mine, *pod)
		case owner != nil:
			if err := r.disown(ctx, rc, pod); err != nil {
				return nil, err
			}
		case fits:
			adopted, err := r.adopt(ctx, rc, pod)
			if err != nil {
				return nil, err
			}
			if adopted {
				mine = append(mine, *pod)
			}
		}
	}
	return mine, nil
}

func selects(rc *corev1.ReplicationController, pod client.Object) bool {
	return len(rc.Spec.Selector) > 0 && labels.SelectorFromSet(rc.Spec.Selector).Matches(labels.Set(pod.GetLabels()))
}

// adopt makes a pod one of rc. It asks the server first whether rc is still there: a pod must not
// get an owner that has gone.
func (r *replication) adopt(ctx context.Context, rc *corev1.ReplicationController, pod *corev1.Pod) (bool, error) {
	now := new(corev1.ReplicationController)
	if err := r.server.Get(ctx, client.ObjectKeyFromObject(rc), now); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if now.UID != rc.UID || now.DeletionTimestamp != nil {
		return false, nil
	}
	before := pod.DeepCopy()
	pod.OwnerReferences = append(pod.OwnerReferences, *metav1.NewControllerRef(rc, replicationControllers))
	err := r.Patch(ctx, pod, onlyIfUnchanged(before))
	return err == nil, ignoreStale(err)
}

// disown leaves a pod to itself.
func (r *replication) disown(ctx context.Context, rc *corev1.ReplicationController, pod *corev1.Pod) error {
	before := pod.DeepCopy()
	pod.OwnerReferences = nil
	for _, owner := range before.OwnerReferences {
		if owner.UID != rc.UID {
			pod.OwnerReferences = append(pod.OwnerReferences, owner)
		}
	}
	return ignoreStale(r.Patch(ctx, pod, onlyIfUnchanged(before)))
}

// onlyIfUnchanged is a patch that the server refuses if somebody else was faster: two replication
// controllers with the same selector can't both adopt a pod.
func onlyIfUnchanged(before client.Object) client.Patch {
	return client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
}

// ignoreStale: the object has changed, or gone, since it was read. The event that says so is on its
// way, and brings us back.
func ignoreStale(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// manage makes the pods that are missing, or deletes those that are too many, and returns the pods
// that there are then. It stops at the first failure: what fails once, for lack of quota say, would
// fail for all the others.
func (r *replication) manage(ctx context.Context, rc *corev1.ReplicationController, pods []corev1.Pod) ([]corev1.Pod, error) {
	name, wanted := client.ObjectKeyFromObject(rc), 1
	if rc.Spec.Replicas != nil {
		wanted = int(*rc.Spec.Replicas)
	}
	for len(pods) < wanted {
		pod := newPod(rc)
		if err := r.Create(ctx, pod); err != nil {
			r.expected.forget(name) // who knows whether it was made: the answer may have been lost
			return pods, failure{"FailedCreate", err}
		}
		r.expected.made(name, pod.UID)
		pods = append(pods, *pod)
	}
	if len(pods) == wanted {
		return pods, nil
	}
	bestLast(pods)
	for len(pods) > wanted {
		pod := &pods[0]
		err := r.Delete(ctx, pod, client.Preconditions{UID: &pod.UID})
		if client.IgnoreNotFound(err) != nil {
			r.expected.forget(name)
			return pods, failure{"FailedDelete", err}
		}
		r.expected.removed(name, pod.UID)
		pods = pods[1:]
	}
	return pods, nil
}

// newPod is what the template says, with a name that the server completes.
func newPod(rc *corev1.ReplicationController) *corev1.Pod {
	template := rc.Spec.Template.DeepCopy()
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName:    rc.Name + "-",
			Namespace:       rc.Namespace,
			Labels:          template.Labels,
			Annotations:     template.Annotations,
			Finalizers:      template.Finalizers,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(rc, replicationControllers)},
		},
		Spec: template.Spec,
	}
}
