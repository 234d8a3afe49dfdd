package v1

import flowcontrolv1 "k8s.io/api/flowcontrol/v1"

// SetDefaults_FlowSchemaSpec: a schema is before the ones that are suggested for everybody.
func SetDefaults_FlowSchemaSpec(s *flowcontrolv1.FlowSchemaSpec) {
	setDefault(&s.MatchingPrecedence, 1000)
}

// SetDefaults_ExemptPriorityLevelConfiguration: what never waits needs no share.
func SetDefaults_ExemptPriorityLevelConfiguration(l *flowcontrolv1.ExemptPriorityLevelConfiguration) {
	setDefault(&l.NominalConcurrencyShares, new(int32(0)))
	setDefault(&l.LendablePercent, new(int32(0)))
}

// SetDefaults_LimitedPriorityLevelConfiguration: a level lends nothing.
func SetDefaults_LimitedPriorityLevelConfiguration(l *flowcontrolv1.LimitedPriorityLevelConfiguration) {
	setDefault(&l.NominalConcurrencyShares, new(int32(30)))
	setDefault(&l.LendablePercent, new(int32(0)))
}

// SetDefaults_QueuingConfiguration: a flow has 8 of 64 queues.
func SetDefaults_QueuingConfiguration(q *flowcontrolv1.QueuingConfiguration) {
	setDefault(&q.HandSize, 8)
	setDefault(&q.Queues, 64)
	setDefault(&q.QueueLengthLimit, 50)
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
