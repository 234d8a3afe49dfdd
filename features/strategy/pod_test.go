package strategy

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func parse[T any](t testing.TB, text string) *T {
	t.Helper()
	out := new(T)
	if err := yaml.UnmarshalStrict([]byte(text), out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func TestClass(t *testing.T) {
	for spec, want := range map[string]corev1.PodQOSClass{
		"{containers: [{}]}": "BestEffort",
		"{containers: [{resources: {requests: {cpu: 0}}}]}":                                                                                          "BestEffort",
		"{containers: [{resources: {requests: {cpu: 1}}}]}":                                                                                          "Burstable",
		"{containers: [{resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, memory: 1Gi}}}]}":                                              "Guaranteed",
		"{containers: [{resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1000m, memory: 1024Mi}}}, {}]}":                                   "Burstable",
		"{initContainers: [{}], containers: [{resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, memory: 1Gi}}}]}":                        "Burstable",
		"{resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, memory: 1Gi}}, containers: [{}]}":                                            "Guaranteed",
		"{resources: {requests: {cpu: 1}}, containers: [{resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, memory: 1Gi}}}]}":             "Burstable",
		"{resources: {requests: {example.com/gpu: 1}}, containers: [{resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, memory: 1Gi}}}]}": "Guaranteed",
	} {
		if got := QOSClass(parse[corev1.PodSpec](t, spec)); got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
}

func TestResourcesOfPod(t *testing.T) {
	for spec, want := range map[string]string{
		"{containers: [{resources: {requests: {cpu: 1}}}]}":                                                                 "null",
		"{resources: {}, containers: [{resources: {requests: {cpu: 1}}}]}":                                                  "{}",
		"{resources: {limits: {cpu: 4}}, containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}]}":                     "{limits: {cpu: 4}, requests: {cpu: 1, memory: 1Gi}}",
		"{resources: {limits: {cpu: 4}}, containers: [{}]}":                                                                 "{limits: {cpu: 4}, requests: {cpu: 4}}",
		"{resources: {requests: {cpu: 4}}, containers: [{resources: {limits: {cpu: 1}}}, {}]}":                              "{requests: {cpu: 4}}",
		"{resources: {requests: {cpu: 1}}, containers: [{resources: {limits: {cpu: 1}}}, {resources: {limits: {cpu: 2}}}]}": "{limits: {cpu: 3}, requests: {cpu: 1}}",
		"{resources: {requests: {cpu: 9}}, containers: [{resources: {limits: {cpu: 1}}}]}":                                  "{limits: {cpu: 9}, requests: {cpu: 9}}",
		"{resources: {limits: {cpu: 1}}, containers: [{resources: {limits: {hugepages-2Mi: 4Mi}}}]}":                        "{limits: {cpu: 1, hugepages-2Mi: 4Mi}, requests: {cpu: 1, hugepages-2Mi: 4Mi}}",
		"{resources: {limits: {cpu: 9}}, initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 1}}}, {resources: {requests: {cpu: 5}}}], containers: [{resources: {requests: {cpu: 2}}}]}": "{limits: {cpu: 9}, requests: {cpu: 6}}",
	} {
		got := parse[corev1.PodSpec](t, spec)
		CompleteResources(got)
		if diff := cmp.Diff(parse[*corev1.ResourceRequirements](t, want), &got.Resources); diff != "" {
			t.Errorf("%s: %s", spec, diff)
		}
	}
}

func TestLabelKeys(t *testing.T) {
	pod := parse[corev1.Pod](t, `
metadata: {labels: {hash: h}}
spec:
  topologySpreadConstraints: [{labelSelector: {}, matchLabelKeys: [hash, none]}, {matchLabelKeys: [hash]}]
  affinity:
    podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {}, mismatchLabelKeys: [hash]}]}
    podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{podAffinityTerm: {labelSelector: {}, matchLabelKeys: [hash]}}]}
`)
	Pod{}.PrepareForCreate(context.Background(), pod)
	by := func(how metav1.LabelSelectorOperator) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "hash", Operator: how, Values: []string{"h"}}}}
	}
	spread, affinity := pod.Spec.TopologySpreadConstraints, pod.Spec.Affinity
	for what, c := range map[string]struct{ got, want *metav1.LabelSelector }{
		"spread":               {spread[0].LabelSelector, by("In")},
		"a selector of nobody": {spread[1].LabelSelector, nil},
		"affinity":             {affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector, by("NotIn")},
		"anti-affinity":        {affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution[0].PodAffinityTerm.LabelSelector, by("In")},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}

