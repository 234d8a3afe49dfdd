package main

import (
	"context"
	"errors"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func namespaceChecks(w *world) []check {
	const held = "held"
	all := w.client.CoreV1().Namespaces()
	get := func(ctx context.Context) (*v1.Namespace, error) { return all.Get(ctx, held, metav1.GetOptions{}) }
	delete := func(ctx context.Context, names ...string) error {
		for _, name := range names {
			if err := all.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
		return nil
	}
	return []check{
		{"namespaces: conditions of one that is deleted say what is left, and which finalizers hold it", func(ctx context.Context) error {
			if err := w.namespace(ctx, held); err != nil {
				return err
			}
			m := configMap("kept")
			m.Finalizers = []string{keep}
			if _, err := w.client.CoreV1().ConfigMaps(held).Create(ctx, m, metav1.CreateOptions{}); err != nil {
				return err
			}
			if err := delete(ctx, held); err != nil {
				return err
			}
			return eventually(ctx, func(ctx context.Context) error {
				ns, err := get(ctx)
				if err != nil {
					return err
				}
				if err := want(isTrue(ns, v1.NamespaceContentRemaining) && isTrue(ns, v1.NamespaceFinalizersRemaining), "conditions are %v", ns.Status.Conditions); err != nil {
					return err
				}
				return writtenBy(ns, "status")
			})
		}},
		{"namespaces: one that is being deleted takes nothing new", func(ctx context.Context) error {
			_, err := w.client.CoreV1().ConfigMaps(held).Create(ctx, configMap("late"), metav1.CreateOptions{})
			return want(apierrors.HasStatusCause(err, v1.NamespaceTerminatingCause), "the answer was %v", err)
		}},
		{"namespaces: one goes when its last object has", func(ctx context.Context) error {
			if _, err := w.client.CoreV1().ConfigMaps(held).Patch(ctx, "kept", types.MergePatchType, mergePatch(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
				return err
			}
			return eventually(ctx, func(ctx context.Context) error {
				_, err := get(ctx)
				return gone(err)
			})
		}},
		{"namespaces: those in which controllers worked go, with all that is in them", func(ctx context.Context) error {
			used := []string{"replication", "accounts", "collection", "quotas", "autoscaling", protectionNamespace}
			if err := delete(ctx, used...); err != nil {
				return err
			}
			return eventually(ctx, func(ctx context.Context) error {
				var errs []error
				for _, name := range used {
					_, err := all.Get(ctx, name, metav1.GetOptions{})
					errs = append(errs, gone(err))
				}
				return errors.Join(errs...)
			})
		}},
	}
}

func isTrue(ns *v1.Namespace, condition v1.NamespaceConditionType) bool {
	for _, c := range ns.Status.Conditions {
		if c.Type == condition {
			return c.Status == v1.ConditionTrue
		}
	}
	return false
}
