package main

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	appsdefaults "github.com/typeplane/typeplane/examples/cluster/api/apps/v1"
	v1 "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
)

// fromYAML reads an object over another one.
func fromYAML[T any](t *testing.T, over *T, text string) *T {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), over); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return over
}

// aDeployment, aVolume and aClaim are valid ones except for what the text says, defaulted.
func aDeployment(t *testing.T, text string) *appsv1.Deployment {
	t.Helper()
	d := fromYAML(t, new(appsv1.Deployment), "spec: {selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: x}]}}}")
	fromYAML(t, d, text)
	appsdefaults.SetObjectDefaults_Deployment(d)
	return d
}

func aVolume(t *testing.T, text string) *corev1.PersistentVolume {
	t.Helper()
	pv := fromYAML(t, new(corev1.PersistentVolume), "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]}")
	fromYAML(t, pv, text)
	v1.SetObjectDefaults_PersistentVolume(pv)
	return pv
}

func aClaim(t *testing.T, text string) *corev1.PersistentVolumeClaim {
	t.Helper()
	claim := fromYAML(t, new(corev1.PersistentVolumeClaim), "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}")
	fromYAML(t, claim, text)
	v1.SetObjectDefaults_PersistentVolumeClaim(claim)
	return claim
}

func TestDeployments(t *testing.T) {
	const rolling = "{spec: {strategy: {rollingUpdate: "
	for text, want := range map[string]string{
		"{}":                                   "",
		"{spec: {strategy: {type: Recreate}}}": "",
		rolling + "{maxSurge: 1, maxUnavailable: 0}}}}":                                "",
		rolling + "{maxSurge: 0, maxUnavailable: 0%}}}}":                               "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"0%\": may not be 0 when `maxSurge` is 0",
		rolling + "{maxSurge: 200%, maxUnavailable: 101%}}}}":                          `spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%`,
		rolling + "{maxSurge: half, maxUnavailable: -1}}}}":                            "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: -1|spec.strategy.rollingUpdate.maxSurge: Invalid value: \"half\": a valid percent string",
		"{spec: {strategy: {type: Recreate, rollingUpdate: {maxSurge: 1}}}}":           "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
		"{spec: {strategy: {type: Big}}}":                                              `spec.strategy: Unsupported value: "Big": supported values: "Recreate", "RollingUpdate"`,
		"{spec: {replicas: -1, minReadySeconds: 600, revisionHistoryLimit: -2}}":       "spec.replicas: Invalid value: -1|spec.revisionHistoryLimit: Invalid value: -2|spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds",
		"{spec: {selector: null}}":                                                     "spec.selector: Required value|spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`",
		"{spec: {selector: {matchLabels: null}}}":                                      "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
		"{spec: {selector: {matchLabels: {app: b}}}}":                                  "spec.template.metadata.labels: Invalid value",
		"{spec: {selector: {matchExpressions: [{key: a, operator: Is}]}}}":             "spec.selector.matchExpressions[0].operator: Invalid value: \"Is\"|spec.selector: Invalid value",
		"{spec: {template: {spec: {restartPolicy: Never, activeDeadlineSeconds: 5}}}}": "spec.template.spec.restartPolicy: Unsupported value: \"Never\"|spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet",
	} {
		wantErrors(t, text, DeploymentStrategy{}.Validate(t.Context(), aDeployment(t, text)), want)
	}
	for text, want := range map[string]string{
		"{status: {replicas: 3, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 1, collisionCount: 1}}": "",
		"{status: {replicas: 1, readyReplicas: 1, availableReplicas: 2, collisionCount: 1}}":                     "status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas|status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas",
		"{status: {observedGeneration: -1, unavailableReplicas: -1, terminatingReplicas: -1}}":                   "status.observedGeneration: Invalid|status.unavailableReplicas: Invalid|status.terminatingReplicas: Invalid|status.collisionCount: Invalid value: null: cannot be decremented",
	} {
		wantErrors(t, text, DeploymentStrategy{}.ValidateStatusUpdate(t.Context(), aDeployment(t, text), aDeployment(t, "{status: {collisionCount: 1}}")), want)
	}
	old := aDeployment(t, "{metadata: {generation: 4, annotations: {a: b}}}")
	wantErrors(t, "another selector", DeploymentStrategy{}.ValidateUpdate(t.Context(),
		aDeployment(t, "{spec: {selector: {matchExpressions: [{key: app, operator: Exists}]}}}"), old), "spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"a\"},\"matchExpressions\":[{\"key\":\"app\",\"operator\":\"Exists\"}]}: field is immutable")
	for annotations, generation := range map[string]int64{"{a: b}": 4, "{a: c}": 5} {
		d := aDeployment(t, "{metadata: {generation: 4, annotations: "+annotations+"}}")
		if (DeploymentStrategy{}).PrepareForUpdate(t.Context(), d, old); d.Generation != generation {
			t.Errorf("%s: generation %d", annotations, d.Generation)
		}
	}
	s := DeploymentStrategy{}
	got := s.Cells(aDeployment(t, "{spec: {replicas: 3, template: {spec: {containers: [{name: a, image: x}, {name: b, image: z}]}}}, status: {readyReplicas: 2, updatedReplicas: 1, availableReplicas: 1}}"))
	if fmt.Sprint(got[:3], got[4:]) != "[2/3 1 1] [a,b x,z app=a]" || len(got) != len(s.Columns()) {
		t.Errorf("%v", got)
	}
	if got := s.Cells(new(appsv1.Deployment)); fmt.Sprint(got[:3], got[4:]) != "[0/0 0 0] [  <none>]" {
		t.Errorf("cells of nothing: %v", got)
	}
}

