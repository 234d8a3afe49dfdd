package v1

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// The defaults are those that a cluster fills in.
func TestDefaults(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"a pod": {`
spec:
  containers:
  - {name: a, image: nginx, ports: [{containerPort: 80}]}
`, `
metadata: {}
spec:
  containers:
  - {name: a, image: nginx, imagePullPolicy: Always, ports: [{containerPort: 80, protocol: TCP}], resources: {}, terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File}
  dnsPolicy: ClusterFirst
  enableServiceLinks: true
  restartPolicy: Always
  schedulerName: default-scheduler
  securityContext: {}
  terminationGracePeriodSeconds: 30
status: {}
`},
		"what a client has set stays": {`
spec:
  containers:
  - {name: a, image: 'nginx:1', imagePullPolicy: Never, terminationMessagePath: /x, terminationMessagePolicy: FallbackToLogsOnError}
  dnsPolicy: Default
  enableServiceLinks: false
  restartPolicy: Never
  schedulerName: mine
  securityContext: {runAsUser: 1}
  terminationGracePeriodSeconds: 0
`, `
metadata: {}
spec:
  containers:
  - {name: a, image: 'nginx:1', imagePullPolicy: Never, resources: {}, terminationMessagePath: /x, terminationMessagePolicy: FallbackToLogsOnError}
  dnsPolicy: Default
  enableServiceLinks: false
  restartPolicy: Never
  schedulerName: mine
  securityContext: {runAsUser: 1}
  terminationGracePeriodSeconds: 0
status: {}
`},
		"all sorts of parts": {`
spec:
  hostNetwork: true
  volumes:
  - {name: empty}
  - {name: secret, secret: {secretName: s}}
  - {name: projected, projected: {sources: [{serviceAccountToken: {path: p}}]}}
  - {name: host, hostPath: {path: /}}
  containers:
  - name: a
    image: nginx@sha256:0
    ports: [{containerPort: 80, protocol: UDP}]
    resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 500m}}
    env: [{name: n, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
    livenessProbe: {httpGet: {port: 80}}
`, `
metadata: {}
spec:
  hostNetwork: true
  volumes:
  - {name: empty, emptyDir: {}}
  - {name: secret, secret: {secretName: s, defaultMode: 420}}
  - {name: projected, projected: {defaultMode: 420, sources: [{serviceAccountToken: {path: p, expirationSeconds: 3600}}]}}
  - {name: host, hostPath: {path: /, type: ""}}
  containers:
  - name: a
    image: nginx@sha256:0
    imagePullPolicy: IfNotPresent
    ports: [{containerPort: 80, hostPort: 80, protocol: UDP}]
    resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 500m, memory: 1Gi}}
    env: [{name: n, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}]
    livenessProbe: {failureThreshold: 3, httpGet: {path: /, port: 80, scheme: HTTP}, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1}
    terminationMessagePath: /dev/termination-log
    terminationMessagePolicy: File
  dnsPolicy: ClusterFirst
  enableServiceLinks: true
  restartPolicy: Always
  schedulerName: default-scheduler
  securityContext: {}
  terminationGracePeriodSeconds: 30
status: {}
`},
	} {
		var got, want corev1.Pod
		for text, pod := range map[string]*corev1.Pod{tc.in: &got, tc.want: &want} {
			if err := yaml.UnmarshalStrict([]byte(text), pod); err != nil {
				t.Fatal(err)
			}
		}
		SetObjectDefaults_Pod(&got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		again := got.DeepCopy()
		if SetObjectDefaults_Pod(again); cmp.Diff(&got, again) != "" {
			t.Errorf("%s: defaulting twice is not defaulting once", name)
		}
	}
}

func TestPullPolicy(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0", 64)
	for image, want := range map[string]corev1.PullPolicy{
		"nginx": "Always", "nginx:latest": "Always", "nginx:1.2": "IfNotPresent", "nginx@" + digest: "IfNotPresent", "nginx:1@" + digest: "IfNotPresent", "nginx:latest@" + digest: "Always",
		"host:5000/nginx": "Always", "host:5000/nginx:1": "IfNotPresent", "Host/a_b": "Always", "[fd00::1]:5000/nginx": "Always",
		strings.Repeat("a", 247): "Always", strings.Repeat("a", 248): "IfNotPresent", "h.o:5000/" + strings.Repeat("a", 255): "Always", "h.o/" + strings.Repeat("a", 256): "IfNotPresent",
		"": "IfNotPresent", "Nginx": "IfNotPresent", "nginx:latest@sha256:0": "IfNotPresent", ":latest": "IfNotPresent",
	} {
		if got := pullPolicy(image); got != want {
			t.Errorf("%s: %s, want %s", image, got, want)
		}
	}
}

func TestDefaultsOfOthers(t *testing.T) {
	rc := &corev1.ReplicationController{Spec: corev1.ReplicationControllerSpec{Template: &corev1.PodTemplateSpec{}}}
	rc.Spec.Template.Labels = map[string]string{"a": "b"}
	SetObjectDefaults_ReplicationController(rc)
	if *rc.Spec.Replicas != 1 || rc.Spec.Selector["a"] != "b" || rc.Labels["a"] != "b" || rc.Spec.Template.Spec.RestartPolicy != "Always" || rc.Spec.Template.Spec.EnableServiceLinks != nil {
		t.Errorf("%+v", rc)
	}
	rc.Labels["a"] = "c"
	if rc.Spec.Selector["a"] != "b" || rc.Spec.Template.Labels["a"] != "b" {
		t.Error("the labels, the selector and the template share a map")
	}
}
