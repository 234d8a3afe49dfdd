package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	v1 "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
)

// aPod reads a pod of YAML, defaulted.
func aPod(t *testing.T, text string) *corev1.Pod {
	t.Helper()
	pod := new(corev1.Pod)
	if err := yaml.UnmarshalStrict([]byte(text), pod); err != nil {
		t.Fatal(err)
	}
	v1.SetObjectDefaults_Pod(pod)
	return pod
}

const web = "spec: {containers: [{name: nginx, image: nginx}]}\n"

func TestPodCells(t *testing.T) {
	for name, tc := range map[string]struct {
		pod  string
		want string // READY STATUS RESTARTS
	}{
		"nobody runs it":     {web + "status: {phase: Pending}", "0/1 Pending 0"},
		"runs":               {web + "status: {phase: Running, containerStatuses: [{name: nginx, ready: true, restartCount: 2, state: {running: {}}}]}", "1/1 Running 2"},
		"is restarted":       {web + "status: {phase: Running, containerStatuses: [{name: nginx, restartCount: 3, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, finishedAt: '2000-01-01T00:00:00Z'}}}]}", "0/1 CrashLoopBackOff 3 (…)"},
		"can't be pulled":    {web + "status: {phase: Pending, containerStatuses: [{name: nginx, state: {waiting: {reason: ImagePullBackOff}}}]}", "0/1 ImagePullBackOff 0"},
		"is done":            {web + "status: {phase: Succeeded, containerStatuses: [{name: nginx, state: {terminated: {reason: Completed}}}]}", "0/1 Completed 0"},
		"ended by a signal":  {web + "status: {phase: Failed, containerStatuses: [{name: nginx, state: {terminated: {signal: 9}}}]}", "0/1 Signal:9 0"},
		"ended with a code":  {web + "status: {phase: Failed, containerStatuses: [{name: nginx, state: {terminated: {exitCode: 3}}}]}", "0/1 ExitCode:3 0"},
		"was evicted":        {web + "status: {phase: Failed, reason: Evicted}", "0/1 Evicted 0"},
		"goes":               {"metadata: {deletionTimestamp: '2000-01-01T00:00:00Z'}\n" + web + "status: {phase: Running}", "0/1 Terminating 0"},
		"is lost":            {"metadata: {deletionTimestamp: '2000-01-01T00:00:00Z'}\n" + web + "status: {phase: Running, reason: NodeLost}", "0/1 Unknown 0"},
		"is done and goes":   {"metadata: {deletionTimestamp: '2000-01-01T00:00:00Z'}\n" + web + "status: {phase: Succeeded}", "0/1 Succeeded 0"},
		"waits for its gate": {web + "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]}", "0/1 SchedulingGated 0"},
		"one of two is done, the other is ready": {"spec: {containers: [{name: a, image: a}, {name: b, image: b}]}\n" +
			"status: {phase: Running, conditions: [{type: Ready, status: 'True'}], containerStatuses: [{name: a, state: {terminated: {reason: Completed}}}, {name: b, ready: true, state: {running: {}}}]}", "1/2 Running 0"},
		"one of two is done, the other is not ready": {"spec: {containers: [{name: a, image: a}, {name: b, image: b}]}\n" +
			"status: {phase: Running, containerStatuses: [{name: a, state: {terminated: {reason: Completed}}}, {name: b, ready: true, state: {running: {}}}]}", "1/2 NotReady 0"},
		"begins": {"spec: {initContainers: [{name: i, image: i}, {name: j, image: j}], containers: [{name: a, image: a}]}\n" +
			"status: {phase: Pending, initContainerStatuses: [{name: i, restartCount: 1, state: {terminated: {}}}, {name: j, restartCount: 1, state: {running: {}}}]}", "0/1 Init:1/2 2"},
		"can't begin": {"spec: {initContainers: [{name: i, image: i}], containers: [{name: a, image: a}]}\n" +
			"status: {phase: Pending, initContainerStatuses: [{name: i, state: {waiting: {reason: ErrImagePull}}}]}", "0/1 Init:ErrImagePull 0"},
		"failed to begin": {"spec: {initContainers: [{name: i, image: i}], containers: [{name: a, image: a}]}\n" +
			"status: {phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 2}}}]}", "0/1 Init:ExitCode:2 0"},
		"has begun": {"spec: {initContainers: [{name: i, image: i}], containers: [{name: a, image: a}]}\n" +
			"status: {phase: Running, initContainerStatuses: [{name: i, restartCount: 5, state: {terminated: {}}}], containerStatuses: [{name: a, ready: true, restartCount: 1, state: {running: {}}}]}", "1/1 Running 1"},
		"has a sidecar": {"spec: {initContainers: [{name: i, image: i, restartPolicy: Always}], containers: [{name: a, image: a}]}\n" +
			"status: {phase: Running, initContainerStatuses: [{name: i, started: true, ready: true, restartCount: 5, state: {running: {}}}], containerStatuses: [{name: a, ready: true, restartCount: 1, state: {running: {}}}]}", "2/2 Running 6"},
	} {
		cells := PodStrategy{}.Cells(aPod(t, tc.pod))
		restarts, ago, _ := strings.Cut(cells[2].(string), " (")
		if ago != "" {
			restarts += " (…)"
		}
		if got := strings.Join([]string{cells[0].(string), cells[1].(string), restarts}, " "); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}

	created := metav1.NewTime(time.Unix(1000, 0))
	pod := aPod(t, web+"status: {podIP: 10.0.0.1, nominatedNodeName: n2, conditions: [{type: example.com/a, status: 'True'}]}")
	pod.CreationTimestamp, pod.Spec.NodeName = created, "n1"
	pod.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "example.com/a"}, {ConditionType: "example.com/b"}}
	if diff := cmp.Diff([]any{created, "10.0.0.1", "n1", "n2", "1/2"}, (PodStrategy{}).Cells(pod)[3:]); diff != "" {
		t.Errorf("the wide columns (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]any{metav1.Time{}, none, none, none, none}, (PodStrategy{}).Cells(&corev1.Pod{})[3:]); diff != "" {
		t.Errorf("the wide columns of nothing (-want +got)\n%s", diff)
	}
	if n := len(PodStrategy{}.Columns()); n != 8 {
		t.Errorf("there are %d columns, want 8", n)
	}
}

