package main

import (
	"context"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func autoscalingChecks(w *world) []check {
	const ns = "autoscaling"
	scalers := w.client.AutoscalingV2().HorizontalPodAutoscalers(ns)
	status := func(ctx context.Context, name string, holds func(*autoscalingv2.HorizontalPodAutoscalerStatus) bool) error {
		return eventually(ctx, func(ctx context.Context) error {
			h, err := scalers.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			return want(holds(&h.Status), "status is %v", h.Status.String())
		})
	}
	return []check{
		{"autoscaling: a replication controller is scaled down to the maximum", func(ctx context.Context) error {
			if err := w.namespace(ctx, ns); err != nil {
				return err
			}
			five, labels := int32(5), map[string]string{"app": "many"}
			t := template(labels)
			rcs := w.client.CoreV1().ReplicationControllers(ns)
			if _, err := rcs.Create(ctx, &v1.ReplicationController{ObjectMeta: metav1.ObjectMeta{Name: "many"}, Spec: v1.ReplicationControllerSpec{Replicas: &five, Template: &t}}, metav1.CreateOptions{}); err != nil {
				return err
			}
			if _, err := scalers.Create(ctx, autoscaler("many", "v1", "ReplicationController", 1, 2), metav1.CreateOptions{}); err != nil {
				return err
			}
			return eventually(ctx, func(ctx context.Context) error {
				rc, err := rcs.Get(ctx, "many", metav1.GetOptions{})
				if err != nil {
					return err
				}
				return want(*rc.Spec.Replicas == 2 && rc.Status.Replicas == 2, "it has %d, and should have %d", rc.Status.Replicas, *rc.Spec.Replicas)
			})
		}},
		{"autoscaling: a deployment is scaled up to the minimum", func(ctx context.Context) error {
			one, labels := int32(1), map[string]string{"app": "few"}
			deployments := w.client.AppsV1().Deployments(ns)
			d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "few"}, Spec: appsv1.DeploymentSpec{Replicas: &one, Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template(labels)}}
			if _, err := deployments.Create(ctx, d, metav1.CreateOptions{}); err != nil {
				return err
			}
			if _, err := scalers.Create(ctx, autoscaler("few", "apps/v1", "Deployment", 3, 6), metav1.CreateOptions{}); err != nil {
				return err
			}
			return eventually(ctx, func(ctx context.Context) error {
				d, err := deployments.Get(ctx, "few", metav1.GetOptions{})
				if err != nil {
					return err
				}
				return want(*d.Spec.Replicas == 3, "it has %d replicas", *d.Spec.Replicas)
			})
		}},
		{"autoscaling: status follows the number of replicas", func(ctx context.Context) error {
			return status(ctx, "many", func(s *autoscalingv2.HorizontalPodAutoscalerStatus) bool {
				return s.CurrentReplicas == 2 && s.DesiredReplicas == 2
			})
		}},
		{"autoscaling: conditions say that metrics can't be read", func(ctx context.Context) error {
			return status(ctx, "many", func(s *autoscalingv2.HorizontalPodAutoscalerStatus) bool {
				for _, c := range s.Conditions {
					if c.Type == autoscalingv2.ScalingActive && c.Status == v1.ConditionFalse && c.Reason == "FailedGetResourceMetric" {
						return true
					}
				}
				return false
			})
		}},
		{"autoscaling: an event says so too", func(ctx context.Context) error {
			return eventually(ctx, func(ctx context.Context) error {
				list, err := w.client.CoreV1().Events(ns).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.kind=HorizontalPodAutoscaler,involvedObject.name=many"})
				if err != nil {
					return err
				}
				var reasons []string
				for _, e := range list.Items {
					reasons = append(reasons, e.Reason)
				}
				return want(strings.Contains(strings.Join(reasons, " "), "FailedGetResourceMetric"), "reasons of events: %v", reasons)
			})
		}},
		{"autoscaling: one whose target is not there says so", func(ctx context.Context) error {
			if _, err := scalers.Create(ctx, autoscaler("lost", "apps/v1", "Deployment", 1, 2), metav1.CreateOptions{}); err != nil {
				return err
			}
			return status(ctx, "lost", func(s *autoscalingv2.HorizontalPodAutoscalerStatus) bool {
				for _, c := range s.Conditions {
					if c.Type == autoscalingv2.AbleToScale && c.Status == v1.ConditionFalse && c.Reason == "FailedGetScale" {
						return true
					}
				}
				return false
			})
		}},
	}
}

// autoscaler is for a target of its own name, by its use of CPU.
func autoscaler(name, version, kind string, least, most int32) *autoscalingv2.HorizontalPodAutoscaler {
	half := int32(50)
	return &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: version, Kind: kind, Name: name},
			MinReplicas:    &least,
			MaxReplicas:    most,
			Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
				Name: v1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &half},
			}}},
		},
	}
}