func TestPersistentVolumes(t *testing.T) {
	const host = "hostPath: {path: /mnt/a}"
	for text, want := range map[string]string{
		"{" + host + "}": "",
		"{csi: {driver: disk.example.com, volumeHandle: a}, persistentVolumeReclaimPolicy: Delete, volumeMode: Block}": "",
		"{}": "spec: Required value: must specify a volume type",
		"{" + host + ", nfs: {server: s, path: /a}}":                    "spec.nfs: Forbidden: may not specify more than 1 volume type",
		"{nfs: {path: a}}":                                              "spec.nfs.server: Required value|spec.nfs.path: Invalid value: \"a\": must be an absolute path",
		"{nfs: {server: s}}":                                            "spec.nfs.path: Required value|spec.nfs.path: Invalid value: \"\": must be an absolute path",
		"{csi: {driver: 'a b'}}":                                        "spec.csi.driver: Invalid value|spec.csi.volumeHandle: Required value",
		"{csi: {volumeHandle: a}}":                                      "spec.csi.driver: Required value",
		"{hostPath: {path: ''}}":                                        "spec.hostPath.path: Required value",
		"{hostPath: {path: /a/../b}}":                                   "spec.hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
		"{hostPath: {path: /}, persistentVolumeReclaimPolicy: Recycle}": "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
		"{local: {path: /a}}":                                           "spec.nodeAffinity: Required value",
		"{local: {path: /a}, nodeAffinity: {}}":                         "spec.nodeAffinity.required: Required value",
		"{" + host + ", accessModes: []}":                               "spec.accessModes: Required value",
		"{" + host + ", accessModes: [Often]}":                          "spec.accessModes: Unsupported value: \"Often\"",
		"{" + host + ", accessModes: [ReadWriteOncePod, ReadOnlyMany]}": "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
		"{" + host + ", capacity: null}":                                "spec.capacity: Required value|spec.capacity: Unsupported value: null",
		"{" + host + ", capacity: {storage: 1Gi, cpu: 1}}":              "spec.capacity: Unsupported value",
		"{" + host + ", capacity: {storage: 0}}":                        `spec.capacity[storage]: Invalid value: "0": must be greater than zero`,
		"{" + host + ", persistentVolumeReclaimPolicy: Burn}":           "spec.persistentVolumeReclaimPolicy: Unsupported value: \"Burn\"",
		"{" + host + ", volumeMode: Tape, storageClassName: A}":         "spec.storageClassName: Invalid value: \"A\"|spec.volumeMode: Unsupported value: \"Tape\"",
	} {
		wantErrors(t, text, PersistentVolumeStrategy{}.Validate(t.Context(), aVolume(t, "spec: "+text)), want)
	}
	for text, want := range map[string]string{
		"{" + host + ", capacity: {storage: 2Gi}, storageClassName: b, persistentVolumeReclaimPolicy: Delete, nodeAffinity: {required: {nodeSelectorTerms: [{}]}}}": "",
		"{hostPath: {path: /mnt/b}}":        "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation",
		"{" + host + ", volumeMode: Block}": "spec.volumeMode: Invalid value: \"Block\": field is immutable",
	} {
		wantErrors(t, text, PersistentVolumeStrategy{}.ValidateUpdate(t.Context(), aVolume(t, "spec: "+text), aVolume(t, "spec: {"+host+"}")), want)
	}
	placed := aVolume(t, "spec: {"+host+", nodeAffinity: {required: {nodeSelectorTerms: [{}]}}}")
	wantErrors(t, "moved", PersistentVolumeStrategy{}.ValidateUpdate(t.Context(), aVolume(t, "spec: {"+host+"}"), placed), "spec.nodeAffinity: Invalid value: null: field is immutable")

	s := PersistentVolumeStrategy{}
	for text, want := range map[string]string{
		"{spec: {" + host + "}}": "[1Gi RWO Retain Pending   <unset> ] [Filesystem]",
		"{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {accessModes: [ReadWriteMany, ReadOnlyMany], claimRef: {namespace: a, name: b}, storageClassName: c}, status: {phase: Bound, reason: r}}": "[1Gi ROX,RWX Retain Terminating a/b c <unset> r] [Filesystem]",
	} {
		if got := s.Cells(aVolume(t, text)); fmt.Sprint(got[:8], got[9:]) != want || len(got) != len(s.Columns()) {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestClaims(t *testing.T) {
	for text, want := range map[string]string{
		"{}": "",
		"{storageClassName: '', selector: {matchLabels: {a: b}}, dataSource: {kind: PersistentVolumeClaim, name: a}}": "",
		"{accessModes: [], resources: {requests: null}}":                                                              "spec.accessModes: Required value: at least 1 access mode is required|spec.resources[storage]: Required value",
		"{resources: {requests: {storage: -1}}}":                                                                      `spec.resources[storage]: Invalid value: "-1": must be greater than zero`,
		"{storageClassName: A_, volumeMode: Tape}":                                                                    "spec.storageClassName: Invalid value|spec.volumeMode: Unsupported value",
		"{selector: {matchLabels: {'a b': c}}}":                                                                       "spec.selector.matchLabels: Invalid value",
		"{dataSource: {kind: Tape, name: ''}}":                                                                        "spec.dataSource.name: Required value|spec.dataSource: Invalid value: \"Tape\": must be 'PersistentVolumeClaim' when referencing the default apiGroup",
		"{dataSourceRef: {apiGroup: A_, kind: Tape, name: a}}":                                                        "spec.dataSourceRef.apiGroup: Invalid value: \"A_\"",
		"{dataSource: {apiGroup: a, kind: B, name: c}, dataSourceRef: {apiGroup: a, kind: B, name: d}}":               "spec: Invalid value: \"\": must match dataSourceRef",
		"{dataSource: {apiGroup: a, kind: B, name: c}, dataSourceRef: {apiGroup: a, kind: B, name: c, namespace: n}}": "spec: Invalid value: \"\": may not specify dataSource when dataSourceRef.namespace",
	} {
		wantErrors(t, text, PersistentVolumeClaimStrategy{}.Validate(t.Context(), aClaim(t, "spec: "+text)), want)
	}
	claim := aClaim(t, "spec: {dataSource: {kind: PersistentVolumeClaim, name: a}}")
	PersistentVolumeClaimStrategy{}.PrepareForCreate(t.Context(), claim)
	if ref := claim.Spec.DataSourceRef; ref == nil || ref.Name != "a" || ref.Kind != "PersistentVolumeClaim" {
		t.Errorf("%+v", claim.Spec)
	}
	claim.Spec.DataSource = nil
	if (PersistentVolumeClaimStrategy{}).PrepareForCreate(t.Context(), claim); claim.Spec.DataSource == nil || claim.Spec.DataSource.Name != "a" {
		t.Errorf("%+v", claim.Spec)
	}
	bad := aClaim(t, "status: {capacity: {storage: -1}, allocatedResources: {storage: -1}}")
	wantErrors(t, "status", PersistentVolumeClaimStrategy{}.ValidateStatusUpdate(t.Context(), bad, bad), "status.capacity[storage]: Invalid value: \"-1\"|status.allocatedResources[storage]: Invalid value")

	s := PersistentVolumeClaimStrategy{}
	for text, want := range map[string]string{
		"{}": "[Pending     <unset>] [Filesystem]",
		"{metadata: {annotations: {volume.beta.kubernetes.io/storage-class: old}}, spec: {volumeName: v, storageClassName: new, volumeAttributesClassName: fast}, status: {phase: Bound, capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce, ReadWriteOnce]}}": "[Bound v 2Gi RWO old fast] [Filesystem]",
		"{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}}": "[Terminating     <unset>] [Filesystem]",
	} {
		if got := s.Cells(aClaim(t, text)); fmt.Sprint(got[:6], got[7:]) != want || len(got) != len(s.Columns()) {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// A claim that has its volume may only grow.
func TestChangedClaims(t *testing.T) {
	const bound = ", volumeName: v, storageClassName: c}, status: {phase: Bound, capacity: {storage: 2Gi}}}"
	size := func(s string) string { return "{spec: {resources: {requests: {storage: " + s + "}}" }
	const immutable = "spec: Forbidden: spec is immutable after creation except"
	for change, want := range map[string]string{
		"{} to {spec: {volumeName: v}}":                                  "",
		"{} to {spec: {storageClassName: c}}":                            "",
		"{spec: {storageClassName: c}} to {spec: {storageClassName: d}}": immutable,
		"{spec: {volumeName: v}} to {spec: {volumeName: w}}":             immutable,
		"{} to {spec: {volumeMode: Block}}":                              immutable,
		"{} to {spec: {accessModes: [ReadOnlyMany]}}":                    immutable,
		"{} to " + size("2Gi") + "}}":                                    immutable,
		size("2Gi") + bound + " to " + size("3Gi") + bound:               "",
		size("3Gi") + bound + " to " + size("2500Mi") + bound:            "", // the growth that failed
		size("3Gi") + bound + " to " + size("2Gi") + bound:               "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity",
		"{metadata: {annotations: {volume.beta.kubernetes.io/storage-class: a}}} to {metadata: {annotations: {volume.beta.kubernetes.io/storage-class: b}}}": `metadata.annotations[volume.beta.kubernetes.io/storage-class]: Invalid value: "b": field is immutable`,
		"{spec: {volumeAttributesClassName: a}, status: {phase: Bound}} to {spec: {volumeAttributesClassName: b}, status: {phase: Bound}}":                   "",
		"{spec: {volumeAttributesClassName: a}, status: {phase: Bound}} to {status: {phase: Bound}}":                                                         "spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil",
	} {
		before, after, _ := strings.Cut(change, " to ")
		wantErrors(t, change, PersistentVolumeClaimStrategy{}.ValidateUpdate(t.Context(), aClaim(t, after), aClaim(t, before)), want)
	}
}