func TestQOSClass(t *testing.T) {
	for resources, want := range map[string]corev1.PodQOSClass{
		"{}":                              corev1.PodQOSBestEffort,
		"{requests: {cpu: 1}}":            corev1.PodQOSBurstable,
		"{limits: {cpu: 1}}":              corev1.PodQOSBurstable,
		"{limits: {cpu: 1, memory: 1Gi}}": corev1.PodQOSGuaranteed,
		"{limits: {example.com/gpu: 1}}":  corev1.PodQOSBestEffort,
		"{limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 500m}}": corev1.PodQOSBurstable,
	} {
		pod := aPod(t, "spec: {containers: [{name: a, image: a, resources: "+resources+"}]}")
		PodStrategy{}.PrepareForCreate(context.Background(), pod)
		if pod.Status.QOSClass != want || pod.Status.Phase != corev1.PodPending {
			t.Errorf("%s: %+v, want %s", resources, pod.Status, want)
		}
	}
}

func TestPodsThatCannotRun(t *testing.T) {
	for spec, want := range map[string]string{
		"{containers: [{name: a, image: a, resources: {limits: {hugepages-100E: 1, cpu: 1}}}]}":                                                                                         `spec.containers[0].resources.limits[hugepages-100E]: Invalid value: "1": 1 is not positive integer multiple|spec.containers[0].resources.requests[hugepages-100E]: Invalid value: "1"`,
		"{containers: [{name: a, image: a, resources: {limits: {hugepages-2Mi: 3Mi, cpu: 1}, requests: {example.com/gpu: 500m}}}]}":                                                     `spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources|spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi|spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer|spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi"`,
		"{containers: [{name: a, image: a, resources: {limits: {hugepages-2Mi: 4Mi}, requests: {hugepages-2Mi: 2Mi}}}]}":                                                                `spec.containers[0].resources: Forbidden: HugePages require cpu or memory|spec.containers[0].resources.requests: Invalid value: "2Mi": must be equal to hugepages-2Mi limit of 4Mi`,
		"{resources: {requests: {cpu: 1, ephemeral-storage: 1Gi}, limits: {cpu: 2}, claims: []}, containers: [{name: a, image: a, resources: {limits: {cpu: 3}, requests: {cpu: 2}}}]}": `spec.resources.requests[ephemeral-storage]: Unsupported value: "ephemeral-storage"|spec.resources.claims: Forbidden|spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2|spec.resources.containers[0][cpu].limits: Invalid value: "3": must be less than or equal to pod limits of 2`,
		"{containers: [{name: nginx, image: nginx}]}": "",
		"{}":                                     "spec.containers: Required value",
		"{containers: [{}]}":                     "spec.containers[0].name: Required value|spec.containers[0].image: Required value",
		"{containers: [{name: A, image: ' a'}]}": `spec.containers[0].name: Invalid value: "A"|spec.containers[0].image: Invalid value: " a": must not have leading or trailing whitespace`,
		"{initContainers: [{name: a, image: a}], containers: [{name: a, image: a}]}":                                                                   `spec.initContainers[0].name: Duplicate value: "a"`,
		"{restartPolicy: Sometimes, dnsPolicy: None, containers: [{name: a, image: a}]}":                                                               `spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "Never", "OnFailure"|spec.dnsConfig: Required value`,
		"{dnsPolicy: Ask, containers: [{name: a, image: a}]}":                                                                                          `spec.dnsPolicy: Unsupported value: "Ask"`,
		"{terminationGracePeriodSeconds: -1, containers: [{name: a, image: a}]}":                                                                       "",
		"{activeDeadlineSeconds: 0, containers: [{name: a, image: a}]}":                                                                                "spec.activeDeadlineSeconds: Invalid value: 0",
		"{hostname: a.b, serviceAccountName: A, containers: [{name: a, image: a}]}":                                                                    `spec.hostname: Invalid value: "a.b"|spec.serviceAccountName: Invalid value: "A"`,
		"{containers: [{name: a, image: a, ports: [{}, {containerPort: 70000, protocol: ICMP}]}]}":                                                     `spec.containers[0].ports[0].containerPort: Required value|spec.containers[0].ports[1].containerPort: Invalid value: 70000|spec.containers[0].ports[1].protocol: Unsupported value: "ICMP"`,
		"{containers: [{name: a, image: a, ports: [{name: x, containerPort: 1}, {name: x, containerPort: 2, hostPort: -1}]}]}":                         `spec.containers[0].ports[1].name: Duplicate value: "x"|spec.containers[0].ports[1].hostPort: Invalid value: -1`,
		"{containers: [{name: a, image: a, env: [{}, {name: a=b}], imagePullPolicy: Ask}]}":                                                            `spec.containers[0].imagePullPolicy: Unsupported value: "Ask"|spec.containers[0].env[0].name: Required value|spec.containers[0].env[1].name: Invalid value: "a=b"`,
		"{volumes: [{name: v}, {name: v}], containers: [{name: a, image: a, volumeMounts: [{name: w, mountPath: /w}, {}, {name: v, mountPath: /w}]}]}": `spec.volumes[1].name: Duplicate value: "v"|spec.containers[0].volumeMounts[0].name: Not found: "w"|spec.containers[0].volumeMounts[1].name: Required value|spec.containers[0].volumeMounts[1].mountPath: Required value|spec.containers[0].volumeMounts[1].name: Not found: ""|spec.containers[0].volumeMounts[2].mountPath: Invalid value: "/w": must be unique`,
		"{containers: [{name: a, image: a, resources: {limits: {cpu: 1}, requests: {cpu: 2, memory: -1}}}]}":                                           `spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1|spec.containers[0].resources.requests[memory]: Invalid value: "-1"`,
	} {
		wantErrors(t, spec, PodStrategy{}.Validate(context.Background(), aPod(t, "spec: "+spec)), want)
	}
}

