package namespace

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// tell writes into the namespace why it is still there. The types and reasons are those of
// Kubernetes, which tools look for.
func (c *controller) tell(ctx context.Context, ns *corev1.Namespace, left []remaining, failure error) error {
	conditions := conditionsOf(left, failure)
	return c.write(ctx, ns, c.status, func(current *corev1.Namespace) bool {
		changed := false
		for _, want := range conditions {
			changed = setCondition(&current.Status, want) || changed
		}
		return changed
	})
}

func conditionsOf(left []remaining, failure error) []corev1.NamespaceCondition {
	var contents []string
	finalizers := map[string]int{}
	for _, l := range left {
		resource := schema.GroupResource{Group: l.resource.GroupVersion.Group, Resource: l.resource.Name}
		contents = append(contents, fmt.Sprintf("%s has %d resource instances", resource, l.count))
		for f, n := range l.finalizers {
			finalizers[f] += n
		}
	}
	slices.Sort(contents)
	var kept []string
	for _, f := range slices.Sorted(maps.Keys(finalizers)) {
		kept = append(kept, fmt.Sprintf("%s in %d resource instances", f, finalizers[f]))
	}
	why := ""
	if failure != nil {
		why = "Failed to delete all resource types: " + failure.Error()
	}
	return []corev1.NamespaceCondition{
		condition(corev1.NamespaceDeletionContentFailure, why, "ContentDeletionFailed", "ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
		condition(corev1.NamespaceContentRemaining, some("Some resources are remaining: ", contents), "SomeResourcesRemain", "ContentRemoved", "All content successfully removed"),
		condition(corev1.NamespaceFinalizersRemaining, some("Some content in the namespace has finalizers remaining: ", kept), "SomeFinalizersRemain", "ContentHasNoFinalizers", "All content-preserving finalizers finished"),
	}
}

func some(text string, items []string) string {
	if len(items) == 0 {
		return ""
	}
	return text + strings.Join(items, ", ")
}

// condition is true, with the problem, if there is one, else false.
func condition(typ corev1.NamespaceConditionType, problem, reason, otherwise, fine string) corev1.NamespaceCondition {
	if problem == "" {
		return corev1.NamespaceCondition{Type: typ, Status: corev1.ConditionFalse, Reason: otherwise, Message: fine}
	}
	return corev1.NamespaceCondition{Type: typ, Status: corev1.ConditionTrue, Reason: reason, Message: problem}
}

// setCondition says whether there is a change.
func setCondition(status *corev1.NamespaceStatus, want corev1.NamespaceCondition) bool {
	want.LastTransitionTime = metav1.Now()
	i := slices.IndexFunc(status.Conditions, func(c corev1.NamespaceCondition) bool { return c.Type == want.Type })
	if i < 0 {
		status.Conditions = append(status.Conditions, want)
		return true
	}
	have := &status.Conditions[i]
	if have.Status == want.Status && have.Reason == want.Reason && have.Message == want.Message {
		return false
	}
	if have.Status == want.Status {
		want.LastTransitionTime = have.LastTransitionTime
	}
	*have = want
	return true
}
