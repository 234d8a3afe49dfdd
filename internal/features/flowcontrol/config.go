package flowcontrol

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/fairness"
)

// ConfigOf is what the objects mean.
func ConfigOf(schemas []*flowcontrolv1.FlowSchema, levels []*flowcontrolv1.PriorityLevelConfiguration) fairness.Config {
	var c fairness.Config
	for _, s := range schemas {
		c.Schemas = append(c.Schemas, toSchema(s))
	}
	for _, l := range levels {
		c.Levels = append(c.Levels, toLevel(l))
	}
	return c
}

func toSchema(s *flowcontrolv1.FlowSchema) fairness.Schema {
	schema := fairness.Schema{Name: s.Name, UID: string(s.UID), Level: s.Spec.PriorityLevelConfiguration.Name, Precedence: s.Spec.MatchingPrecedence}
	if s.Spec.DistinguisherMethod != nil {
		schema.By = fairness.Distinguisher(s.Spec.DistinguisherMethod.Type)
	}
	for _, from := range s.Spec.Rules {
		var rule fairness.Rule
		for _, subject := range from.Subjects {
			rule.Subjects = append(rule.Subjects, toSubject(subject))
		}
		for _, r := range from.ResourceRules {
			rule.Resources = append(rule.Resources, fairness.ResourceRule{Verbs: r.Verbs, Groups: r.APIGroups, Resources: r.Resources, Namespaces: r.Namespaces, ClusterScope: r.ClusterScope})
		}
		for _, r := range from.NonResourceRules {
			rule.Paths = append(rule.Paths, fairness.PathRule{Verbs: r.Verbs, Paths: r.NonResourceURLs})
		}
		schema.Rules = append(schema.Rules, rule)
	}
	return schema
}

// toSubject is nobody where the kind and the rest of the subject do not fit.
func toSubject(s flowcontrolv1.Subject) fairness.Subject {
	switch {
	case s.Kind == flowcontrolv1.SubjectKindUser && s.User != nil:
		return fairness.Subject{Kind: fairness.User, Name: s.User.Name}
	case s.Kind == flowcontrolv1.SubjectKindGroup && s.Group != nil:
		return fairness.Subject{Kind: fairness.Group, Name: s.Group.Name}
	case s.Kind == flowcontrolv1.SubjectKindServiceAccount && s.ServiceAccount != nil:
		return fairness.Subject{Kind: fairness.ServiceAccount, Namespace: s.ServiceAccount.Namespace, Name: s.ServiceAccount.Name}
	}
	return fairness.Subject{}
}

func toLevel(l *flowcontrolv1.PriorityLevelConfiguration) fairness.Level {
	level := fairness.Level{Name: l.Name, UID: string(l.UID), Exempt: l.Spec.Type == flowcontrolv1.PriorityLevelEnablementExempt}
	if e := l.Spec.Exempt; e != nil && level.Exempt {
		level.Shares, level.LendablePercent = number(e.NominalConcurrencyShares), number(e.LendablePercent)
	}
	if limited := l.Spec.Limited; limited != nil && !level.Exempt {
		level.Shares, level.LendablePercent = number(limited.NominalConcurrencyShares), number(limited.LendablePercent)
		level.BorrowingLimitPercent = limited.BorrowingLimitPercent
		if q := limited.LimitResponse.Queuing; q != nil {
			level.Queuing = &fairness.Queuing{Queues: q.Queues, HandSize: q.HandSize, Length: q.QueueLengthLimit}
		}
	}
	return level
}

func number(n *int32) int32 {
	if n == nil {
		return 0
	}
	return *n
}

// Objects are what means the same as a Config. They say of themselves that the server keeps them.
func Objects(c fairness.Config) (schemas []*flowcontrolv1.FlowSchema, levels []*flowcontrolv1.PriorityLevelConfiguration) {
	for _, l := range c.Levels {
		levels = append(levels, fromLevel(l))
	}
	for _, s := range c.Schemas {
		schemas = append(schemas, fromSchema(s))
	}
	return schemas, levels
}

func kept(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Annotations: map[string]string{flowcontrolv1.AutoUpdateAnnotationKey: "true"}}
}

func fromLevel(l fairness.Level) *flowcontrolv1.PriorityLevelConfiguration {
	level := &flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: kept(l.Name)}
	if l.Exempt {
		level.Spec.Type = flowcontrolv1.PriorityLevelEnablementExempt
		level.Spec.Exempt = &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: &l.Shares, LendablePercent: &l.LendablePercent}
		return level
	}
	level.Spec.Type = flowcontrolv1.PriorityLevelEnablementLimited
	level.Spec.Limited = &flowcontrolv1.LimitedPriorityLevelConfiguration{
		NominalConcurrencyShares: &l.Shares, LendablePercent: &l.LendablePercent, BorrowingLimitPercent: l.BorrowingLimitPercent,
		LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
	}
	if q := l.Queuing; q != nil {
		level.Spec.Limited.LimitResponse = flowcontrolv1.LimitResponse{
			Type:    flowcontrolv1.LimitResponseTypeQueue,
			Queuing: &flowcontrolv1.QueuingConfiguration{Queues: q.Queues, HandSize: q.HandSize, QueueLengthLimit: q.Length},
		}
	}
	return level
}

func fromSchema(s fairness.Schema) *flowcontrolv1.FlowSchema {
	schema := &flowcontrolv1.FlowSchema{ObjectMeta: kept(s.Name)}
	schema.Spec.PriorityLevelConfiguration.Name, schema.Spec.MatchingPrecedence = s.Level, s.Precedence
	if s.By != "" {
		schema.Spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodType(s.By)}
	}
	for _, from := range s.Rules {
		var rule flowcontrolv1.PolicyRulesWithSubjects
		for _, subject := range from.Subjects {
			rule.Subjects = append(rule.Subjects, fromSubject(subject))
		}
		for _, r := range from.Resources {
			rule.ResourceRules = append(rule.ResourceRules, flowcontrolv1.ResourcePolicyRule{Verbs: r.Verbs, APIGroups: r.Groups, Resources: r.Resources, Namespaces: r.Namespaces, ClusterScope: r.ClusterScope})
		}
		for _, r := range from.Paths {
			rule.NonResourceRules = append(rule.NonResourceRules, flowcontrolv1.NonResourcePolicyRule{Verbs: r.Verbs, NonResourceURLs: r.Paths})
		}
		schema.Spec.Rules = append(schema.Spec.Rules, rule)
	}
	return schema
}

func fromSubject(s fairness.Subject) flowcontrolv1.Subject {
	subject := flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKind(s.Kind)}
	switch s.Kind {
	case fairness.User:
		subject.User = &flowcontrolv1.UserSubject{Name: s.Name}
	case fairness.Group:
		subject.Group = &flowcontrolv1.GroupSubject{Name: s.Name}
	case fairness.ServiceAccount:
		subject.ServiceAccount = &flowcontrolv1.ServiceAccountSubject{Namespace: s.Namespace, Name: s.Name}
	}
	return subject
}
