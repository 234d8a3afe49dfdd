package v1

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/internal/quantity"
)

// The functions here are found by their names. What they do is what Kubernetes does.

// SetDefaults_ResourceList rounds up to thousandths: that is as fine as anybody counts.
func SetDefaults_ResourceList(in *corev1.ResourceList) { quantity.RoundUp(*in) }
