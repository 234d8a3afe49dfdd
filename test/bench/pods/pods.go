// Package pods is what everybody in a measurement has to agree on: which pods there are, and which
// defaults a server fills in when one is written. Both servers link it, so it imports nothing but
// the types.
package pods

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// How many pods have the same namespace, the same label BatchLabel, and the same node.
const (
	PerNamespace = 100
	PerBatch     = 10
	PerNode      = 20
)

// BatchLabel is a label that few pods share.
const BatchLabel = "batch"

// Round is the annotation that a write changes.
const Round = "bench.example.com/round"

// Name and Namespace are those of the pod with number i.
func Name(i int) string      { return fmt.Sprintf("web-5d9c7b6f4-%06d", i) }
func Namespace(i int) string { return fmt.Sprintf("team-%03d", i/PerNamespace) }

// Batch and Node are the label and the node of the pod with number i.
func Batch(i int) string { return fmt.Sprintf("b%05d", i/PerBatch) }
func Node(i int) string  { return fmt.Sprintf("node-%04d", i/PerNode) }

// epoch is when everything in the stored pods has happened.
var epoch = metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))

// New returns a pod as a controller would send it, without a status.
func New(namespace, name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Namespace:   namespace,
			Labels:      map[string]string{"app": "web", "pod-template-hash": "5d9c7b6f4", "tier": "frontend"},
			Annotations: map[string]string{Round: "0"},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-5d9c7b6f4", UID: "7f3c1d3e-0a4e-4a5e-9a54-0d6f1f7b2c11",
				Controller: new(true), BlockOwnerDeletion: new(true),
			}},
		},
		Spec: corev1.PodSpec{
			NodeName:           "node-17",
			ServiceAccountName: "default",
			Volumes:            []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web-config"}, DefaultMode: new(int32(0o644))}}}},
			Tolerations: []corev1.Toleration{
				{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))},
				{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))},
			},
			Containers: []corev1.Container{{
				Name:  "nginx",
				Image: "registry.example.com/team/nginx:1.29.4",
				Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
				Env: []corev1.EnvVar{
					{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"}}},
					{Name: "LOG_LEVEL", Value: "info"},
				},
				Resources: corev1.ResourceRequirements{
					Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("256Mi")},
					Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("256Mi")},
				},
				VolumeMounts:   []corev1.VolumeMount{{Name: "config", ReadOnly: true, MountPath: "/etc/nginx/conf.d"}},
				ReadinessProbe: probe(),
			}},
		},
	}
}

// Applied is what a client applies that wants ten fields of a pod to be n.
func Applied(n int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"one":"%[1]d","two":"%[1]d","three":"%[1]d"},"labels":{"round":"%[1]d"}},`+
		`"spec":{"activeDeadlineSeconds":%[1]d,"containers":[{"name":"nginx","env":[{"name":"ONE","value":"%[1]d"},{"name":"TWO","value":"%[1]d"},`+
		`{"name":"THREE","value":"%[1]d"},{"name":"FOUR","value":"%[1]d"},{"name":"FIVE","value":"%[1]d"}]}]}}`, n)
}

func probe() *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler:   corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080), Scheme: corev1.URISchemeHTTP}},
		TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
	}
}

// Stored returns the pod with number i as it lies in a cluster that has run it for a while: with
// defaults, system fields and a status, except for managedFields.
func Stored(i int) *corev1.Pod {
	pod := New(Namespace(i), Name(i))
	pod.Labels[BatchLabel] = Batch(i)
	pod.Spec.NodeName = Node(i)
	pod.UID = types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i))
	pod.Generation = 1
	pod.CreationTimestamp = epoch
	Default(pod)
	condition := func(t corev1.PodConditionType) corev1.PodCondition {
		return corev1.PodCondition{Type: t, Status: corev1.ConditionTrue, LastTransitionTime: epoch}
	}
	address := fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255)
	pod.Status = corev1.PodStatus{
		Phase:     corev1.PodRunning,
		HostIP:    "192.168.4.17",
		HostIPs:   []corev1.HostIP{{IP: "192.168.4.17"}},
		PodIP:     address,
		PodIPs:    []corev1.PodIP{{IP: address}},
		StartTime: new(epoch),
		QOSClass:  corev1.PodQOSBurstable,
		Conditions: []corev1.PodCondition{
			condition(corev1.PodReadyToStartContainers), condition(corev1.PodInitialized), condition(corev1.PodReady), condition(corev1.ContainersReady), condition(corev1.PodScheduled),
		},
		ContainerStatuses: []corev1.ContainerStatus{{
			Name: "nginx", Ready: true, Started: new(true),
			State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: epoch}},
			Image:       "registry.example.com/team/nginx:1.29.4",
			ImageID:     "registry.example.com/team/nginx@sha256:5f44f8a1e1c0a1c4b1f0a8b6a2f7fd5d8b6e4d4d2ba1b2f3c0d9e8f7a6b5c4d3",
			ContainerID: "containerd://2f7b8e1a9c0d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f",
		}},
	}
	return pod
}

// Default fills in what Kubernetes does for a pod like those of New.
func Default(pod *corev1.Pod) {
	spec := &pod.Spec
	orElse(&spec.RestartPolicy, corev1.RestartPolicyAlways)
	orElse(&spec.DNSPolicy, corev1.DNSClusterFirst)
	orElse(&spec.SchedulerName, corev1.DefaultSchedulerName)
	if spec.TerminationGracePeriodSeconds == nil {
		spec.TerminationGracePeriodSeconds = new(int64(corev1.DefaultTerminationGracePeriodSeconds))
	}
	if spec.SecurityContext == nil {
		spec.SecurityContext = new(corev1.PodSecurityContext)
	}
	if spec.EnableServiceLinks == nil {
		spec.EnableServiceLinks = new(corev1.DefaultEnableServiceLinks)
	}
	for i := range spec.Containers {
		c := &spec.Containers[i]
		orElse(&c.TerminationMessagePath, corev1.TerminationMessagePathDefault)
		orElse(&c.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
		orElse(&c.ImagePullPolicy, corev1.PullIfNotPresent)
		for j := range c.Ports {
			orElse(&c.Ports[j].Protocol, corev1.ProtocolTCP)
		}
	}
	orElse(&pod.Status.Phase, corev1.PodPending)
}

func orElse[T comparable](p *T, value T) {
	var zero T
	if *p == zero {
		*p = value
	}
}

// SelectableFields are the fields of a pod that a selector may name, besides its name and
// namespace.
func SelectableFields(pod *corev1.Pod) map[string]string {
	return map[string]string{"spec.nodeName": pod.Spec.NodeName, "status.phase": string(pod.Status.Phase)}
}
