package v1

import (
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/typeplane/typeplane/examples/kubernetes/api/internal/absent"
)

// SetDefaults_PriorityClass lets pods take the place of those that matter less.
func SetDefaults_PriorityClass(in *schedulingv1.PriorityClass) {
	absent.Set(&in.PreemptionPolicy, corev1.PreemptLowerPriority)
}