// A client that does not know a part of the status leaves it out.
func TestStatusIsKept(t *testing.T) {
	old := parse[corev1.Pod](t, `status: {qosClass: Burstable, observedGeneration: 3, resourceClaimStatuses: [{name: a}], conditions: [{type: A, observedGeneration: 1}, {type: A, observedGeneration: 2}]}`)
	pod := parse[corev1.Pod](t, `status: {conditions: [{type: A}, {type: A, observedGeneration: 9}, {type: A}, {type: B}]}`)
	want := parse[corev1.Pod](t, `status: {qosClass: Burstable, observedGeneration: 3, resourceClaimStatuses: [{name: a}], conditions: [{type: A, observedGeneration: 1}, {type: A, observedGeneration: 9}, {type: A}, {type: B}]}`)
	Pod{}.PrepareForStatusUpdate(context.Background(), pod, old)
	if diff := cmp.Diff(want, pod); diff != "" {
		t.Error(diff)
	}
	pod = parse[corev1.Pod](t, `status: {resourceClaimStatuses: []}`)
	if (Pod{}).PrepareForStatusUpdate(context.Background(), pod, old); len(pod.Status.ResourceClaimStatuses) != 0 {
		t.Errorf("an empty list takes nothing away: %+v", pod.Status)
	}
}

func TestPhaseOfVolume(t *testing.T) {
	const before, later = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
	old := parse[corev1.PersistentVolume](t, "status: {phase: Bound, lastPhaseTransitionTime: "+before+"}")
	for status, want := range map[string]string{
		"{phase: Bound}": before,
		"{phase: Bound, lastPhaseTransitionTime: " + later + "}":    later,
		"{phase: Released, lastPhaseTransitionTime: " + later + "}": later,
		"{phase: Released}": "now",
		"{phase: Released, lastPhaseTransitionTime: " + before + "}": "now",
	} {
		volume := parse[corev1.PersistentVolume](t, "status: "+status)
		PersistentVolume{}.PrepareForStatusUpdate(context.Background(), volume, old)
		got := volume.Status.LastPhaseTransitionTime.UTC().Format("2006-01-02T15:04:05Z")
		if is := got == want || want == "now" && got > later; !is {
			t.Errorf("%s: since %s, want %s", status, got, want)
		}
	}
}

// What annotations say of AppArmor is copied into fields that say nothing.
func TestAppArmorOfAnnotations(t *testing.T) {
	const key = "container.apparmor.security.beta.kubernetes.io/"
	const warning = `metadata.annotations[` + key + `a]: deprecated since v1.30; use the "appArmorProfile" field instead`
	for text, want := range map[string]struct {
		profile string // of the container
		warned  bool
	}{
		"metadata: {annotations: {" + key + "a: unconfined}}\nspec: {containers: [{name: a}]}":                                                                  {"{type: Unconfined}", true},
		"metadata: {annotations: {" + key + "a: localhost/p/q}}\nspec: {containers: [{name: a, securityContext: {runAsUser: 1}}]}":                              {"{type: Localhost, localhostProfile: p/q}", true},
		"metadata: {annotations: {" + key + "a: 'localhost/p '}}\nspec: {containers: [{name: a}]}":                                                              {"null", true},
		"metadata: {annotations: {" + key + "a: ''}}\nspec: {containers: [{name: a}]}":                                                                          {"null", true},
		"metadata: {annotations: {" + key + "b: unconfined}}\nspec: {containers: [{name: a}]}":                                                                  {"null", false},
		"metadata: {annotations: {" + key + "a: unconfined}}\nspec: {os: {name: windows}, containers: [{name: a}]}":                                             {"null", false},
		"metadata: {annotations: {" + key + "a: unconfined}}\nspec: {securityContext: {appArmorProfile: {type: Unconfined}}, containers: [{name: a}]}":          {"null", false},
		"metadata: {annotations: {" + key + "a: unconfined}}\nspec: {securityContext: {appArmorProfile: {type: RuntimeDefault}}, containers: [{name: a}]}":      {"{type: Unconfined}", true},
		"metadata: {annotations: {" + key + "a: unconfined}}\nspec: {containers: [{name: a, securityContext: {appArmorProfile: {type: RuntimeDefault}}}]}":      {"{type: RuntimeDefault}", false},
		"metadata: {annotations: {" + key + "a: runtime/default}}\nspec: {containers: [{name: a, securityContext: {appArmorProfile: {type: RuntimeDefault}}}]}": {"{type: RuntimeDefault}", true},
		"metadata: {annotations: {" + key + "a: localhost/" + strings.Repeat("p", 4096) + "}}\nspec: {containers: [{name: a}]}":                                 {"null", true},
		"metadata: {annotations: {" + key + "a: runtime/default}}\nspec: {initContainers: [{name: a}], containers: [{name: b}]}":                                {"{type: RuntimeDefault}", true},
	} {
		pod := parse[corev1.Pod](t, text)
		Pod{}.PrepareForCreate(context.Background(), pod)
		of := &pod.Spec.Containers[0]
		if len(pod.Spec.InitContainers) > 0 {
			of = &pod.Spec.InitContainers[0]
		}
		if diff := cmp.Diff(*parse[*corev1.AppArmorProfile](t, want.profile), ownAppArmor(of)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if warned := slices.Contains(Pod{}.WarningsOnCreate(context.Background(), pod), warning); warned != want.warned {
			t.Errorf("%s: it is %v that there is a warning", text, warned)
		}
	}
}