// What Kubernetes refuses of a pod that waits for a node, asks its containers how they are and
// looks up names; each line is a case that test/kuberules found.
func TestPodsOfKubernetes(t *testing.T) {
	const pod, container = ", containers: [{name: a, image: a}]}", "{containers: [{name: a, image: a, "
	for spec, want := range map[string]string{
		"{nodeSelector: {'a b': c}" + pod:                                                       "spec.nodeSelector: Invalid value: \"a b\"",
		"{nodeName: A_" + pod:                                                                   "spec.nodeName: Invalid value: \"A_\"",
		"{tolerations: [{operator: Equal, value: b}]" + pod:                                     "spec.tolerations[0].operator: Invalid value: \"Equal\": operator must be Exists when `key` is empty",
		"{tolerations: [{key: a, operator: Exists, value: b}]" + pod:                            "spec.tolerations[0].operator: Invalid value: \"b\": value must be empty",
		"{tolerations: [{key: a, operator: Is, effect: Go, tolerationSeconds: 1}]" + pod:        "spec.tolerations[0].effect: Invalid value: \"Go\": effect must be 'NoExecute'|spec.tolerations[0].operator: Unsupported value: \"Is\"|spec.tolerations[0].effect: Unsupported value: \"Go\"",
		"{tolerations: [{key: a, operator: Gt, value: x}]" + pod:                                "spec.tolerations[0].value: Invalid value: \"x\"|spec.tolerations[0].value: Invalid value: \"x\"",
		"{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}}" + pod: "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value",
		"{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In}, {key: a, operator: Exists, values: [b]}, {key: a, operator: Gt}, {key: a b, operator: Is, values: [c d]}], matchFields: [{key: a, operator: Gt}]}]}}}" + pod: "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value|" +
			"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].values: Forbidden|" +
			"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[2].values: Required value|" +
			"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[3].operator: Invalid value|" +
			"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[3].key: Invalid value|" +
			"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[3].values[0]: Invalid value|" +
			"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].operator: Invalid value|" +
			"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value",
		"{affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 101, podAffinityTerm: {topologyKey: zone, matchLabelKeys: [a]}}]}}" + pod: "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101|spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.matchLabelKeys: Forbidden",
		"{affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: a b, namespaces: [A]}]}}" + pod:                                   "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespace: Invalid value: \"A\"|spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value",
		"{topologySpreadConstraints: [{whenUnsatisfiable: Wait, minDomains: 0, nodeTaintsPolicy: Ask}]" + pod: "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0|spec.topologySpreadConstraints[0].topologyKey: Required value|spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: \"Wait\"|" +
			"spec.topologySpreadConstraints[0].minDomains: Invalid value: 0|spec.topologySpreadConstraints[0].minDomains: Invalid value: 0|spec.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: \"Ask\"",
		"{topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]" + pod: "spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value",
		"{readinessGates: [{conditionType: a b}]" + pod:                                                          "spec.readinessGates[0].conditionType: Invalid value: \"a b\"",
		"{subdomain: a.b, hostAliases: [{ip: a, hostnames: [A_]}]" + pod:                                         "spec.subdomain: Invalid value: \"a.b\"|spec.hostAliases[0].ip: Invalid value: \"a\"|spec.hostAliases[0].hostnames[0]: Invalid value: \"A_\"",
		"{dnsPolicy: None, dnsConfig: {}" + pod:                                                                  "spec.dnsConfig.nameservers: Required value",
		"{dnsConfig: {nameservers: [a, 10.0.0.1, 10.0.0.2, 10.0.0.3], searches: [A b, .], options: [{}]}" + pod:  "spec.dnsConfig.nameservers: Invalid value|spec.dnsConfig.nameservers[0]: Invalid value: \"a\"|spec.dnsConfig.searches[0]: Invalid value: \"A b\"|spec.dnsConfig.options[0]: Required value",
		container + "livenessProbe: {}}]}":                                                                       "spec.containers[0].livenessProbe: Required value: must specify a handler type",
		container + "livenessProbe: {exec: {}, tcpSocket: {port: 1}, periodSeconds: -1, successThreshold: 2}}]}": "spec.containers[0].livenessProbe.exec.command: Required value|spec.containers[0].livenessProbe.tcpSocket: Forbidden|spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1|spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1",
		container + "readinessProbe: {httpGet: {port: 0, scheme: GOPHER, httpHeaders: [{name: 'a b'}]}, terminationGracePeriodSeconds: 0}}]}": "spec.containers[0].readinessProbe.httpGet.port: Invalid value: 0|spec.containers[0].readinessProbe.httpGet.scheme: Unsupported value: \"GOPHER\"|" +
			"spec.containers[0].readinessProbe.httpGet.httpHeaders: Invalid value: \"a b\"|spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0|spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must not be set",
		container + "startupProbe: {grpc: {port: 0}}, lifecycle: {preStop: {}, postStart: {sleep: {seconds: 31}}}}]}":        "spec.containers[0].startupProbe.grpc.port: Invalid value: 0|spec.containers[0].lifecycle.postStart.sleep: Invalid value: 31|spec.containers[0].lifecycle.preStop: Required value",
		container + "env: [{name: a, valueFrom: {}}, {name: b, value: c, valueFrom: {fieldRef: {fieldPath: spec.mood}}}]}]}": "spec.containers[0].env[0].valueFrom: Invalid value|spec.containers[0].env[1].valueFrom.fieldRef.fieldPath: Invalid value: \"spec.mood\"|spec.containers[0].env[1].valueFrom: Invalid value",
		container + "env: [{name: a, valueFrom: {secretKeyRef: {name: A_}}}, {name: b, valueFrom: {resourceFieldRef: {resource: limits.mood}, configMapKeyRef: {name: a, key: b}}}]}]}": "spec.containers[0].env[0].valueFrom.secretKeyRef.name: Invalid value: \"A_\"|spec.containers[0].env[0].valueFrom.secretKeyRef.key: Required value|" +
			"spec.containers[0].env[1].valueFrom.resourceFieldRef.resource: Unsupported value: \"limits.mood\"|spec.containers[0].env[1].valueFrom: Invalid value",
		container + "envFrom: [{prefix: 'a='}, {configMapRef: {}, secretRef: {name: A_}}]}]}": "spec.containers[0].envFrom[0].prefix: Invalid value: \"a=\"|spec.containers[0].envFrom: Invalid value|spec.containers[0].envFrom[1].configMapRef.name: Required value|spec.containers[0].envFrom[1].secretRef.name: Invalid value: \"A_\"|spec.containers[0].envFrom: Invalid value",
		container + "resources: {limits: {mood: 1}}}]}":                                       "spec.containers[0].resources.limits[mood]: Invalid value|spec.containers[0].resources.limits[mood]: Invalid value|spec.containers[0].resources.requests[mood]: Invalid value|spec.containers[0].resources.requests[mood]: Invalid value",
	} {
		wantErrors(t, spec, PodStrategy{}.Validate(context.Background(), aPod(t, "spec: "+spec)), want)
	}
}

