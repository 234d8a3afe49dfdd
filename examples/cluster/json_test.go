package main

import (
	"testing"

	appsv1 "github.com/typeplane/typeplane/examples/cluster/api/apps/v1"
	autoscalingv1 "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v1"
	autoscalingv2 "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v2"
	corev1 "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
	"github.com/typeplane/typeplane/examples/cluster/api/extensions/v1beta1"
	"github.com/typeplane/typeplane/runtime/json/jsontest"
)

// TestJSON compares the generated JSON functions with encoding/json and sigs.k8s.io/json.
func TestJSON(t *testing.T) {
	jsontest.Functions[corev1.Pod]{Append: corev1.AppendJSON_Pod, Read: corev1.ReadJSON_Pod}.Run(t, 1, 15)
	jsontest.Functions[corev1.PodList]{Append: corev1.AppendJSON_PodList, Read: corev1.ReadJSON_PodList}.Run(t, 2, 3)
	jsontest.Functions[corev1.ReplicationController]{
		Append: corev1.AppendJSON_ReplicationController, Read: corev1.ReadJSON_ReplicationController}.Run(t, 3, 6)
	jsontest.Functions[corev1.ReplicationControllerList]{
		Append: corev1.AppendJSON_ReplicationControllerList, Read: corev1.ReadJSON_ReplicationControllerList}.Run(t, 4, 2)
	jsontest.Functions[corev1.PersistentVolume]{Append: corev1.AppendJSON_PersistentVolume, Read: corev1.ReadJSON_PersistentVolume}.Run(t, 5, 20)
	jsontest.Functions[corev1.PersistentVolumeClaim]{
		Append: corev1.AppendJSON_PersistentVolumeClaim, Read: corev1.ReadJSON_PersistentVolumeClaim}.Run(t, 6, 20)
	jsontest.Functions[appsv1.Deployment]{Append: appsv1.AppendJSON_Deployment, Read: appsv1.ReadJSON_Deployment}.Run(t, 13, 6)
	jsontest.Functions[autoscalingv1.HorizontalPodAutoscaler]{
		Append: autoscalingv1.AppendJSON_HorizontalPodAutoscaler, Read: autoscalingv1.ReadJSON_HorizontalPodAutoscaler}.Run(t, 7, 100)
	jsontest.Functions[autoscalingv1.HorizontalPodAutoscalerList]{
		Append: autoscalingv1.AppendJSON_HorizontalPodAutoscalerList, Read: autoscalingv1.ReadJSON_HorizontalPodAutoscalerList}.Run(t, 8, 20)
	jsontest.Functions[autoscalingv2.HorizontalPodAutoscaler]{
		Append: autoscalingv2.AppendJSON_HorizontalPodAutoscaler, Read: autoscalingv2.ReadJSON_HorizontalPodAutoscaler}.Run(t, 9, 100)
	jsontest.Functions[autoscalingv2.HorizontalPodAutoscalerList]{
		Append: autoscalingv2.AppendJSON_HorizontalPodAutoscalerList, Read: autoscalingv2.ReadJSON_HorizontalPodAutoscalerList}.Run(t, 10, 20)
	jsontest.Functions[v1beta1.HorizontalPodAutoscaler]{
		Append: v1beta1.AppendJSON_HorizontalPodAutoscaler, Read: v1beta1.ReadJSON_HorizontalPodAutoscaler}.Run(t, 11, 100)
	jsontest.Functions[v1beta1.HorizontalPodAutoscalerList]{
		Append: v1beta1.AppendJSON_HorizontalPodAutoscalerList, Read: v1beta1.ReadJSON_HorizontalPodAutoscalerList}.Run(t, 12, 20)
}
