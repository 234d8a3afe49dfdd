package codebench

import (
	"testing"
	"time"

	"github.com/typeplane/typeplane/test/codebench/kinds"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The objects here are as servers have them, with little of what their types allow.

// runningPod is a pod as it runs: one container, a volume with a token, two entries of managed
// fields.
func runningPod() *corev1.Pod {
	at := metav1.Time{Time: time.Unix(1700000000, 0)}
	condition := func(kind corev1.PodConditionType) corev1.PodCondition {
		return corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: at}
	}
	probe := corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080), Scheme: corev1.URISchemeHTTP}},
		PeriodSeconds: 10, TimeoutSeconds: 1, SuccessThreshold: 1, FailureThreshold: 3,
	}
	resources := corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")},
		Limits:   corev1.ResourceList{"memory": resource.MustParse("256Mi")},
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "web-6d4b75cb6d-x7xkq", GenerateName: "web-6d4b75cb6d-", Namespace: "shop", UID: "0d9f6e8c-3f0a-4a3e-9b0e-1d2c3b4a5968",
			ResourceVersion: "184467", CreationTimestamp: at, Labels: map[string]string{"app": "web", "pod-template-hash": "6d4b75cb6d"},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-6d4b75cb6d", UID: "5b1c2d3e-0000-4000-8000-123456789abc",
				Controller: new(true), BlockOwnerDeletion: new(true),
			}},
			ManagedFields: managedFields(at, "kube-controller-manager", "kubelet"),
		},
		Spec: corev1.PodSpec{
			Volumes: []corev1.Volume{{Name: "token", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
				DefaultMode: new(int32(420)),
				Sources: []corev1.VolumeProjection{
					{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: new(int64(3607))}},
					{ConfigMap: &corev1.ConfigMapProjection{
						LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
					}},
				},
			}}}},
			Containers: []corev1.Container{{
				Name: "web", Image: "registry.example.com/shop/web:1.27.3", Args: []string{"--port=8080", "--verbose"},
				Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
				Env: []corev1.EnvVar{
					{Name: "MODE", Value: "production"},
					{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"}}},
				},
				Resources: resources, LivenessProbe: &probe, ReadinessProbe: probe.DeepCopy(),
				VolumeMounts:           []corev1.VolumeMount{{Name: "token", ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}},
				TerminationMessagePath: "/dev/termination-log", TerminationMessagePolicy: corev1.TerminationMessageReadFile, ImagePullPolicy: corev1.PullIfNotPresent,
			}},
			RestartPolicy: corev1.RestartPolicyAlways, TerminationGracePeriodSeconds: new(int64(30)), DNSPolicy: corev1.DNSClusterFirst,
			ServiceAccountName: "default", DeprecatedServiceAccount: "default", NodeName: "node-17", SecurityContext: &corev1.PodSecurityContext{},
			SchedulerName: "default-scheduler", Priority: new(int32(0)), EnableServiceLinks: new(true), PreemptionPolicy: new(corev1.PreemptLowerPriority),
			Tolerations: []corev1.Toleration{
				{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))},
				{Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))},
			},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, HostIP: "10.0.0.17", PodIP: "10.1.17.4", StartTime: &at, QOSClass: corev1.PodQOSBurstable,
			Conditions: []corev1.PodCondition{condition("Initialized"), condition("Ready"), condition("ContainersReady"), condition("PodScheduled")},
			HostIPs:    []corev1.HostIP{{IP: "10.0.0.17"}}, PodIPs: []corev1.PodIP{{IP: "10.1.17.4"}},
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "web", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}, Ready: true, Started: new(true),
				Image: "registry.example.com/shop/web:1.27.3", ImageID: "registry.example.com/shop/web@sha256:0123456789abcdef",
				ContainerID: "containerd://0123456789abcdef0123456789abcdef",
			}},
		},
	}
}

