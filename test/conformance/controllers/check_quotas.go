package main

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func quotaChecks(w *world) []check {
	const ns = "quotas"
	maps, pods, all := w.client.CoreV1().ConfigMaps(ns), w.client.CoreV1().Pods(ns), w.client.CoreV1().ResourceQuotas(ns)
	quota := func(ctx context.Context, name string, hard v1.ResourceList, scopes ...v1.ResourceQuotaScope) error {
		_, err := all.Create(ctx, &v1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.ResourceQuotaSpec{Hard: hard, Scopes: scopes}}, metav1.CreateOptions{})
		return err
	}
	used := func(ctx context.Context, name string, resourceName v1.ResourceName, amount string) error {
		return eventually(ctx, func(ctx context.Context) error {
			q, err := all.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			got, there := q.Status.Used[resourceName]
			return want(there && got.Cmp(resource.MustParse(amount)) == 0, "used is %v", q.Status.Used)
		})
	}
	return []check{
		{"quotas: a new quota is charged with what is there", func(ctx context.Context) error {
			if err := w.namespace(ctx, ns); err != nil {
				return err
			}
			for i := range 3 {
				if _, err := maps.Create(ctx, configMap(fmt.Sprintf("before-%d", i)), metav1.CreateOptions{}); err != nil {
					return err
				}
			}
			if err := quota(ctx, "maps", v1.ResourceList{"count/configmaps": resource.MustParse("6")}); err != nil {
				return err
			}
			return used(ctx, "maps", "count/configmaps", "4") // with that of the root certificate
		}},
		{"quotas: what is created and deleted is counted", func(ctx context.Context) error {
			if _, err := maps.Create(ctx, configMap("after"), metav1.CreateOptions{}); err != nil {
				return err
			}
			if err := used(ctx, "maps", "count/configmaps", "5"); err != nil {
				return err
			}
			if err := maps.Delete(ctx, "before-0", metav1.DeleteOptions{}); err != nil {
				return err
			}
			return used(ctx, "maps", "count/configmaps", "4")
		}},
		{"quotas: what goes beyond is refused", func(ctx context.Context) error {
			var err error
			for i := 0; err == nil && i < 3; i++ {
				_, err = maps.Create(ctx, configMap(fmt.Sprintf("beyond-%d", i)), metav1.CreateOptions{})
			}
			return want(apierrors.IsForbidden(err), "the answer was %v", err)
		}},
		{"quotas: requests of pods are added up", func(ctx context.Context) error {
			if err := quota(ctx, "pods", v1.ResourceList{"pods": resource.MustParse("5"), "requests.cpu": resource.MustParse("2")}); err != nil {
				return err
			}
			if err := used(ctx, "pods", "requests.cpu", "0"); err != nil {
				return err
			}
			p := pod("asks", nil)
			p.Spec.Containers[0].Resources.Requests = v1.ResourceList{"cpu": resource.MustParse("500m")}
			if _, err := pods.Create(ctx, p, metav1.CreateOptions{}); err != nil {
				return err
			}
			if err := used(ctx, "pods", "requests.cpu", "500m"); err != nil {
				return err
			}
			return used(ctx, "pods", "pods", "1")
		}},
		{"quotas: a pod that has ended is not charged any more", func(ctx context.Context) error {
			p, err := pods.Get(ctx, "asks", metav1.GetOptions{})
			if err != nil {
				return err
			}
			p.Status.Phase = v1.PodSucceeded
			if _, err := pods.UpdateStatus(ctx, p, metav1.UpdateOptions{}); err != nil {
				return err
			}
			return used(ctx, "pods", "pods", "0")
		}},
		{"quotas: one with a scope counts what is in it", func(ctx context.Context) error {
			if err := quota(ctx, "effort", v1.ResourceList{"pods": resource.MustParse("5")}, v1.ResourceQuotaScopeBestEffort); err != nil {
				return err
			}
			if err := all.Delete(ctx, "pods", metav1.DeleteOptions{}); err != nil {
				return err
			}
			if _, err := pods.Create(ctx, pod("effort", nil), metav1.CreateOptions{}); err != nil {
				return err
			}
			return used(ctx, "effort", "pods", "1")
		}},
	}
}
