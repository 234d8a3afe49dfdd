package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// autoscaler keeps the number of replicas of whatever can be scaled within the limits of its
// HorizontalPodAutoscaler. There are no metrics here, so that this is all that it does, and the
// condition ScalingActive says so.
type autoscaler struct{ client.Client }

// period is how often a target is looked at whose changes are not watched.
const period = 15 * time.Second

// addAutoscaler has the manager run it: for autoscalers that change, and for those whose
// replication controller does.
func addAutoscaler(manager ctrl.Manager) error {
	a := &autoscaler{manager.GetClient()}
	return ctrl.NewControllerManagedBy(manager).
		For(new(autoscalingv2.HorizontalPodAutoscaler)).
		Watches(new(corev1.ReplicationController), handler.EnqueueRequestsFromMapFunc(a.scalersOf)).
		WithOptions(patient()).
		Complete(a)
}

// scalersOf are the autoscalers of a replication controller.
func (a *autoscaler) scalersOf(ctx context.Context, rc client.Object) (requests []reconcile.Request) {
	var all autoscalingv2.HorizontalPodAutoscalerList
	if err := a.List(ctx, &all, client.InNamespace(rc.GetNamespace())); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "list autoscalers")
		return nil
	}
	for i := range all.Items {
		if target := all.Items[i].Spec.ScaleTargetRef; target.Kind == "ReplicationController" && target.Name == rc.GetName() {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&all.Items[i])})
		}
	}
	return requests
}

// Reconcile brings the target of one autoscaler within its limits, and tells in the status what it
// saw and did.
func (a *autoscaler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	hpa := new(autoscalingv2.HorizontalPodAutoscaler)
	if err := a.Get(ctx, request.NamespacedName, hpa); err != nil || hpa.DeletionTimestamp != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := hpa.Status.DeepCopy()
	failed := a.scale(ctx, hpa)
	hpa.Status.ObservedGeneration = &hpa.Generation
	if !equality.Semantic.DeepEqual(*before, hpa.Status) {
		if err := ignoreStale(a.Status().Update(ctx, hpa)); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{RequeueAfter: period}, failed
}

// scale asks the target, of whichever kind, for its subresource scale, and writes that back if the
// number has to change.
func (a *autoscaler) scale(ctx context.Context, hpa *autoscalingv2.HorizontalPodAutoscaler) error {
	target, scale := new(unstructured.Unstructured), new(unstructured.Unstructured)
	target.SetAPIVersion(hpa.Spec.ScaleTargetRef.APIVersion)
	target.SetKind(hpa.Spec.ScaleTargetRef.Kind)
	target.SetNamespace(hpa.Namespace)
	target.SetName(hpa.Spec.ScaleTargetRef.Name)
	scale.SetGroupVersionKind(autoscalingv1.SchemeGroupVersion.WithKind("Scale"))
	if err := a.SubResource("scale").Get(ctx, target, scale); err != nil {
		set(hpa, autoscalingv2.AbleToScale, corev1.ConditionFalse, "FailedGetScale", err.Error())
		return err
	}
	asked, _, _ := unstructured.NestedInt64(scale.Object, "spec", "replicas")
	running, _, _ := unstructured.NestedInt64(scale.Object, "status", "replicas")
	set(hpa, autoscalingv2.AbleToScale, corev1.ConditionTrue, "SucceededGetScale", "the target can be scaled")
	desired := decide(hpa, int32(asked))
	if desired != int32(asked) {
		if err := unstructured.SetNestedField(scale.Object, int64(desired), "spec", "replicas"); err != nil {
			return err
		}
		if err := a.SubResource("scale").Update(ctx, target, client.WithSubResourceBody(scale)); err != nil {
			set(hpa, autoscalingv2.AbleToScale, corev1.ConditionFalse, "FailedUpdateScale", err.Error())
			return err
		}
		set(hpa, autoscalingv2.AbleToScale, corev1.ConditionTrue, "SucceededRescale", fmt.Sprintf("the target was scaled from %d to %d", asked, desired))
		hpa.Status.LastScaleTime = new(metav1.Now())
	}
	hpa.Status.CurrentReplicas, hpa.Status.DesiredReplicas = int32(running), desired
	return nil
}

// decide returns the number that is asked for, or the limit that it is beyond. A target with none
// at all is switched off, and stays so.
func decide(hpa *autoscalingv2.HorizontalPodAutoscaler, asked int32) int32 {
	if asked == 0 {
		set(hpa, autoscalingv2.ScalingActive, corev1.ConditionFalse, "ScalingDisabled", "the target has no replicas: scaling is off")
		return 0
	}
	set(hpa, autoscalingv2.ScalingActive, corev1.ConditionFalse, "NoMetrics", "there are no metrics: the number of replicas is kept within its limits only")
	least := int32(1)
	if hpa.Spec.MinReplicas != nil {
		least = *hpa.Spec.MinReplicas
	}
	switch {
	case asked < least:
		set(hpa, autoscalingv2.ScalingLimited, corev1.ConditionTrue, "TooFewReplicas", "the number of replicas was raised to the least that is allowed")
		return least
	case asked > hpa.Spec.MaxReplicas:
		set(hpa, autoscalingv2.ScalingLimited, corev1.ConditionTrue, "TooManyReplicas", "the number of replicas was lowered to the most that is allowed")
		return hpa.Spec.MaxReplicas
	}
	set(hpa, autoscalingv2.ScalingLimited, corev1.ConditionFalse, "DesiredWithinRange", "the number of replicas is within its limits")
	return asked
}

// set sets a condition, and when it began if it is not what it was.
func set(hpa *autoscalingv2.HorizontalPodAutoscaler, is autoscalingv2.HorizontalPodAutoscalerConditionType, status corev1.ConditionStatus, reason, message string) {
	list := &hpa.Status.Conditions
	i := slices.IndexFunc(*list, func(c autoscalingv2.HorizontalPodAutoscalerCondition) bool { return c.Type == is })
	if i < 0 {
		i = len(*list)
		*list = append(*list, autoscalingv2.HorizontalPodAutoscalerCondition{Type: is})
	}
	c := &(*list)[i]
	if c.Status != status {
		c.LastTransitionTime = metav1.Now()
	}
	c.Status, c.Reason, c.Message = status, reason, message
}
