package main

import (
	"context"
	"errors"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// replicas is a replication controller, in a namespace of its own.
type replicas struct {
	w         *world
	namespace string
	labels    map[string]string
}

func replicationChecks(w *world) []check {
	r := &replicas{w: w, namespace: "replication", labels: map[string]string{"app": "web"}}
	return []check{
		{"replication: makes the pods of a controller, and owns them", r.makes},
		{"replication: scales up by the scale subresource", func(ctx context.Context) error { return r.scaleTo(ctx, 4) }},
		{"replication: scales down by the scale subresource", func(ctx context.Context) error { return r.scaleTo(ctx, 2) }},
		{"replication: makes another pod for one that was deleted", r.replaces},
		{"replication: releases a pod whose labels changed, and makes another", r.releases},
		{"replication: adopts a pod whose labels match", r.adopts},
		{"replication: status counts the pods that are ready", r.status},
	}
}

func (r *replicas) controllers() corev1.ReplicationControllerInterface {
	return r.w.client.CoreV1().ReplicationControllers(r.namespace)
}

func (r *replicas) pods() corev1.PodInterface { return r.w.client.CoreV1().Pods(r.namespace) }

func (r *replicas) makes(ctx context.Context) error {
	if err := r.w.namespace(ctx, r.namespace); err != nil {
		return err
	}
	three, t := int32(3), template(r.labels)
	rc, err := r.controllers().Create(ctx, &v1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       v1.ReplicationControllerSpec{Replicas: &three, Template: &t},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := r.awaitOwned(ctx, 3); err != nil {
		return err
	}
	pods, err := r.owned(ctx)
	if err != nil {
		return err
	}
	for _, p := range pods {
		owner := metav1.GetControllerOf(&p)
		if err := want(owner.UID == rc.UID && p.GenerateName == "web-", "%s is owned by %v, generated from %q", p.Name, owner, p.GenerateName); err != nil {
			return err
		}
	}
	return nil
}

// owned are the pods that the controller owns and nobody deleted.
func (r *replicas) owned(ctx context.Context) ([]v1.Pod, error) {
	list, err := r.pods().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var pods []v1.Pod
	for _, p := range list.Items {
		if metav1.IsControlledBy(&p, &metav1.ObjectMeta{UID: r.uid(ctx)}) && p.DeletionTimestamp == nil {
			pods = append(pods, p)
		}
	}
	return pods, nil
}

func (r *replicas) uid(ctx context.Context) types.UID {
	rc, err := r.controllers().Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return "unknown"
	}
	return rc.UID
}

// awaitOwned waits until the controller has n pods, and says so in its status.
func (r *replicas) awaitOwned(ctx context.Context, n int) error {
	return eventually(ctx, func(ctx context.Context) error {
		pods, err := r.owned(ctx)
		if err != nil {
			return err
		}
		rc, err := r.controllers().Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		s := rc.Status
		return want(len(pods) == n && int(s.Replicas) == n && int(s.FullyLabeledReplicas) == n && s.ObservedGeneration == rc.Generation,
			"%d pods, generation %d, status %v", len(pods), rc.Generation, s.String())
	})
}

func (r *replicas) scaleTo(ctx context.Context, n int) error {
	s, err := r.controllers().GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	s.Spec = autoscalingv1.ScaleSpec{Replicas: int32(n)}
	if _, err := r.controllers().UpdateScale(ctx, "web", s, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return r.awaitOwned(ctx, n)
}

// first is a pod of the controller.
func (r *replicas) first(ctx context.Context) (*v1.Pod, error) {
	pods, err := r.owned(ctx)
	if err != nil {
		return nil, err
	}
	if len(pods) == 0 {
		return nil, errors.New("the controller has no pod")
	}
	return &pods[0], nil
}

func (r *replicas) replaces(ctx context.Context) error {
	p, err := r.first(ctx)
	if err != nil {
		return err
	}
	if err := r.pods().Delete(ctx, p.Name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return r.awaitOwned(ctx, 2)
}

func (r *replicas) releases(ctx context.Context) error {
	p, err := r.first(ctx)
	if err != nil {
		return err
	}
	if _, err := r.pods().Patch(ctx, p.Name, types.MergePatchType, mergePatch(`{"metadata":{"labels":{"app":"other"}}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	err = eventually(ctx, func(ctx context.Context) error {
		p, err := r.pods().Get(ctx, p.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return want(len(p.OwnerReferences) == 0, "it is owned by %v", p.OwnerReferences)
	})
	if err != nil {
		return err
	}
	return r.awaitOwned(ctx, 2)
}

// adopts has a controller that wants no pod find one. It takes it for its own, and then deletes it:
// a finalizer keeps it to be looked at.
func (r *replicas) adopts(ctx context.Context) error {
	if err := r.scaleTo(ctx, 0); err != nil {
		return err
	}
	orphan, err := r.pods().Create(ctx, pod("orphan", map[string]string{"app": "waits"}), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if _, err := r.pods().Patch(ctx, orphan.Name, types.MergePatchType, mergePatch(`{"metadata":{"labels":{"app":"web"},"finalizers":["example.com/keep"]}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	err = eventually(ctx, func(ctx context.Context) error {
		p, err := r.pods().Get(ctx, orphan.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return want(metav1.IsControlledBy(p, &metav1.ObjectMeta{UID: r.uid(ctx)}), "it is owned by %v", p.OwnerReferences)
	})
	if err != nil {
		return err
	}
	_, err = r.pods().Patch(ctx, orphan.Name, types.MergePatchType, mergePatch(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	return err
}

func (r *replicas) status(ctx context.Context) error {
	if err := r.scaleTo(ctx, 2); err != nil {
		return err
	}
	p, err := r.first(ctx)
	if err != nil {
		return err
	}
	p.Status.Phase = v1.PodRunning
	p.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	if _, err := r.pods().UpdateStatus(ctx, p, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return eventually(ctx, func(ctx context.Context) error {
		rc, err := r.controllers().Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if rc.Status.ReadyReplicas != 1 || rc.Status.AvailableReplicas != 1 {
			return fmt.Errorf("status %v", rc.Status.String())
		}
		return writtenBy(rc, "status")
	})
}
