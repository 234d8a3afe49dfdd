// Package serviceaccount is what a server does for service accounts: every namespace has one called
// default (default.go), and whoever may, gets tokens for one (token.go). It never makes secrets
// with tokens that live for ever.
package serviceaccount

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/registry/rest"
)

// defaultName is the account of programs that name none.
const defaultName = "default"

var v1 = schema.GroupVersion{Version: "v1"}

// Controller gives every namespace its default service account.
type Controller struct {
	namespaces, accounts rest.Resource
	log                  *slog.Logger
}

// New returns a Controller, nil if resources have no namespaces or no service accounts.
func New(resources []rest.Resource, log *slog.Logger) *Controller {
	c := &Controller{log: log}
	for _, r := range resources {
		switch {
		case r.Subresource != "":
		case r.GroupVersion.WithResource(r.Name) == v1.WithResource("namespaces"):
			c.namespaces = r
		case r.GroupVersion.WithResource(r.Name) == v1.WithResource("serviceaccounts"):
			c.accounts = r
		}
	}
	if c.namespaces.Watch == nil || c.accounts.Create == nil {
		return nil
	}
	return c
}

// MakeStanding makes the accounts of namespaces that are always there, which have to exist: nobody
// who makes a pod there, the moment that the server answers, has to wait for Run.
func (c *Controller) MakeStanding(ctx context.Context, namespaces []string) error {
	for _, namespace := range namespaces {
		name := rest.Name{Namespace: namespace, Name: defaultName}
		_, err := c.accounts.Get.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			_, err = c.accounts.Create.Create(ctx, new(rest.Request), name, newDefault(namespace), metav1.CreateOptions{})
		}
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create the service account %q of the namespace %q: %w", defaultName, namespace, err)
		}
	}
	return nil
}

// Run makes what is missing, until ctx ends: in new namespaces, and where somebody deleted the
// account.
func (c *Controller) Run(ctx context.Context) {
	var both sync.WaitGroup
	defer both.Wait()
	both.Go(func() {
		follow.Run(ctx, &c.namespaces, "", c.log, follow.Handler[corev1.Namespace]{
			Replace: func(all []corev1.Namespace) {
				for i := range all {
					c.ensure(ctx, &all[i])
				}
			},
			Changed: func(ns *corev1.Namespace) { c.ensure(ctx, ns) },
		})
	})
	both.Go(func() {
		follow.Run(ctx, &c.accounts, "", c.log, follow.Handler[corev1.ServiceAccount]{
			Gone: func(account *corev1.ServiceAccount) {
				if account.Name == defaultName {
					c.create(ctx, account.Namespace)
				}
			},
		})
	})
}

func (c *Controller) ensure(ctx context.Context, ns *corev1.Namespace) {
	if ns.DeletionTimestamp != nil {
		return
	}
	_, err := c.accounts.Get.Get(ctx, rest.Name{Namespace: ns.Name, Name: defaultName}, metav1.GetOptions{ResourceVersion: "0"})
	if apierrors.IsNotFound(err) {
		c.create(ctx, ns.Name)
	}
}

// create makes the account, unless the namespace is on its way out or somebody else was faster.
func (c *Controller) create(ctx context.Context, namespace string) {
	name := rest.Name{Namespace: namespace, Name: defaultName}
	for pause := firstPause; ctx.Err() == nil; pause *= 2 {
		_, err := c.accounts.Create.Create(ctx, new(rest.Request), name, newDefault(namespace), metav1.CreateOptions{})
		if err == nil || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
			return
		}
		c.log.Warn("create the default service account", "namespace", namespace, "error", err)
		if pause > lastPause {
			return // the next change of the namespace, or the next start, brings it
		}
		follow.Wait(ctx, pause)
	}
}

func newDefault(namespace string) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: defaultName}}
}

// The waits after a failure.
const firstPause, lastPause = 100 * time.Millisecond, 5 * time.Second