func TestPodStatus(t *testing.T) {
	for status, want := range map[string]string{
		"{podIP: 10.0.0.1}": "",
		"{podIP: notanip}":  "status.podIPs[0]: Invalid value: \"notanip\": must be a valid IP address",
		"{podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}, {ip: '::1'}]}":              "",
		"{podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}, {ip: 10.0.0.2}]}":           "status.podIPs: Invalid value: [\"10.0.0.1\",\"10.0.0.2\"]: may specify no more than one IP for each IP family",
		"{hostIP: 10.0.0.1, hostIPs: [{ip: 10.0.0.2}]}":                         "status.hostIPs[0].ip: Invalid value: \"10.0.0.2\": must be equal to `hostIP`",
		"{hostIP: x, hostIPs: [{ip: x}]}":                                       "status.hostIPs[0]: Invalid value: \"x\"",
		"{conditions: [{type: a b, observedGeneration: -1}]}":                   "status.conditions[0].observedGeneration: Invalid value: -1|status.conditions[0].Type: Invalid value: \"a b\"",
		"{nominatedNodeName: A_, observedGeneration: -1, qosClass: Guaranteed}": "status.nominatedNodeName: Invalid value: \"A_\"|status.observedGeneration: Invalid value: -1|status.qosClass: Invalid value: \"Guaranteed\": field is immutable",
		"{containerStatuses: [{name: x, restartCount: -1}], phase: Somehow}":    "", // a kube-apiserver does not ask
	} {
		wantErrors(t, status, PodStrategy{}.ValidateStatusUpdate(context.Background(), aPod(t, "status: "+status), aPod(t, "status: {qosClass: BestEffort}")), want)
	}
	silent := aPod(t, "{}")
	if (PodStrategy{}).Canonicalize(silent); silent.Status.QOSClass != corev1.PodQOSBestEffort {
		t.Errorf("a status that leaves out the class: %+v", silent.Status)
	}
	kept := aPod(t, "status: {podIP: notanip}")
	wantErrors(t, "what was there before", PodStrategy{}.ValidateStatusUpdate(context.Background(), kept, kept), "")
}

