package kubernetes

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/registry/rest"
)

// apiService is the service that stands for the API server in every cluster.
const apiService = "kubernetes"

// standing makes what every cluster begins with: priorities for what it runs on, the range of its
// services, and the service of this server. That has no endpoints, since the server does not know
// under which address pods reach it. A config map says since when tokens in secrets would be
// missed.
func standing() typeplane.API {
	return typeplane.API{Extend: func(ctx context.Context, h *typeplane.Host) error {
		for _, one := range []struct {
			resource schema.GroupVersionResource
			obj      rest.Body
		}{
			{schedulingv1.SchemeGroupVersion.WithResource("priorityclasses"), priority("system-node-critical", 2_000_001_000)},
			{schedulingv1.SchemeGroupVersion.WithResource("priorityclasses"), priority("system-cluster-critical", 2_000_000_000)},
			{networkingv1.SchemeGroupVersion.WithResource("servicecidrs"), &networkingv1.ServiceCIDR{
				ObjectMeta: metav1.ObjectMeta{Name: "kubernetes"}, Spec: networkingv1.ServiceCIDRSpec{CIDRs: []string{serviceRange.String()}},
			}},
			{corev1.SchemeGroupVersion.WithResource("services"), ownService()},
			{corev1.SchemeGroupVersion.WithResource("configmaps"), &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "kube-apiserver-legacy-service-account-token-tracking"},
				Data:       map[string]string{"since": time.Now().UTC().Format(time.DateOnly)},
			}},
		} {
			served := h.Resource(one.resource, "")
			if served == nil {
				continue // the operator has left it out
			}
			_, err := served.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: one.obj.GetNamespace()}, one.obj, metav1.CreateOptions{})
			if err != nil && !apierrors.IsAlreadyExists(err) {
				return fmt.Errorf("create %s %q: %w", one.resource.Resource, one.obj.GetName(), err)
			}
		}
		return nil
	}}
}

func priority(name string, value int32) *schedulingv1.PriorityClass {
	return &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
}

func ownService() *corev1.Service {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: apiService, Labels: map[string]string{"component": "apiserver", "provider": "kubernetes"}},
		Spec: corev1.ServiceSpec{
			ClusterIP: apiAddress(), Type: corev1.ServiceTypeClusterIP, SessionAffinity: corev1.ServiceAffinityNone,
			Ports: []corev1.ServicePort{{Name: "https", Protocol: corev1.ProtocolTCP, Port: 443, TargetPort: intstr.FromInt32(6443)}},
		},
	}
	settle(&service.Spec, new(corev1.ServiceSpec))
	return service
}
