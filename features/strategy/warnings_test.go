package strategy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

func TestWarningsOfPods(t *testing.T) {
	for text, want := range map[string][]string{
		"metadata: {name: a}": nil,
		"metadata: {name: a.b}": {
			"metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
		},
		"metadata: {annotations: {security.alpha.kubernetes.io/sysctls: a}}": {
			`metadata.annotations[security.alpha.kubernetes.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead`,
		},
		"spec: {nodeSelector: {a: b, beta.kubernetes.io/os: linux}}": {
			`spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead`,
		},
		"spec: {topologySpreadConstraints: [{topologyKey: beta.kubernetes.io/os}]}": {
			`spec.topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead`,
			"spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
		},
		"spec: {containers: [{env: [{name: A}, {name: B}, {name: A, value: x$(A)}, {name: A, value: b}, {name: A, value: $(A)}]}]}": {
			`spec.containers[0].env[3]: hides previous definition of "A", which may be dropped when using apply`,
			`spec.containers[0].env[4]: hides previous definition of "A", which may be dropped when using apply`,
		},
		"spec: {ephemeralContainers: [{resources: {limits: {memory: 1500m, cpu: 1500m}}}]}": {
			`spec.ephemeralContainers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer`,
		},
		"spec: {initContainers: [{ports: [{name: a, containerPort: 1}]}], containers: [{ports: [{name: a, containerPort: 1, hostPort: 2}]}]}": {
			"spec.containers[0].ports[0]: overlapping port definition with spec.initContainers[0].ports[0]",
			`spec.containers[0].ports[0]: duplicate port name "a" with spec.initContainers[0].ports[0], services and probes that select ports by name will use spec.initContainers[0].ports[0]`,
		},
		"spec: {containers: [{ports: [{containerPort: 1, hostIP: 10.0.0.1}]}]}": {
			"spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:1 Protocol: HostIP:10.0.0.1}",
		},
		"spec: {hostAliases: [{ip: 10.0.0.1}, {ip: 10.0.0.1}, {ip: '1::0'}, {ip: a}], imagePullSecrets: [{name: a}, {}, {name: a}]}": {
			`spec.hostAliases[1].ip: duplicate ip "10.0.0.1"`,
			`spec.hostAliases[2].ip: IPv6 address "1::0" should be in RFC 5952 canonical format ("1::")`,
			`spec.imagePullSecrets[2].name: duplicate name "a"`,
			`spec.imagePullSecrets[1].name: invalid empty name ""`,
		},
		"spec: {volumes: [{name: v, gitRepo: {}}, {name: w, projected: {sources: [{}, {secret: {name: s, items: [{path: a}]}}, {serviceAccountToken: {path: a/b/}}]}}]}": {
			"spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
			`volume "w" (Projected) has no sources provided`,
			`volume "w" (Projected): overlapping paths: "a/b" (ServiceAccountToken) with "a" (Secret "s")`,
		},
		"spec: {volumes: [{name: v, configMap: {name: c, items: [{path: a/b}, {path: a-b}, {path: a}]}}]}": {
			`volume "v" (ConfigMap "c"): overlapping paths: "a" with "a/b"`,
		},
		"spec: {affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{preference: {matchExpressions: [{key: a, values: [-]}]}}]}}}": {
			"spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[0]: - is invalid, a valid label must be an empty string or " +
				"consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', " +
				"regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
		},
	} {
		if diff := cmp.Diff(want, Pod{}.WarningsOnCreate(context.Background(), parse[corev1.Pod](t, text))); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestWarningsOfTemplates(t *testing.T) {
	template := parse[corev1.PodTemplateSpec](t, `
metadata:
  annotations:
    container.apparmor.security.beta.kubernetes.io/a: localhost/p
    container.apparmor.security.beta.kubernetes.io/b: runtime/default
    container.apparmor.security.beta.kubernetes.io/c: unconfined
    container.seccomp.security.alpha.kubernetes.io/a: a
spec:
  securityContext: {appArmorProfile: {type: RuntimeDefault}}
  containers: [{name: a}, {name: b}, {name: c, securityContext: {appArmorProfile: {type: Unconfined}}}]
`)
	var w Warnings
	w.Template("spec.template", template)
	want := []string{
		`spec.template.metadata.annotations[container.seccomp.security.alpha.kubernetes.io/a]: non-functional in v1.27+; use the "seccompProfile" field instead`,
		`spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/a]: deprecated since v1.30; use the "appArmorProfile" field instead`,
	}
	if diff := cmp.Diff(want, w.Texts()); diff != "" {
		t.Error(diff)
	}
}

func TestWarningsOfAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "", "10.0.0.1": "", "1::1": "",
		"010.0.0.1":      `at[1]: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"`,
		"::ffff:1.2.3.4": `at[1]: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"`,
		"1::A":           `at[1]: IPv6 address "1::A" should be in RFC 5952 canonical format ("1::a")`,
	} {
		var w Warnings
		if w.Address(text, "at[%d]", 1); strings.Join(w.Texts(), "|") != want {
			t.Errorf("%s: %q, want %q", text, w.Texts(), want)
		}
	}
	for text, want := range map[string]string{
		"": "", "a/1": "", "10.0.0.0/8": "", "1::/64": "",
		"10.0.0.1/8": `at[1]: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)`,
		"1::0/64":    `at[1]: IPv6 CIDR value "1::0/64" should be in RFC 5952 canonical format ("1::/64")`,
	} {
		var w Warnings
		if w.CIDR(text, "at[%d]", 1); strings.Join(w.Texts(), "|") != want {
			t.Errorf("%s: %q, want %q", text, w.Texts(), want)
		}
	}
}

