package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
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
	deletion, err := deletionOf(eviction, opts)
	if err != nil {
		return nil, err
	}
	if err := req.Check(ctx, eviction, nil); err != nil {
		return nil, err
	}
	for range evictionAttempts {
		var pod *corev1.Pod
		if pod, err = e.pod(ctx, name); err == nil {
			err = meant(pod, deletion.Preconditions)
		}
		if err != nil {
			return nil, err
		}
		if err = e.evict(ctx, pod, deletion); !apierrors.IsConflict(err) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return registry.Answer(&metav1.Status{Status: metav1.StatusSuccess, Code: http.StatusCreated}), nil
}

// deletionOf are the options with which the pod is deleted. A dry run may be asked for in them, or
// in the request.
func deletionOf(eviction *policyv1.Eviction, opts metav1.CreateOptions) (metav1.DeleteOptions, error) {
	if eviction.DeleteOptions == nil {
		return metav1.DeleteOptions{DryRun: opts.DryRun}, nil
	}
	deletion := *eviction.DeleteOptions.DeepCopy()
	at, errs := field.NewPath("deleteOptions"), field.ErrorList{}
	for _, err := range metav1validation.ValidateDeleteOptions(&deletion) {
		err.Field = at.Child(err.Field).String()
		errs = append(errs, err)
	}
	if unsafe := deletion.IgnoreStoreReadErrorWithClusterBreakingPotential; unsafe != nil && *unsafe {
		errs = append(errs, field.Invalid(at.Child("ignoreStoreReadErrorWithClusterBreakingPotential"), true, "can not be set for pod eviction, try after removing the option"))
	}
	if len(errs) > 0 {
		return deletion, rest.Invalid(schema.GroupKind{Group: policyv1.GroupName, Kind: "Eviction"}, eviction.Name, errs)
	}
	if len(deletion.DryRun) == 0 {
		deletion.DryRun = opts.DryRun
	}
	return deletion, nil
}

func (e *evictor) pod(ctx context.Context, name rest.Name) (*corev1.Pod, error) {
	view, err := e.pods.Get.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	pod := new(corev1.Pod)
	if err := rest.Read(view, pod); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return pod, nil
}

// meant refuses a pod that is not the one which a client has seen. It is asked before the budget:
// nothing is charged for what stays.
func meant(pod *corev1.Pod, seen *metav1.Preconditions) error {
	if seen == nil {
		return nil
	}
	conflict := func(what string, want, is any) error {
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, pod.Name, fmt.Errorf("the %s in the precondition (%v) does not match the %s in record (%v)", what, want, what, is))
	}
	if uid := seen.UID; uid != nil && *uid != pod.UID {
		return conflict("UID", *uid, pod.UID)
	}
	if revision := seen.ResourceVersion; revision != nil && *revision != pod.ResourceVersion {
		return conflict("ResourceVersion", *revision, pod.ResourceVersion)
	}
	return nil
}

// evict asks the budget, and deletes the pod. A conflict says that somebody else has changed one of
// them. One that goes for what its status says must not have changed: it could be ready by now, and
// a budget need it.
func (e *evictor) evict(ctx context.Context, pod *corev1.Pod, deletion metav1.DeleteOptions) error {
	dryRun, going := len(deletion.DryRun) > 0, pod.DeletionTimestamp != nil
	asSeen := pod.Status.Phase == corev1.PodPending && !going
	if !going && !slices.Contains([]corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed, corev1.PodPending}, pod.Status.Phase) {
		spared, err := e.charge(ctx, pod, dryRun)
		if err != nil {
			return err
		}
		asSeen = spared
	}
	if !dryRun {
		revision, err := e.mark(ctx, pod, asSeen)
		if err != nil {
			return err
		}
		deletion.Preconditions = after(deletion.Preconditions, revision, asSeen)
	}
	_, err := e.pods.Delete.Delete(ctx, new(rest.Request), nameOf(pod), deletion)
	return err
}

func nameOf(pod *corev1.Pod) rest.Name { return rest.Name{Namespace: pod.Namespace, Name: pod.Name} }

// after are preconditions that hold for a pod that was marked, which is another revision.
func after(seen *metav1.Preconditions, revision string, asSeen bool) *metav1.Preconditions {
	if seen == nil {
		seen = &metav1.Preconditions{}
	}
	if asSeen || seen.ResourceVersion != nil && *seen.ResourceVersion != "" {
		return &metav1.Preconditions{UID: seen.UID, ResourceVersion: &revision}
	}
	return seen
}

