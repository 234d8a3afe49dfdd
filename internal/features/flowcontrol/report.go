package flowcontrol

import (
	"context"
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

// conditionInvalid is the condition of a flow schema or priority level that has no effect.
// Kubernetes has no such condition. It is False once a later generation is valid.
const conditionInvalid = "Invalid"

// report is the content of the condition.
type report struct {
	status          flowcontrolv1.ConditionStatus
	reason, message string
}

// reportOf returns the condition of an object. current is the message of its present condition, ""
// for none. ok is false if there is nothing to write: the object is valid and always was, or its
// generation is reported. A generation is reported once, so servers of two releases never undo each
// other's writes.
func reportOf(generation int64, problem error, current string) (r report, ok bool) {
	begin := fmt.Sprintf("Generation %d is ", generation)
	if strings.HasPrefix(current, begin) || problem == nil && current == "" {
		return report{}, false
	}
	if problem == nil {
		return report{flowcontrolv1.ConditionFalse, "Valid", begin + "valid"}, true
	}
	return report{flowcontrolv1.ConditionTrue, "NotValid", fmt.Sprintf("%snot valid and has no effect: %.1000s", begin, problem)}, true
}

// reportSchema writes the condition of a flow schema. If the schema has changed meanwhile, it comes
// again.
func (k *keeper) reportSchema(ctx context.Context, s *flowcontrolv1.FlowSchema, problem error) error {
	next := s.DeepCopy()
	i := slices.IndexFunc(next.Status.Conditions, func(c flowcontrolv1.FlowSchemaCondition) bool { return c.Type == conditionInvalid })
	current := ""
	if i >= 0 {
		current = next.Status.Conditions[i].Message
		next.Status.Conditions = slices.Delete(next.Status.Conditions, i, i+1)
	}
	r, ok := reportOf(s.Generation, problem, current)
	if !ok {
		return nil
	}
	next.Status.Conditions = append(next.Status.Conditions, flowcontrolv1.FlowSchemaCondition{
		Type: conditionInvalid, Status: r.status, Reason: r.reason, Message: r.message, LastTransitionTime: metav1.Now(),
	})
	_, _, err := k.status.Update.Update(ctx, new(rest.Request), rest.Name{Name: s.Name}, next, metav1.UpdateOptions{})
	return ignoreOvertaken(err)
}

// reportLevel is reportSchema for a priority level.
func (k *keeper) reportLevel(ctx context.Context, l *flowcontrolv1.PriorityLevelConfiguration, problem error) error {
	next := l.DeepCopy()
	i := slices.IndexFunc(next.Status.Conditions, func(c flowcontrolv1.PriorityLevelConfigurationCondition) bool { return c.Type == conditionInvalid })
	current := ""
	if i >= 0 {
		current = next.Status.Conditions[i].Message
		next.Status.Conditions = slices.Delete(next.Status.Conditions, i, i+1)
	}
	r, ok := reportOf(l.Generation, problem, current)
	if !ok {
		return nil
	}
	next.Status.Conditions = append(next.Status.Conditions, flowcontrolv1.PriorityLevelConfigurationCondition{
		Type: conditionInvalid, Status: r.status, Reason: r.reason, Message: r.message, LastTransitionTime: metav1.Now(),
	})
	_, _, err := k.levelStatus.Update.Update(ctx, new(rest.Request), rest.Name{Name: l.Name}, next, metav1.UpdateOptions{})
	return ignoreOvertaken(err)
}

// ignoreOvertaken returns nil for an object that was changed or removed meanwhile.
func ignoreOvertaken(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