func TestPodsThatRunHardlyChange(t *testing.T) {
	const old = "spec: {schedulingGates: [{name: a}], nodeSelector: {disk: ssd}, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}, tolerations: [{key: a}], activeDeadlineSeconds: 10, initContainers: [{name: i, image: i}], containers: [{name: a, image: a, resources: {limits: {cpu: '1'}}}]}"
	const forbidden = "spec: Forbidden: pod updates may not change fields other than"
	for name, tc := range map[string]struct {
		change func(*corev1.PodSpec)
		want   string
	}{
		"nothing":            {func(s *corev1.PodSpec) {}, ""},
		"images":             {func(s *corev1.PodSpec) { s.Containers[0].Image, s.InitContainers[0].Image = "b", "j" }, ""},
		"a shorter deadline": {func(s *corev1.PodSpec) { *s.ActiveDeadlineSeconds = 5 }, ""},
		"a longer deadline":  {func(s *corev1.PodSpec) { *s.ActiveDeadlineSeconds = 15 }, forbidden},
		"no deadline":        {func(s *corev1.PodSpec) { s.ActiveDeadlineSeconds = nil }, forbidden},
		"no gate, and a narrower node": {func(s *corev1.PodSpec) {
			s.SchedulingGates, s.NodeSelector["zone"] = nil, "a"
			terms := s.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
			terms[0].MatchExpressions = append(terms[0].MatchExpressions, corev1.NodeSelectorRequirement{Key: "b", Operator: corev1.NodeSelectorOpExists})
		}, ""},
		"another gate":            {func(s *corev1.PodSpec) { s.SchedulingGates[0].Name = "b" }, "spec.schedulingGates[0]: Forbidden: only deletion is allowed"},
		"another node":            {func(s *corev1.PodSpec) { s.NodeSelector["disk"] = "hdd" }, "spec.nodeSelector: Invalid value"},
		"any node":                {func(s *corev1.PodSpec) { s.Affinity = nil }, "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Invalid value"},
		"one more toleration":     {func(s *corev1.PodSpec) { s.Tolerations = append(s.Tolerations, corev1.Toleration{Key: "b"}) }, ""},
		"another toleration":      {func(s *corev1.PodSpec) { s.Tolerations = []corev1.Toleration{{Key: "b"}} }, forbidden},
		"the same in other words": {func(s *corev1.PodSpec) { s.Containers[0].Resources.Limits["cpu"] = resource.MustParse("1000m") }, ""},
		"a command":               {func(s *corev1.PodSpec) { s.Containers[0].Command = []string{"x"} }, forbidden},
		"the node":                {func(s *corev1.PodSpec) { s.NodeName = "n" }, forbidden},
		"one container more": {func(s *corev1.PodSpec) {
			s.Containers = append(s.Containers, corev1.Container{Name: "b", Image: "b", ImagePullPolicy: "Always", TerminationMessagePolicy: "File"})
		}, "spec.containers: Forbidden: pod updates may not add or remove containers"},
		"no init container":     {func(s *corev1.PodSpec) { s.InitContainers = nil }, "spec.initContainers: Forbidden: pod updates may not add or remove containers"},
		"an image that is none": {func(s *corev1.PodSpec) { s.Containers[0].Image = "" }, "spec.containers[0].image: Required value"},
	} {
		pod := aPod(t, old)
		tc.change(&pod.Spec)
		before := pod.DeepCopy()
		wantErrors(t, name, PodStrategy{}.ValidateUpdate(context.Background(), pod, aPod(t, old)), tc.want)
		if diff := cmp.Diff(before, pod); diff != "" {
			t.Errorf("%s: validating changed the pod\n%s", name, diff)
		}
	}
}
