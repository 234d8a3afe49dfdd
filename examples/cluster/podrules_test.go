package main

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What a kube-apiserver refuses of volumes, mounts, security contexts and containers;
// test/kuberules compares every field.
func TestPodsAndTheirNodes(t *testing.T) {
	const containers, end = ", containers: [{name: a, image: a}]}", "}]}"
	const c, at = "{containers: [{name: a, image: a, ", "spec.containers[0]."
	const v, volume = "{serviceAccountName: sa, volumes: [{name: v, ", "spec.volumes[0]."
	const ends = "}]" + containers
	for spec, want := range map[string]string{
		v + "emptyDir: {}, hostPath: {path: /}" + ends:                                                             volume + "hostPath: Forbidden: may not specify more than 1 volume type",
		v + "hostPath: {path: /a/../b, type: Door}" + ends:                                                         volume + "hostPath.path: Invalid value|" + volume + "hostPath.type: Unsupported value",
		v + "emptyDir: {sizeLimit: -1}" + ends:                                                                     volume + "emptyDir.sizeLimit: Forbidden",
		v + "gitRepo: {directory: ../x}" + ends:                                                                    volume + "gitRepo.repository: Required value|" + volume + "gitRepo.directory: Invalid value",
		v + "secret: {defaultMode: 512, items: [{path: ..x}]}" + ends:                                              volume + "secret.secretName: Required value|" + volume + "secret.defaultMode: Invalid value: 512|" + volume + "secret.items[0].key: Required value|" + volume + "secret.items[0].path: Invalid value: \"..x\": must not start with '..'",
		v + "configMap: {items: [{key: k, path: /p, mode: -1}]}" + ends:                                            volume + "configMap.name: Required value|" + volume + "configMap.items[0].path: Invalid value: \"/p\": must be a relative path|" + volume + "configMap.items[0].mode: Invalid value: -1",
		v + "downwardAPI: {items: [{path: p}, {path: q, resourceFieldRef: {resource: x}}]}" + ends:                 volume + "downwardAPI.items[0]: Required value|" + volume + "downwardAPI.items[1].resourceFieldRef.containerName: Required value",
		v + "iscsi: {iqn: iqn.x, lun: 256, chapAuthSession: true}" + ends:                                          volume + "iscsi.targetPortal: Required value|" + volume + "iscsi.iqn: Invalid value|" + volume + "iscsi.lun: Invalid value: 256|" + volume + "iscsi.secretRef: Required value",
		v + "fc: {targetWWNs: [w]}" + ends:                                                                         volume + "fc.lun: Required value",
		v + "flexVolume: {options: {a.k8s.io/x: z}}" + ends:                                                        volume + "flexVolume.driver: Required value|" + volume + "flexVolume.options[a.k8s.io/x]: Invalid value",
		v + "azureDisk: {diskName: d, diskURI: x, kind: Managed}" + ends:                                           volume + "azureDisk.diskURI: Unsupported value: \"x\"",
		v + "image: {}" + ends:                                                                                     volume + "image.reference: Required value",
		v + "ephemeral: {volumeClaimTemplate: {metadata: {name: x}, spec: {accessModes: [ReadWriteOnce]}}}" + ends: volume + "ephemeral.volumeClaimTemplate.metadata.name: Forbidden|" + volume + "ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value",
		v + "projected: {sources: [{secret: {name: s, items: [{key: k, path: p}]}}, {configMap: {name: c, items: [{key: k, path: p}]}, secret: {name: s}}]}" + ends: volume + "projected.sources[1].configMap.items[0].path: Invalid value: \"p\": conflicting duplicate paths|" + volume + "projected.sources[1]: Forbidden",
		v + "projected: {sources: [{serviceAccountToken: {expirationSeconds: 599}}]}" + ends:                                                                        volume + "projected.sources[0].serviceAccountToken.path: Required value|" + volume + "projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 599",
		v + "projected: {sources: [{clusterTrustBundle: {name: 'a:b:C', signerName: x, path: p}}, {clusterTrustBundle: {signerName: a/b, path: q}}]}" + ends:        volume + "projected.sources[0].clusterTrustBundle: Invalid value|" + volume + "projected.sources[1].clusterTrustBundle.signerName: Invalid value",
		"{volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: p}}]}}]" + containers:                                                              volume + "projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set",

		"{volumes: [{name: v}], containers: [{name: a, image: a, volumeMounts: [{name: v, mountPath: /a, subPath: ../x, mountPropagation: Bidirectional, recursiveReadOnly: Enabled}], volumeDevices: [{name: v, devicePath: /a}]" + end: at + "volumeMounts[0].name: Invalid value|" + at + "volumeMounts[0].mountPath: Invalid value|" + at + "volumeMounts[0].subPath: Invalid value|" +
			at + "volumeMounts[0].mountPropagation: Forbidden|" + at + "volumeMounts[0].recursiveReadOnly: Forbidden: may only be specified when readOnly|" + at + "volumeMounts[0].recursiveReadOnly: Forbidden: may only be specified when mountPropagation|" +
			at + "volumeDevices[0].name: Invalid value: \"v\": can only use|" + at + "volumeDevices[0].name: Invalid value: \"v\": must not already|" + at + "volumeDevices[0].devicePath: Invalid value",

		c + "securityContext: {runAsUser: -1, procMount: Unmasked, privileged: true, allowPrivilegeEscalation: false, capabilities: {add: [CAP_SYS_ADMIN]}}" + end:     at + "securityContext.runAsUser: Invalid value: -1|" + at + "securityContext.procMount: Invalid value|" + at + "securityContext: Invalid value: \"\": cannot set `allowPrivilegeEscalation` to false and `privileged`|" + at + "securityContext: Invalid value: \"\": cannot set `allowPrivilegeEscalation` to false and `capabilities.Add`",
		c + "securityContext: {seccompProfile: {type: Localhost}, appArmorProfile: {type: Unconfined, localhostProfile: p}}" + end:                                     at + "securityContext.seccompProfile.localhostProfile: Required value|" + at + "securityContext.appArmorProfile.localhostProfile: Invalid value",
		c + "securityContext: {windowsOptions: {runAsUserName: 'a/b', hostProcess: true}}" + end:                                                                       at + "securityContext.windowsOptions.runAsUserName: Invalid value|spec.hostNetwork: Invalid value: false",
		"{hostNetwork: true, hostIPC: true, hostUsers: false, securityContext: {fsGroup: -1, sysctls: [{name: net/a}, {name: A}, {name: kernel.shmmax}]}" + containers: "spec.securityContext.fsGroup: Invalid value: -1|spec.securityContext.sysctls[0].name: Invalid value|spec.securityContext.sysctls[1].name: Invalid value|spec.securityContext.sysctls[2].name: Invalid value|spec.hostNetwork: Forbidden|spec.hostIPC: Forbidden",
		"{hostPID: true, shareProcessNamespace: true, os: {name: windows}, securityContext: {runAsUser: 1}" + containers:                                               "spec.shareProcessNamespace: Invalid value|spec.securityContext.runAsUser: Forbidden|spec.hostPID: Forbidden|spec.shareProcessNamespace: Forbidden",
		"{os: {name: plan9}, runtimeClassName: A_, overhead: {cpu: -1}" + containers:                                                                                   "spec.runtimeClassName: Invalid value|spec.overhead.limits[cpu]: Invalid value|spec.os.name: Unsupported value",

		"{hostNetwork: true, containers: [{name: a, image: a, ports: [{containerPort: 1, hostPort: 2}]}]}":                                                                                                                                 at + "ports[0].hostPort: Invalid value: 2: must match `containerPort`",
		"{containers: [{name: a, image: a, ports: [{containerPort: 1, hostPort: 2}]}, {name: b, image: b, ports: [{containerPort: 1, hostPort: 2}]}]}":                                                                                     "spec.containers[1].ports[0].hostPort: Duplicate value: \"TCP//2\"",
		"{initContainers: [{name: i, image: i, livenessProbe: {exec: {command: [x]}}, resizePolicy: [{resourceName: cpu, restartPolicy: RestartContainer}]}]" + containers:                                                                 "spec.initContainers[0].livenessProbe: Forbidden|spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value",
		"{restartPolicy: Never, containers: [{name: a, image: a, resizePolicy: [{resourceName: disk, restartPolicy: RestartContainer}], restartPolicyRules: [{action: Dance}]}]}":                                                          at + "resizePolicy[0].resourceName: Unsupported value: \"disk\"|" + at + "resizePolicy[0].restartPolicy: Invalid value|" + at + "restartPolicy: Required value|" + at + "restartPolicyRules[0].action: Unsupported value|" + at + "restartPolicyRules[0].exitCodes: Required value",
		"{ephemeralContainers: [{name: a, image: a, ports: [{containerPort: 1}], targetContainerName: z}]" + containers:                                                                                                                    "spec.ephemeralContainers[0].name: Duplicate value: \"a\"|spec.ephemeralContainers[0].targetContainerName: Not found: \"z\"|spec.ephemeralContainers[0].ports: Forbidden|spec.ephemeralContainers: Forbidden: cannot be set on create",
		"{resourceClaims: [{name: g}], containers: [{name: a, image: a, resources: {claims: [{name: g}, {name: g, request: r}, {name: h}]}}]}":                                                                                             at + "resources.claims[1]: Duplicate value: \"g\"|" + at + "resources.claims[2]: Not found: \"h\"|spec.resourceClaims[0]: Invalid value",
		"{schedulingGates: [{name: g}, {name: g}], nodeName: n, priorityClassName: A_, preemptionPolicy: Maybe" + containers:                                                                                                               "spec.schedulingGates[1]: Duplicate value: \"g\"|spec.priorityClassName: Invalid value|spec.preemptionPolicy: Unsupported value|spec.nodeName: Forbidden",
		"{topologySpreadConstraints: [{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, matchLabelKeys: [k, k], labelSelector: {matchLabels: {k: v}, matchExpressions: [{key: k, operator: In, values: [v]}]}}]" + containers: "spec.topologySpreadConstraints[0][1]: Invalid value: \"k\": exists in both matchLabelKeys and labelSelector",
		"{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z, labelSelector: {}, matchLabelKeys: [k], mismatchLabelKeys: [k]}]}}" + containers:                                                      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].matchLabelKeys[0]: Invalid value: \"k\": exists in both matchLabelKeys and mismatchLabelKeys",
		"{hostnameOverride: A_, setHostnameAsFQDN: true" + containers:                                                                                                                                                                      "spec.hostnameOverride: Invalid value|spec.hostnameOverride: Forbidden",
		c + "env: [{name: f, valueFrom: {fileKeyRef: {volumeName: v, key: k, path: ../p}}}]" + end:                                                                                                                                         at + "env[0].valueFrom.fileKeyRef.path: Invalid value|" + at + "env[0].valueFrom.fileKeyRef.volumeName: Not found: \"v\"",
		c + "env: [{name: f, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 2}}}]" + end:                                                                                                                                    at + "env[0].valueFrom.resourceFieldRef.divisor: Invalid value: \"2\"",
	} {
		wantErrors(t, spec, PodStrategy{}.Validate(t.Context(), aPod(t, "spec: "+spec)), want)
	}
}

