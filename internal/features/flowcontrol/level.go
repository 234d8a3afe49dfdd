package flowcontrol

import (
	"context"
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/fairness"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// PriorityLevelConfigurationStrategy holds the rules of priority levels, and their columns.
type PriorityLevelConfigurationStrategy struct{}

// Validate says what is wrong with a priority level.
func (PriorityLevelConfigurationStrategy) Validate(_ context.Context, l *flowcontrolv1.PriorityLevelConfiguration) field.ErrorList {
	path := field.NewPath("spec")
	errs := validateLevelSpec(l.Name, &l.Spec, path)
	for _, fixed := range fairness.Mandatory().Levels {
		if fixed.Name == l.Name {
			errs = append(errs, validateFixed(l, &fromLevel(fixed).Spec, path)...)
		}
	}
	return errs
}

// validateFixed judges a level that every server has. Of the exempt one the operator may change how
// much it lends.
func validateFixed(l *flowcontrolv1.PriorityLevelConfiguration, fixed *flowcontrolv1.PriorityLevelConfigurationSpec, path *field.Path) field.ErrorList {
	have, problem := l.Spec, "must equal the fixed value"
	if l.Name == flowcontrolv1.PriorityLevelConfigurationNameExempt {
		have.Exempt, fixed.Exempt = nil, nil
		problem = "except the 'spec.exempt' field must equal the fixed value"
	}
	if semantic.Equal(have, *fixed) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, l.Spec, fmt.Sprintf("spec of '%s' %s", l.Name, problem))}
}

// ValidateStatusUpdate says what is wrong with a status.
func (PriorityLevelConfigurationStrategy) ValidateStatusUpdate(_ context.Context, l, _ *flowcontrolv1.PriorityLevelConfiguration) field.ErrorList {
	return validateConditions(l.Status.Conditions, func(c flowcontrolv1.PriorityLevelConfigurationCondition) string { return string(c.Type) })
}

func validateLevelSpec(name string, s *flowcontrolv1.PriorityLevelConfigurationSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	exempt := s.Type == flowcontrolv1.PriorityLevelEnablementExempt
	if (name == flowcontrolv1.PriorityLevelConfigurationNameExempt) != exempt {
		errs = append(errs, field.Invalid(path.Child("type"), s.Type, "type must be 'Exempt' if and only if name is 'exempt'"))
	}
	switch s.Type { // that it is there, and which of the two structs, the tags of the type say
	case flowcontrolv1.PriorityLevelEnablementExempt:
		if s.Exempt != nil {
			errs = append(errs, validateShare(s.Exempt.NominalConcurrencyShares, s.Exempt.LendablePercent, path.Child("exempt"))...)
		}
	case flowcontrolv1.PriorityLevelEnablementLimited:
		if s.Limited != nil {
			errs = append(errs, validateLimited(s.Limited, path.Child("limited"))...)
		}
	case "":
	default:
		errs = append(errs, oneOf(path.Child("type"), s.Type, flowcontrolv1.PriorityLevelEnablementExempt, flowcontrolv1.PriorityLevelEnablementLimited)...)
	}
	return errs
}

// validateShare judges what a level has and lends.
func validateShare(shares, lendable *int32, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if shares != nil && *shares < 0 {
		errs = append(errs, field.Invalid(path.Child("nominalConcurrencyShares"), *shares, "must be a non-negative integer"))
	}
	if lendable != nil && (*lendable < 0 || *lendable > 100) {
		errs = append(errs, field.Invalid(path.Child("lendablePercent"), *lendable, "must be between 0 and 100, inclusive"))
	}
	return errs
}

func validateLimited(l *flowcontrolv1.LimitedPriorityLevelConfiguration, path *field.Path) field.ErrorList {
	errs := validateShare(l.NominalConcurrencyShares, l.LendablePercent, path)
	if p := l.BorrowingLimitPercent; p != nil && *p < 0 {
		errs = append(errs, field.Invalid(path.Child("borrowingLimitPercent"), *p, "if specified, must be a non-negative integer"))
	}
	response := path.Child("limitResponse")
	switch l.LimitResponse.Type {
	case flowcontrolv1.LimitResponseTypeReject:
	case "":
	case flowcontrolv1.LimitResponseTypeQueue:
		if l.LimitResponse.Queuing != nil {
			errs = append(errs, validateQueuing(l.LimitResponse.Queuing, response.Child("queuing"))...)
		}
	default:
		errs = append(errs, oneOf(response.Child("type"), l.LimitResponse.Type, flowcontrolv1.LimitResponseTypeQueue, flowcontrolv1.LimitResponseTypeReject)...)
	}
	return errs
}

// maxQueues bounds the memory of a level.
const maxQueues = 10_000_000

func validateQueuing(q *flowcontrolv1.QueuingConfiguration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if q.QueueLengthLimit <= 0 {
		errs = append(errs, field.Invalid(path.Child("queueLengthLimit"), q.QueueLengthLimit, "must be positive"))
	}
	if q.Queues <= 0 {
		errs = append(errs, field.Invalid(path.Child("queues"), q.Queues, "must be positive"))
	} else if q.Queues > maxQueues {
		errs = append(errs, field.Invalid(path.Child("queues"), q.Queues, fmt.Sprintf("must not be greater than %d", maxQueues)))
	}
	hand := path.Child("handSize")
	switch entropy := fairness.Entropy(int(q.Queues), int(q.HandSize)); {
	case q.HandSize <= 0:
		errs = append(errs, field.Invalid(hand, q.HandSize, "must be positive"))
	case q.HandSize > q.Queues:
		errs = append(errs, field.Invalid(hand, q.HandSize, fmt.Sprintf("should not be greater than queues (%d)", q.Queues)))
	case entropy > fairness.MaxEntropy:
		errs = append(errs, field.Invalid(hand, q.HandSize, fmt.Sprintf("required entropy bits of deckSize %d and handSize %d should not be greater than %d", q.Queues, q.HandSize, fairness.MaxEntropy)))
	}
	return errs
}

// Columns are what kubectl get shows of priority levels.
func (PriorityLevelConfigurationStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Type", Type: "string", Description: "Whether the requests of the level are limited, or never wait."},
		{Name: "NominalConcurrencyShares", Type: "string", Description: "The share of the level in the seats of the server."},
		{Name: "Queues", Type: "string", Description: "How many queues requests wait in."},
		{Name: "HandSize", Type: "string", Description: "How many of the queues a flow has."},
		{Name: "QueueLengthLimit", Type: "string", Description: "How many requests may wait in a queue."},
		{Name: "Age", Type: "date", Description: "The time since the level was created."},
	}
}

// Cells fills the columns for one priority level.
func (PriorityLevelConfigurationStrategy) Cells(l *flowcontrolv1.PriorityLevelConfiguration) []any {
	shares, queues, hand, length := "<none>", "<none>", "<none>", "<none>"
	if limited := l.Spec.Limited; limited != nil {
		shares = fmt.Sprint(number(limited.NominalConcurrencyShares))
		if q := limited.LimitResponse.Queuing; q != nil {
			queues, hand, length = fmt.Sprint(q.Queues), fmt.Sprint(q.HandSize), fmt.Sprint(q.QueueLengthLimit)
		}
	}
	return []any{string(l.Spec.Type), shares, queues, hand, length, l.CreationTimestamp}
}
