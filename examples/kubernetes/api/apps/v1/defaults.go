package v1

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	_ "github.com/typeplane/typeplane/examples/cluster/api/apps/v1" // the defaults of deployments
	_ "github.com/typeplane/typeplane/examples/cluster/api/core/v1" // those of templates
	"github.com/typeplane/typeplane/examples/kubernetes/api/internal/absent"
)

// SetDefaults_ReplicaSet keeps one pod.
func SetDefaults_ReplicaSet(in *appsv1.ReplicaSet) { absent.Set(&in.Spec.Replicas, 1) }

// SetDefaults_DaemonSet replaces one pod at a time, and keeps ten older templates.
func SetDefaults_DaemonSet(in *appsv1.DaemonSet) {
	absent.Set(&in.Spec.RevisionHistoryLimit, 10)
	strategy := &in.Spec.UpdateStrategy
	absent.Fill(&strategy.Type, appsv1.RollingUpdateDaemonSetStrategyType)
	if strategy.Type != appsv1.RollingUpdateDaemonSetStrategyType {
		return
	}
	absent.Set(&strategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
	absent.Set(&strategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
	absent.Set(&strategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
}

// SetDefaults_StatefulSet keeps one pod, makes and replaces one after the other, and keeps ten
// older templates, and all volumes.
func SetDefaults_StatefulSet(in *appsv1.StatefulSet) {
	absent.Set(&in.Spec.Replicas, 1)
	absent.Set(&in.Spec.RevisionHistoryLimit, 10)
	absent.Fill(&in.Spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	strategy := &in.Spec.UpdateStrategy
	if strategy.Type == "" {
		strategy.Type = appsv1.RollingUpdateStatefulSetStrategyType
		absent.Set(&strategy.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
	}
	if strategy.Type == appsv1.RollingUpdateStatefulSetStrategyType && strategy.RollingUpdate != nil {
		absent.Set(&strategy.RollingUpdate.Partition, 0)
		absent.Set(&strategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
	}
	absent.Set(&in.Spec.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{})
	absent.Fill(&in.Spec.PersistentVolumeClaimRetentionPolicy.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	absent.Fill(&in.Spec.PersistentVolumeClaimRetentionPolicy.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
}