// A text says once what is wrong with each of a million parts.
func TestRegistriesAreBounded(t *testing.T) {
	places := &corev1.QuobyteVolumeSource{Registry: strings.Repeat(",", 1_000_000), Volume: "v"}
	if errs := validateQuobyte(places, field.NewPath("quobyte")); len(errs) != 1 {
		t.Errorf("%d errors", len(errs))
	}
}

// A template has no name, and what is in no way a pod yet: its ports of the host are filled in when
// there is one.
func TestTemplatesOfPods(t *testing.T) {
	spec := &aPod(t, "spec: {containers: [{name: a, image: ' a'}]}").Spec
	spec.HostNetwork, spec.Containers[0].Ports = true, []corev1.ContainerPort{{ContainerPort: 80, Protocol: corev1.ProtocolTCP}}
	wantErrors(t, "a template", validatePodSpec(spec, nil, field.NewPath("spec")), "")
}

// The name of a claim that is made for a pod is the pod's and the volume's.
func TestClaimsOfPods(t *testing.T) {
	pod := aPod(t, "metadata: {name: p}\nspec: {volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}, {name: w, persistentVolumeClaim: {claimName: p-v}}], containers: [{name: a, image: a}]}")
	wantErrors(t, "another volume of that name", PodStrategy{}.Validate(t.Context(), pod), "spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: \"p-v\"")
}

