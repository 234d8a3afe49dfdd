package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// Budgets have this many pods that are on their way out, and are asked this often.
const (
	mostDisrupted    = 2000
	evictionAttempts = 20
)

// evictions serves POST …/pods/{name}/eviction: a pod is deleted if the budget for it allows that.
func evictions() typeplane.API {
	return typeplane.API{
		Virtual: []string{"pods/eviction"},
		Extend: func(_ context.Context, h *typeplane.Host) error {
			core, policy := corev1.SchemeGroupVersion, policyv1.SchemeGroupVersion
			pods := h.Resource(core.WithResource("pods"), "")
			e := &evictor{
				pods: pods, status: h.Resource(core.WithResource("pods"), "status"),
				budgets: h.Resource(policy.WithResource("poddisruptionbudgets"), ""), counts: h.Resource(policy.WithResource("poddisruptionbudgets"), "status"),
			}
			h.Resources = append(h.Resources, &rest.Resource{
				GroupVersion: core, Kind: pods.Kind, Name: pods.Name, Singular: pods.Singular, Namespaced: true, Subresource: "eviction",
				BodyKind: policy.WithKind("Eviction"), NewBody: func() rest.Body { return new(policyv1.Eviction) },
				AnswerKind: schema.GroupVersionKind{Version: "v1", Kind: "Status"},
				Create:     e,
			})
			return nil
		},
	}
}

type evictor struct{ pods, status, budgets, counts *rest.Resource }

// Create evicts a pod.
func (e *evictor) Create(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.CreateOptions) (rest.View, error) {
	eviction := obj.(*policyv1.Eviction)
	if eviction.Name != name.Name {
		return nil, apierrors.NewBadRequest("name in URL does not match name in Eviction object")
	}
	if err := req.Check(ctx, eviction, nil); err != nil {
		return nil, err
	}
	deletion := metav1.DeleteOptions{}
	if eviction.DeleteOptions != nil {
		deletion = *eviction.DeleteOptions.DeepCopy()
	}
	if len(deletion.DryRun) == 0 {
		deletion.DryRun = opts.DryRun
	}
	var err error
	for range evictionAttempts {
		if err = e.evict(ctx, name, deletion); !apierrors.IsConflict(err) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return answer{&metav1.Status{Status: metav1.StatusSuccess, Code: http.StatusCreated}}, nil
}

// evict asks the budget, and deletes the pod. A conflict says that somebody else has changed one of
// them.
func (e *evictor) evict(ctx context.Context, name rest.Name, deletion metav1.DeleteOptions) error {
	view, err := e.pods.Get.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	var pod corev1.Pod
	if err := rest.Read(view, &pod); err != nil {
		return apierrors.NewInternalError(err)
	}
	counts := pod.DeletionTimestamp == nil && !slices.Contains([]corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed, corev1.PodPending}, pod.Status.Phase)
	if counts {
		if err := e.charge(ctx, &pod, len(deletion.DryRun) > 0); err != nil {
			return err
		}
	}
	if len(deletion.DryRun) == 0 {
		if err := e.mark(ctx, name, pod.UID); err != nil {
			return err
		}
	}
	_, err = e.pods.Delete.Delete(ctx, new(rest.Request), name, deletion)
	return err
}

// mark says in the status of a pod why it goes.
func (e *evictor) mark(ctx context.Context, name rest.Name, uid types.UID) error {
	patch := fmt.Sprintf(`{"metadata":{"uid":%q},"status":{"conditions":[{"type":"DisruptionTarget","status":"True","reason":"EvictionByEvictionAPI","message":"Eviction API: evicting","lastTransitionTime":%q}]}}`,
		uid, time.Now().UTC().Format(time.RFC3339))
	_, _, err := e.status.Patch.Patch(ctx, new(rest.Request), name, rest.Patch{Type: types.StrategicMergePatchType, Bytes: []byte(patch)}, metav1.PatchOptions{})
	return err
}

// charge takes one from what the budget for a pod allows, if there is a budget.
func (e *evictor) charge(ctx context.Context, pod *corev1.Pod, dryRun bool) error {
	var list policyv1.PodDisruptionBudgetList
	view, err := e.budgets.List.List(ctx, pod.Namespace, metav1.ListOptions{})
	if err == nil {
		err = rest.Read(view, &list)
	}
	if err != nil {
		return err
	}
	all := slices.DeleteFunc(list.Items, func(b policyv1.PodDisruptionBudget) bool {
		selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		return err != nil || !selector.Matches(labels.Set(pod.Labels))
	})
	switch len(all) {
	case 0:
		return nil
	case 1:
	default:
		return apierrors.NewInternalError(errors.New("this pod has more than one PodDisruptionBudget, which the eviction subresource does not support"))
	}
	budget := &all[0]
	if spared(pod, budget) {
		return nil
	}
	if err := allowed(budget); err != nil || dryRun {
		return err
	}
	budget.Status.DisruptionsAllowed--
	if budget.Status.DisruptedPods == nil {
		budget.Status.DisruptedPods = map[string]metav1.Time{}
	}
	budget.Status.DisruptedPods[pod.Name] = metav1.Now()
	_, _, err = e.counts.Update.Update(ctx, new(rest.Request), rest.Name{Namespace: budget.Namespace, Name: budget.Name}, budget, metav1.UpdateOptions{})
	return err
}

// spared says whether a pod does not count, since it is not ready and its budget does not need it.
func spared(pod *corev1.Pod, budget *policyv1.PodDisruptionBudget) bool {
	if slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	}) {
		return false
	}
	if p := budget.Spec.UnhealthyPodEvictionPolicy; p != nil && *p == policyv1.AlwaysAllow {
		return true
	}
	return budget.Status.CurrentHealthy >= budget.Status.DesiredHealthy && budget.Status.DesiredHealthy > 0
}

// allowed says why a budget does not let a pod go.
func allowed(budget *policyv1.PodDisruptionBudget) error {
	status := &budget.Status
	no := func(seconds int, format string, args ...any) error {
		err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", seconds)
		err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: policyv1.DisruptionBudgetCause, Message: fmt.Sprintf(format, args...)})
		return err
	}
	switch {
	case status.ObservedGeneration < budget.Generation:
		return no(10, "The disruption budget %s is still being processed by the server.", budget.Name)
	case len(status.DisruptedPods) > mostDisrupted:
		return apierrors.NewForbidden(schema.GroupResource{Group: "policy", Resource: "poddisruptionbudget"}, budget.Name,
			errors.New("DisruptedPods map too big - too many evictions not confirmed by PDB controller"))
	case status.DisruptionsAllowed <= 0:
		return no(0, "The disruption budget %s needs %d healthy pods and has %d currently", budget.Name, status.DesiredHealthy, status.CurrentHealthy)
	}
	return nil
}

// answer writes an object.
type answer struct{ status *metav1.Status }

func (a answer) WriteTo(w io.Writer, form rest.Representation) error {
	return serializer.Encode(w, a.status, serializer.MediaType(form.MediaType), form.Pretty)
}