// mark says in the status of a pod why it goes, and returns its resourceVersion then. asSeen says
// that nobody may have changed it.
func (e *evictor) mark(ctx context.Context, pod *corev1.Pod, asSeen bool) (revision string, err error) {
	seen := fmt.Sprintf("%q:%q", "uid", pod.UID)
	if asSeen {
		seen += fmt.Sprintf(",%q:%q", "resourceVersion", pod.ResourceVersion)
	}
	patch := fmt.Sprintf(`{"metadata":{%s},"status":{"conditions":[{"type":"DisruptionTarget","status":"True","reason":"EvictionByEvictionAPI","message":"Eviction API: evicting","lastTransitionTime":%q}]}}`,
		seen, time.Now().UTC().Format(time.RFC3339))
	view, _, err := e.status.Patch.Patch(ctx, new(rest.Request), nameOf(pod), rest.Patch{Type: types.StrategicMergePatchType, Bytes: []byte(patch)}, metav1.PatchOptions{})
	if err != nil {
		return "", err
	}
	var marked metav1.PartialObjectMetadata
	if err := rest.Read(view, &marked); err != nil {
		return "", apierrors.NewInternalError(err)
	}
	return marked.ResourceVersion, nil
}

// charge takes one from what the budget for a pod allows, if there is a budget. spared says that it
// took none, for what the pod's status says.
func (e *evictor) charge(ctx context.Context, pod *corev1.Pod, dryRun bool) (spared bool, err error) {
	var list policyv1.PodDisruptionBudgetList
	view, err := e.budgets.List.List(ctx, pod.Namespace, metav1.ListOptions{})
	if err == nil {
		err = rest.Read(view, &list)
	}
	if err != nil {
		return false, err
	}
	all := slices.DeleteFunc(list.Items, func(b policyv1.PodDisruptionBudget) bool {
		selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		return err != nil || !selector.Matches(labels.Set(pod.Labels))
	})
	switch len(all) {
	case 0:
		return false, nil
	case 1:
	default:
		return false, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
			Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
		}}
	}
	budget := &all[0]
	if isSpared(pod, budget) {
		return true, nil
	}
	if err := allowed(budget); err != nil || dryRun {
		return false, err
	}
	if budget.Status.DisruptionsAllowed--; budget.Status.DisruptionsAllowed == 0 {
		meta.SetStatusCondition(&budget.Status.Conditions, metav1.Condition{
			Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.InsufficientPodsReason, ObservedGeneration: budget.Status.ObservedGeneration,
		})
	}
	if budget.Status.DisruptedPods == nil {
		budget.Status.DisruptedPods = map[string]metav1.Time{}
	}
	budget.Status.DisruptedPods[pod.Name] = metav1.Now()
	_, _, err = e.counts.Update.Update(ctx, new(rest.Request), rest.Name{Namespace: budget.Namespace, Name: budget.Name}, budget, metav1.UpdateOptions{})
	return false, err
}

// isSpared says whether a pod does not count, since it is not ready, and its budget does not need
// it.
func isSpared(pod *corev1.Pod, budget *policyv1.PodDisruptionBudget) bool {
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

// allowed says why a budget does not let a pod go, as checkAndDecrement does in
// pkg/registry/core/pod/storage of Kubernetes.
func allowed(budget *policyv1.PodDisruptionBudget) error {
	status := &budget.Status
	switch {
	case status.ObservedGeneration < budget.Generation:
		return notNow(10, fmt.Sprintf("The disruption budget %s is still being processed by the server.", budget.Name))
	case status.DisruptionsAllowed < 0:
		return never(budget, "pdb disruptions allowed is negative", "pdb disruptions allowed is negative")
	case len(status.DisruptedPods) > mostDisrupted:
		return never(budget, "DisruptedPods map too big - too many evictions not confirmed by PDB controller", "too many pending evictions not confirmed by PDB controller")
	case status.DisruptionsAllowed == 0:
		return notNow(0, exhausted(budget))
	}
	return nil
}

// notNow says that a pod stays for a time, and for how many seconds if that is known.
func notNow(seconds int, cause string) error {
	err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", seconds)
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: policyv1.DisruptionBudgetCause, Message: cause})
	return err
}

// never says that a budget can't be counted on.
func never(budget *policyv1.PodDisruptionBudget, why, cause string) error {
	err := apierrors.NewForbidden(schema.GroupResource{Group: policyv1.GroupName, Resource: "poddisruptionbudget"}, budget.Name, errors.New(why))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type: policyv1.DisruptionBudgetCause, Message: fmt.Sprintf("The disruption budget %s does not allow evicting pods currently: %s", budget.Name, cause),
	})
	return err
}

// exhausted says why a budget lets no more pods go.
func exhausted(budget *policyv1.PodDisruptionBudget) string {
	status, why := &budget.Status, metav1.Condition{}
	if c := meta.FindStatusCondition(budget.Status.Conditions, policyv1.DisruptionAllowedCondition); c != nil && c.Status == metav1.ConditionFalse && c.Message != "" {
		why = *c
	}
	switch {
	case why.Reason == policyv1.SyncFailedReason: // then nothing was counted
		return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently because it failed sync: %s", budget.Name, why.Message)
	case status.CurrentHealthy <= status.DesiredHealthy:
		return fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently", budget.Name, status.DesiredHealthy, status.CurrentHealthy)
	case why.Message != "":
		return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently (%s): %s", budget.Name, why.Reason, why.Message)
	}
	return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently", budget.Name)
}