// Ports and paths are sorted, so that each need not be compared with each. What is found is the
// same.
func TestEachWithEach(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		var ports []port
		for i := range random.IntN(6) {
			ports = append(ports, port{ContainerPort: &corev1.ContainerPort{
				ContainerPort: random.Int32N(2), HostPort: random.Int32N(3), HostIP: []string{"", "a", "b"}[random.IntN(3)],
			}, index: i, order: i})
		}
		var want []string
		for j := range ports {
			for i := range j {
				if how := clash(&ports[i], &ports[j]); how != "" {
					want = append(want, fmt.Sprintf("spec.[0].ports[%d]: %s port definition with spec.[0].ports[%d]", j, how, i))
				}
			}
		}
		var w Warnings
		w.samePorts("", ports)
		if got := slices.Sorted(slices.Values(w.Texts())); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Fatalf("%q, want %q", got, want)
		}

		var files []file
		for i := range random.IntN(6) {
			files = append(files, file{path: []string{"a", "a/b", "a-b", "ab", "a/b/c", "a/bc", "b"}[random.IntN(7)], order: i})
		}
		want = nil
		for j := range files {
			for i := range j {
				if isBelow(files[i].path, files[j].path) || isBelow(files[j].path, files[i].path) {
					want = append(want, fmt.Sprintf(`volume "" (Projected): overlapping paths: %q with %q`, files[j].path, files[i].path))
				}
			}
		}
		w = Warnings{}
		w.overlaps(new(corev1.Volume), files)
		if got := slices.Sorted(slices.Values(w.Texts())); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}

// ordinary is a pod of which there is nothing to say.
const ordinary = `
metadata: {name: a, labels: {app: a}, annotations: {a: b}}
spec:
  nodeSelector: {disk: ssd}
  hostAliases: [{ip: 10.0.0.1}, {ip: 10.0.0.2}]
  imagePullSecrets: [{name: a}, {name: b}]
  dnsConfig: {nameservers: [10.0.0.3, '1::1']}
  topologySpreadConstraints: [{topologyKey: zone, labelSelector: {}}]
  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {}}]}}
  initContainers: [{name: i, env: [{name: A}, {name: B}]}]
  containers:
  - {name: a, env: [{name: A}, {name: B}, {name: C}], ports: [{name: a, containerPort: 1}, {name: b, containerPort: 2}], resources: {limits: {memory: 1Gi}, requests: {memory: 1Gi}}}
  - {name: b, ports: [{containerPort: 3}]}
  volumes:
  - {name: c, configMap: {name: c, items: [{path: a}, {path: b}]}}
  - {name: p, projected: {sources: [{serviceAccountToken: {path: token}}, {configMap: {name: ca, items: [{path: ca}]}}, {downwardAPI: {items: [{path: namespace}]}}]}}
`

func TestNothingToSayCostsNothing(t *testing.T) {
	pod := parse[corev1.Pod](t, ordinary)
	if said := (Pod{}).WarningsOnCreate(context.Background(), pod); said != nil {
		t.Fatalf("%q", said)
	}
	if n := testing.AllocsPerRun(100, func() { Pod{}.WarningsOnCreate(context.Background(), pod) }); n > 0 {
		t.Errorf("a pod: %v allocations", n)
	}
	deployment := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}}}
	if n := testing.AllocsPerRun(100, func() { Deployment{}.WarningsOnUpdate(context.Background(), deployment, deployment) }); n > 0 {
		t.Errorf("a deployment: %v allocations", n)
	}
}

func BenchmarkNothingToSay(b *testing.B) {
	pod := parse[corev1.Pod](b, ordinary)
	b.ReportAllocs()
	for b.Loop() {
		Pod{}.WarningsOnCreate(context.Background(), pod)
	}
}

// A hundred thousand of anything take no time that grows with its square, and not much is said of
// them.
func TestHostilePods(t *testing.T) {
	const many = 100_000
	pods := map[string]*corev1.Pod{"ports": {}, "host ports": {}, "variables": {}, "paths": {}, "folders": {}, "aliases": {}, "labels": {}}
	c := map[string]*corev1.Container{}
	for of, pod := range pods {
		pod.Spec.Containers = make([]corev1.Container, 1)
		c[of] = &pod.Spec.Containers[0]
		pod.Spec.Volumes = []corev1.Volume{{VolumeSource: corev1.VolumeSource{ConfigMap: new(corev1.ConfigMapVolumeSource)}}}
	}
	items := func(of string) *[]corev1.KeyToPath { return &pods[of].Spec.Volumes[0].ConfigMap.Items }
	var values []string
	for i := range int32(many) {
		c["ports"].Ports = append(c["ports"].Ports, corev1.ContainerPort{Name: "a", ContainerPort: 1})
		c["host ports"].Ports = append(c["host ports"].Ports, corev1.ContainerPort{ContainerPort: 1, HostPort: i + 1, HostIP: "a"})
		c["variables"].Env = append(c["variables"].Env, corev1.EnvVar{Name: "A"})
		*items("paths") = append(*items("paths"), corev1.KeyToPath{Path: fmt.Sprint("a", i)})
		*items("folders") = append(*items("folders"), corev1.KeyToPath{Path: "a"})
		pods["aliases"].Spec.HostAliases = append(pods["aliases"].Spec.HostAliases, corev1.HostAlias{IP: "1::0"})
		values = append(values, "-")
	}
	pods["labels"].Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{
		{Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Values: values}}}},
	}}}
	for of, pod := range pods {
		begun := time.Now()
		said := Pod{}.WarningsOnCreate(context.Background(), pod)
		if took := time.Since(begun); took > 10*time.Second || len(said) > mostWarnings {
			t.Errorf("%s: %d warnings after %v", of, len(said), took)
		} else {
			t.Logf("%s: %d warnings after %v", of, len(said), took)
		}
	}
}