// What annotations say of a pod has rules, too, and is what its fields say.
func TestAnnotationsOfPods(t *testing.T) {
	const armor, seccomp, annotations = "container.apparmor.security.beta.kubernetes.io/", "container.seccomp.security.alpha.kubernetes.io/", "metadata.annotations"
	const profile = "spec.containers[0].securityContext."
	for text, want := range map[string]string{
		"{annotations: {kubernetes.io/config.mirror: a}}|":                                                                                    annotations + `[kubernetes.io/config.mirror]: Invalid value: "a": must set spec.nodeName if mirror pod annotation is set`,
		"{annotations: {kubernetes.io/config.mirror: a}}|nodeName: n":                                                                         "",
		"{annotations: {controller.kubernetes.io/pod-deletion-cost: '-5'}}|":                                                                  "",
		"{annotations: {controller.kubernetes.io/pod-deletion-cost: '+5'}}|":                                                                  annotations + `[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+5": must be a 32bit integer`,
		"{annotations: {controller.kubernetes.io/pod-deletion-cost: '05'}}|":                                                                  annotations + "[controller.kubernetes.io/pod-deletion-cost]: Invalid value",
		"{annotations: {controller.kubernetes.io/pod-deletion-cost: '2147483648'}}|":                                                          annotations + "[controller.kubernetes.io/pod-deletion-cost]: Invalid value",
		"{annotations: {scheduler.alpha.kubernetes.io/tolerations: '{'}}|":                                                                    annotations + ": Invalid value: \"scheduler.alpha.kubernetes.io/tolerations\": unexpected end",
		"{annotations: {scheduler.alpha.kubernetes.io/tolerations: '[{}]'}}|":                                                                 annotations + ".scheduler.alpha.kubernetes.io/tolerations[0].operator: Invalid value",
		"{annotations: {seccomp.security.alpha.kubernetes.io/pod: x, " + seccomp + "z: localhost/../x}}|":                                     annotations + "." + seccomp + "z: Invalid value: \"../x\": must not contain '..'|" + annotations + ".seccomp.security.alpha.kubernetes.io/pod: Invalid value: \"x\": must be a valid seccomp profile",
		"{annotations: {" + armor + "z: x}}|":                                                                                                 annotations + "[" + armor + `z]: Invalid value: "z": container not found|` + annotations + "[" + armor + `z]: Invalid value: "x": invalid AppArmor profile name: "x"`,
		"{annotations: {" + armor + "a: unconfined}}|securityContext: {appArmorProfile: {type: RuntimeDefault}}":                              profile + "appArmorProfile.type: Forbidden: apparmor type in annotation and field must match",
		"{annotations: {" + armor + "a: localhost/p}}|securityContext: {appArmorProfile: {type: Localhost, localhostProfile: q}}":             profile + "appArmorProfile.localhostProfile: Forbidden: apparmor profile in annotation and field must match",
		"{annotations: {" + armor + "a: unconfined}}|securityContext: {appArmorProfile: {type: RuntimeDefault}}, os: {name: windows}":         "spec.securityContext.appArmorProfile: Forbidden: cannot be set for a windows pod",
		"{annotations: {seccomp.security.alpha.kubernetes.io/pod: docker/default}}|securityContext: {seccompProfile: {type: RuntimeDefault}}": "",
		"{annotations: {seccomp.security.alpha.kubernetes.io/pod: localhost/p}}|securityContext: {seccompProfile: {type: Unconfined}}":        "spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match",
	} {
		metadata, spec, _ := strings.Cut(text, "|")
		pod := aPod(t, "metadata: "+metadata+"\nspec: {containers: [{name: a, image: a}], "+spec+"}")
		wantErrors(t, text, PodStrategy{}.Validate(t.Context(), pod), want)
	}
	old := aPod(t, "metadata: {resourceVersion: '1', annotations: {kubernetes.io/config.mirror: a, "+armor+"a: unconfined, controller.kubernetes.io/pod-deletion-cost: x}}\nspec: {nodeName: n, containers: [{name: a, image: a}]}")
	pod := old.DeepCopy()
	wantErrors(t, "a cost that was wrong before", PodStrategy{}.ValidateUpdate(t.Context(), pod, old), "")
	pod.Annotations = map[string]string{armor + "a": "runtime/default"}
	want := annotations + "[" + armor + "a]: Forbidden: may not remove or update AppArmor annotations|" + annotations + "[kubernetes.io/config.mirror]: Forbidden: may not remove or update mirror pod annotation"
	wantErrors(t, "other annotations", PodStrategy{}.ValidateUpdate(t.Context(), pod, old), want)
	wantErrors(t, "other annotations with a status", PodStrategy{}.ValidateStatusUpdate(t.Context(), pod, old), want)
	old.Annotations, pod.Annotations = nil, old.Annotations
	want = annotations + "[" + armor + "a]: Forbidden: may not add AppArmor annotations|" + annotations + "[controller.kubernetes.io/pod-deletion-cost]: Invalid value|" + annotations + "[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation"
	wantErrors(t, "new annotations", PodStrategy{}.ValidateUpdate(t.Context(), pod, old), want)
}