// runningNode is a node as it runs: many of what the fixture has one of, and none of most else.
func runningNode() *corev1.Node {
	at := metav1.Time{Time: time.Unix(1700000000, 0)}
	resources := func() corev1.ResourceList {
		return corev1.ResourceList{
			"cpu": resource.MustParse("8"), "memory": resource.MustParse("32Gi"), "pods": resource.MustParse("110"),
			"ephemeral-storage": resource.MustParse("100Gi"), "hugepages-2Mi": resource.MustParse("0"),
		}
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "node-17", UID: "5b1c2d3e-0000-4000-8000-123456789abc", ResourceVersion: "184467", CreationTimestamp: at,
			Labels:        map[string]string{"kubernetes.io/hostname": "node-17", "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"},
			ManagedFields: managedFields(at, "kube-controller-manager", "kubelet"),
		},
		Spec: corev1.NodeSpec{PodCIDR: "10.1.17.0/24", PodCIDRs: []string{"10.1.17.0/24"}},
		Status: corev1.NodeStatus{
			Capacity: resources(), Allocatable: resources(), NodeInfo: corev1.NodeSystemInfo{Architecture: "amd64", KubeletVersion: "v1.35.0"},
			Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.17"}, {Type: corev1.NodeHostName, Address: "node-17"}},
		},
	}
	for _, kind := range []corev1.NodeConditionType{"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"} {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: kind, Status: corev1.ConditionFalse, LastHeartbeatTime: at})
	}
	for _, image := range []string{"web", "db", "cache", "proxy", "pause"} {
		node.Status.Images = append(node.Status.Images, corev1.ContainerImage{Names: []string{"registry.example.com/" + image + ":1.0"}, SizeBytes: 1 << 25})
	}
	return node
}

// bareConfigMap is one as kubectl makes it from a file.
func bareConfigMap() *corev1.ConfigMap {
	at := metav1.Time{Time: time.Unix(1700000000, 0)}
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name: "settings", Namespace: "shop", UID: "0d9f6e8c-3f0a-4a3e-9b0e-1d2c3b4a5968", ResourceVersion: "184467", CreationTimestamp: at,
			ManagedFields: managedFields(at, "kubectl-create"),
		},
		Data: map[string]string{"settings.yaml": "listen: 8080\nlog: debug\n"},
	}
}

func managedFields(at metav1.Time, managers ...string) (entries []metav1.ManagedFieldsEntry) {
	for _, manager := range managers {
		entries = append(entries, metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &at, FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:enableServiceLinks":{}}}`),
		})
	}
	return entries
}

// smallCopiers copy the objects above.
func smallCopiers() []copier {
	return []copier{
		copierOf("running Pod", runningPod(), (*kinds.Pod).DeepCopy, kinds.DeepCopy_Pod),
		copierOf("running Node", runningNode(), (*kinds.Node).DeepCopy, kinds.DeepCopy_Node),
		copierOf("bare ConfigMap", bareConfigMap(), (*kinds.ConfigMap).DeepCopy, kinds.DeepCopy_ConfigMap),
		copierOf("empty ConfigMap", &corev1.ConfigMap{}, (*kinds.ConfigMap).DeepCopy, kinds.DeepCopy_ConfigMap),
	}
}

// TestSmallDeepCopy shows that small objects allocate no more than the peer's copies, and how fast
// they are copied.
func TestSmallDeepCopy(t *testing.T) {
	for _, c := range smallCopiers() {
		checkCopy(t, c.kind, c.in, c.ours())
		peer := testing.AllocsPerRun(20, func() { kept = c.peer() })
		ours := testing.AllocsPerRun(20, func() { kept = c.ours() })
		if ours > peer {
			t.Errorf("%s: %v allocations, peer %v", c.kind, ours, peer)
		}
		if testing.Verbose() {
			times := copyTimes(true, c.peer, c.ours)
			t.Logf("%-15s peer %8v %2.0f allocations, ours %8v %2.0f: %.2f times as fast", c.kind, times[0], peer, times[1], ours,
				float64(times[0])/float64(times[1]))
		}
	}
}

// BenchmarkUnmarshalSmall compares reading them.
func BenchmarkUnmarshalSmall(b *testing.B) {
	for _, small := range []struct {
		name string
		of   protoKind
		m    protoMessage
	}{{"running Pod", protoKinds[0], runningPod()}, {"running Node", protoKinds[2], runningNode()}, {"bare ConfigMap", protoKinds[3], bareConfigMap()}} {
		data, err := small.m.Marshal()
		if err != nil {
			b.Fatal(err)
		}
		k := small.of
		inTurns(b, small.name, func() error { return k.empty().Unmarshal(data) }, func() error { return k.unmarshal(data, k.empty()) })
	}
}
