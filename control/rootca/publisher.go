// Package rootca gives every namespace the ConfigMap kube-root-ca.crt: the authorities by which
// pods know this server. The volumes with tokens that admission adds to pods name it. What somebody
// changes in its data, or deletes, is put right.
//
// Start reading at Publisher.Run. It never touches another ConfigMap.
package rootca

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/registry/rest"
)

// What pods look for.
const (
	configMapName = "kube-root-ca.crt"
	key           = "ca.crt"
)

const description = "The certificate authorities by which pods of this namespace know the API server. It is good for nothing else."

// The pauses after a failure: each twice as long as the one before.
const firstPause, lastPause = 100 * time.Millisecond, 10 * time.Second

// Publisher keeps the ConfigMaps right. Run is called once.
type Publisher struct {
	namespaces, configMaps rest.Resource
	data                   map[string]string
	log                    *slog.Logger

	mu    sync.Mutex      // guards doubt
	doubt map[string]bool // the namespaces to look at
	wake  chan struct{}   // has room for one
}

// New returns a Publisher of ca, certificates in PEM; nil if there are none, or resources have no
// namespaces or no config maps.
func New(resources []rest.Resource, ca []byte, log *slog.Logger) *Publisher {
	p := &Publisher{data: map[string]string{key: string(ca)}, log: log, doubt: map[string]bool{}, wake: make(chan struct{}, 1)}
	v1 := schema.GroupVersion{Version: "v1"}
	for _, r := range resources {
		switch {
		case r.Subresource != "":
		case r.GroupVersion.WithResource(r.Name) == v1.WithResource("namespaces"):
			p.namespaces = r
		case r.GroupVersion.WithResource(r.Name) == v1.WithResource("configmaps"):
			p.configMaps = r
		}
	}
	if len(ca) == 0 || p.namespaces.Watch == nil || p.configMaps.Update == nil {
		return nil
	}
	return p
}

// Run publishes until ctx ends. Two loops say which namespaces to look at, and a third one looks.
func (p *Publisher) Run(ctx context.Context) {
	var loops sync.WaitGroup
	defer loops.Wait()
	loops.Go(func() {
		follow.Run(ctx, &p.namespaces, "", p.log, follow.Handler[corev1.Namespace]{
			Replace: p.lookAtAll,
			Changed: func(ns *corev1.Namespace) { p.lookAt(ns.Name) },
		})
	})
	loops.Go(func() {
		follow.Run(ctx, follow.Named(&p.configMaps, configMapName), "", p.log, follow.Handler[corev1.ConfigMap]{
			Replace: func([]corev1.ConfigMap) {
				// Deletions may have been missed.
				if all, _, err := follow.List[corev1.Namespace](ctx, &p.namespaces, ""); err == nil {
					p.lookAtAll(all)
				}
			},
			Changed: func(cm *corev1.ConfigMap) { p.lookAt(cm.Namespace) },
			Gone:    func(cm *corev1.ConfigMap) { p.lookAt(cm.Namespace) },
		})
	})
	loops.Go(func() { p.publishDoubtful(ctx) })
}

func (p *Publisher) lookAtAll(all []corev1.Namespace) {
	for i := range all {
		p.lookAt(all[i].Name)
	}
}

func (p *Publisher) lookAt(namespace string) {
	p.mu.Lock()
	p.doubt[namespace] = true
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default: // it will look anyhow
	}
}

// publishDoubtful looks at the namespaces that somebody named, and again, after a pause, at those
// where that failed: one whose quota is used up keeps no other waiting.
func (p *Publisher) publishDoubtful(ctx context.Context) {
	pause := firstPause
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		p.mu.Lock()
		namespaces := p.doubt
		p.doubt = map[string]bool{}
		p.mu.Unlock()
		failed := false
		for namespace := range namespaces {
			if err := p.publish(ctx, namespace); err != nil && ctx.Err() == nil {
				p.log.Warn("publish the server's authorities; it is tried again", "namespace", namespace, "configMap", configMapName, "error", err)
				failed = true
				p.lookAt(namespace)
			}
		}
		if !failed {
			pause = firstPause
			continue
		}
		follow.Wait(ctx, pause)
		pause = min(2*pause, lastPause)
	}
}

// publish makes or mends the ConfigMap of a namespace, unless that is on its way out.
func (p *Publisher) publish(ctx context.Context, namespace string) error {
	var ns corev1.Namespace
	if err := read(ctx, &p.namespaces, rest.Name{Name: namespace}, &ns); err != nil || ns.DeletionTimestamp != nil {
		return ignoreNotFound(err)
	}
	name := rest.Name{Namespace: namespace, Name: configMapName}
	var cm corev1.ConfigMap
	err := read(ctx, &p.configMaps, name, &cm)
	switch {
	case apierrors.IsNotFound(err):
		made := &corev1.ConfigMap{Data: maps.Clone(p.data)}
		made.Namespace, made.Name = namespace, configMapName
		made.Annotations = map[string]string{"kubernetes.io/description": description}
		_, err = p.configMaps.Create.Create(ctx, new(rest.Request), name, made, metav1.CreateOptions{})
	case err == nil && (!maps.Equal(cm.Data, p.data) || len(cm.BinaryData) > 0):
		cm.Data, cm.BinaryData = maps.Clone(p.data), nil
		_, _, err = p.configMaps.Update.Update(ctx, new(rest.Request), name, &cm, metav1.UpdateOptions{})
	}
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return nil
	}
	return ignoreNotFound(err)
}

func read(ctx context.Context, r *rest.Resource, name rest.Name, into any) error {
	view, err := r.Get.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return follow.Read(view, into)
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