// A container that has ended begins again where its pod says so.
func TestEndedContainers(t *testing.T) {
	const spec = "spec: {restartPolicy: OnFailure, initContainers: [{name: i, image: a}, {name: j, image: a, restartPolicy: Always}], containers: [{name: a, image: a}, " +
		"{name: b, image: a, restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [3]}}]}, " +
		"{name: c, image: a, restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator: NotIn, values: [3]}}]}]}\n"
	for text, want := range map[string]string{
		"containerStatuses: [{name: a, state: {terminated: {exitCode: 1}}}]":                                                                   "",
		"containerStatuses: [{name: a, state: {terminated: {exitCode: 0}}}]":                                                                   "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state",
		"containerStatuses: [{name: b, state: {terminated: {exitCode: 3}}}, {name: c, state: {terminated: {exitCode: 3}}}]":                    "status.containerStatuses[1].state: Forbidden",
		"containerStatuses: [{name: b, state: {terminated: {exitCode: 4}}}, {name: c, state: {terminated: {exitCode: 4}}}]":                    "status.containerStatuses[0].state: Forbidden",
		"containerStatuses: [{name: x, state: {terminated: {exitCode: 1}}}], ephemeralContainerStatuses: [{name: e, state: {terminated: {}}}]": "status.ephemeralContainerStatuses[0].state: Forbidden|status.containerStatuses[0].state: Forbidden",
		"initContainerStatuses: [{name: i, state: {terminated: {exitCode: 0}}}, {name: j, state: {terminated: {exitCode: 0}}}]":                "status.initContainerStatuses[0].state: Forbidden",
	} {
		old := aPod(t, spec+"status: {"+text+"}")
		pod := old.DeepCopy()
		wantErrors(t, text+" as it was", PodStrategy{}.ValidateStatusUpdate(t.Context(), pod, old), "")
		for _, list := range [][]corev1.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses, pod.Status.EphemeralContainerStatuses} {
			for i := range list {
				list[i].State = corev1.ContainerState{}
			}
		}
		wantErrors(t, text, PodStrategy{}.ValidateStatusUpdate(t.Context(), pod, old), want)
		old.Spec.Containers[0].RestartPolicyRules = []corev1.ContainerRestartRule{{Action: corev1.ContainerRestartRuleActionRestartAllContainers}}
		if errs := (PodStrategy{}).ValidateStatusUpdate(t.Context(), pod, old); len(errs) > len(pod.Status.EphemeralContainerStatuses) {
			t.Errorf("%s, where all begin again: %v", text, errs)
		}
	}
}
