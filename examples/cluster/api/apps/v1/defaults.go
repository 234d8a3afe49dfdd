package v1

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	_ "github.com/typeplane/typeplane/examples/cluster/api/core/v1" // the defaults of the template
)

// SetDefaults_Deployment keeps one pod, ten older templates, and gives up on a new one after ten
// minutes.
func SetDefaults_Deployment(in *appsv1.Deployment) {
	setDefault(&in.Spec.Replicas, 1)
	setDefault(&in.Spec.RevisionHistoryLimit, 10)
	setDefault(&in.Spec.ProgressDeadlineSeconds, 600)
}

// SetDefaults_DeploymentStrategy replaces a quarter of the pods at a time.
func SetDefaults_DeploymentStrategy(in *appsv1.DeploymentStrategy) {
	if in.Type == "" {
		in.Type = appsv1.RollingUpdateDeploymentStrategyType
	}
	if in.Type != appsv1.RollingUpdateDeploymentStrategyType {
		return
	}
	if in.RollingUpdate == nil {
		in.RollingUpdate = new(appsv1.RollingUpdateDeployment)
	}
	setDefault(&in.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
	setDefault(&in.RollingUpdate.MaxSurge, intstr.FromString("25%"))
}

// setDefault sets a pointer that is nil.
func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}
