package v1

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"

	"github.com/typeplane/typeplane/examples/kubernetes/api/internal/absent"
)

// SetDefaults_HorizontalPodAutoscalerSpec keeps one pod at least.
func SetDefaults_HorizontalPodAutoscalerSpec(in *autoscalingv1.HorizontalPodAutoscalerSpec) {
	absent.Set(&in.MinReplicas, 1)
}
