package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// check is one thing that has to be so. Its name begins with the area, and a colon.
type check struct {
	name string
	run  func(ctx context.Context) error
}

// report runs a check and prints what became of it.
func report(ctx context.Context, c check) {
	if err := c.run(ctx); err != nil {
		fmt.Printf("not ok %s # %s\n", c.name, strings.Join(strings.Fields(err.Error()), " "))
		return
	}
	fmt.Println("ok " + c.name)
}

// world is what checks work with: a person's client.
type world struct {
	client kubernetes.Interface
}

// namespace makes one for an area, with the account that pods need.
func (w *world) namespace(ctx context.Context, name string) error {
	_, err := w.client.CoreV1().Namespaces().Create(ctx, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return eventually(ctx, func(ctx context.Context) error {
		_, err := w.client.CoreV1().ServiceAccounts(name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

// eventually waits until a condition holds, and says at last why it did not.
func eventually(ctx context.Context, condition func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	last := condition(ctx)
	for last != nil {
		select {
		case <-ctx.Done():
			return fmt.Errorf("not after %v: %w", patience, last)
		case <-time.After(50 * time.Millisecond):
		}
		if err := condition(ctx); ctx.Err() == nil {
			last = err
		}
	}
	return nil
}

// want is an error with the message, unless the condition holds.
func want(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// gone is nil if a read found nothing.
func gone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		return fmt.Errorf("it is still there")
	}
	return err
}

// writtenBy says whether the controllers wrote an object, or the subresource of it.
func writtenBy(o metav1.Object, subresource string) error {
	for _, entry := range o.GetManagedFields() {
		if entry.Manager == manager && entry.Subresource == subresource {
			return nil
		}
	}
	return fmt.Errorf("managedFields of %s don't name %s", o.GetName(), manager)
}

// template is that of pods that nobody runs.
func template(labels map[string]string) v1.PodTemplateSpec {
	return v1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       v1.PodSpec{Containers: []v1.Container{{Name: "c", Image: "nothing"}}},
	}
}

// pod is one of these.
func pod(name string, labels map[string]string) *v1.Pod {
	t := template(labels)
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Spec: t.Spec}
}

// configMap is the smallest object that can have an owner.
func configMap(name string, owners ...metav1.OwnerReference) *v1.ConfigMap {
	return &v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}}
}

func mergePatch(format string, args ...any) []byte { return fmt.Appendf(nil, format, args...) }
