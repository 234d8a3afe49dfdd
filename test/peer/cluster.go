package main

import (
	"reflect"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	autoscaling "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v2"
	clusterapi "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
	configapi "github.com/typeplane/typeplane/internal/features/config/v1"
	eventsapi "github.com/typeplane/typeplane/internal/features/events/core/v1"
	namespaceapi "github.com/typeplane/typeplane/internal/features/namespace/v1"
	rbacapi "github.com/typeplane/typeplane/internal/features/rbac/v1"
)

// cluster serves the kinds of examples/cluster that transcripts name.
func cluster() world {
	scheme := runtime.NewScheme()
	core, rbac, scaling := corev1.SchemeGroupVersion, rbacv1.SchemeGroupVersion, autoscaling.SchemeGroupVersion
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, rbacv1.AddToScheme, autoscalingv1.AddToScheme, autoscaling.AddToScheme,
		clusterapi.RegisterDefaults, configapi.RegisterDefaults, namespaceapi.RegisterDefaults, rbacapi.RegisterDefaults,
	} {
		utilruntime.Must(add(scheme))
	}
	w := world{
		scheme: scheme,
		stored: schema.GroupVersions{core, rbac, scaling},
		groups: []group{
			{"", []schema.GroupVersion{core}, []kind{pods, controllers, namespaces, plain("", "configmap", new(corev1.ConfigMap), new(corev1.ConfigMapList)),
				plain("", "secret", new(corev1.Secret), new(corev1.SecretList)), plain("", "event", new(corev1.Event), new(corev1.EventList))}},
			{scaling.Group, []schema.GroupVersion{scaling}, []kind{autoscalers}},
			{rbac.Group, []schema.GroupVersion{rbac}, []kind{plain(rbac.Group, "role", new(rbacv1.Role), new(rbacv1.RoleList)),
				plain(rbac.Group, "rolebinding", new(rbacv1.RoleBinding), new(rbacv1.RoleBindingList))}},
		},
		models: models{
			schemas:  []string{clusterapi.OpenAPISchemas, configapi.OpenAPISchemas, namespaceapi.OpenAPISchemas, eventsapi.OpenAPISchemas, rbacapi.OpenAPISchemas, autoscaling.OpenAPISchemas},
			packages: map[string]string{reflect.TypeFor[autoscaling.HorizontalPodAutoscaler]().PkgPath() + ".": "autoscaling.v2."},
		},
	}
	for _, g := range w.groups {
		for _, k := range g.kinds {
			internal := schema.GroupVersion{Group: g.name, Version: runtime.APIVersionInternal}
			scheme.AddKnownTypes(internal, k.newObject(), k.newList())
			utilruntime.Must(k.selects(scheme, g.versions[0].WithKind(reflect.TypeOf(k.newObject()).Elem().Name())))
		}
	}
	return w
}

// plain is a kind without rules of its own in a version v1. The values are there for their types.
func plain(group, singular string, obj, list runtime.Object) kind {
	return kind{
		group: group, resource: singular + "s", singular: singular, versions: []string{"v1"},
		newObject: func() runtime.Object { return reflect.New(reflect.TypeOf(obj).Elem()).Interface().(runtime.Object) },
		newList:   func() runtime.Object { return reflect.New(reflect.TypeOf(list).Elem()).Interface().(runtime.Object) },
	}
}

var namespaces = kind{
	resource: "namespaces", singular: "namespace", versions: []string{"v1"}, shortNames: []string{"ns"}, clusterWide: true,
	newObject: func() runtime.Object { return new(corev1.Namespace) },
	newList:   func() runtime.Object { return new(corev1.NamespaceList) },
	create: func(obj runtime.Object) {
		obj.(*corev1.Namespace).Status.Phase = corev1.NamespaceActive
	},
}

var pods = kind{
	resource: "pods", singular: "pod", versions: []string{"v1"}, shortNames: []string{"po"}, categories: []string{"all"},
	newObject: func() runtime.Object { return new(corev1.Pod) },
	newList:   func() runtime.Object { return new(corev1.PodList) },
	create: func(obj runtime.Object) {
		obj.(*corev1.Pod).Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: corev1.PodQOSBestEffort}
	},
	update:       func(obj, old runtime.Object) { obj.(*corev1.Pod).Status = old.(*corev1.Pod).Status },
	updateStatus: func(obj, old runtime.Object) { obj.(*corev1.Pod).Spec = old.(*corev1.Pod).Spec },
	selectable: func(obj runtime.Object) map[string]string {
		return map[string]string{"status.phase": string(obj.(*corev1.Pod).Status.Phase)}
	},
}

var controllers = kind{
	resource: "replicationcontrollers", singular: "replicationcontroller", versions: []string{"v1"}, shortNames: []string{"rc"}, categories: []string{"all"},
	newObject: func() runtime.Object { return new(corev1.ReplicationController) },
	newList:   func() runtime.Object { return new(corev1.ReplicationControllerList) },
	create: func(obj runtime.Object) {
		rc := obj.(*corev1.ReplicationController)
		rc.Generation, rc.Status = 1, corev1.ReplicationControllerStatus{}
	},
	update: func(obj, old runtime.Object) {
		rc, before := obj.(*corev1.ReplicationController), old.(*corev1.ReplicationController)
		rc.Status = before.Status
		if !reflect.DeepEqual(rc.Spec, before.Spec) {
			rc.Generation = before.Generation + 1
		}
	},
	scale: &scaling{
		of: func(obj runtime.Object) *autoscalingv1.Scale {
			rc := obj.(*corev1.ReplicationController)
			return &autoscalingv1.Scale{
				ObjectMeta: metav1.ObjectMeta{Name: rc.Name, Namespace: rc.Namespace, UID: rc.UID, ResourceVersion: rc.ResourceVersion, CreationTimestamp: rc.CreationTimestamp},
				Spec:       autoscalingv1.ScaleSpec{Replicas: *rc.Spec.Replicas},
				Status:     autoscalingv1.ScaleStatus{Replicas: rc.Status.Replicas, Selector: labels.SelectorFromSet(rc.Spec.Selector).String()},
			}
		},
		set: func(obj runtime.Object, replicas int32) {
			obj.(*corev1.ReplicationController).Spec.Replicas = &replicas
		},
	},
}

var autoscalers = kind{
	group: autoscaling.GroupName, resource: "horizontalpodautoscalers", singular: "horizontalpodautoscaler", versions: []string{"v2"},
	shortNames: []string{"hpa"}, categories: []string{"all"},
	newObject: func() runtime.Object { return new(autoscaling.HorizontalPodAutoscaler) },
	newList:   func() runtime.Object { return new(autoscaling.HorizontalPodAutoscalerList) },
}
