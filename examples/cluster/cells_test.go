package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	v1 "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/transcode"
)

// podColumns are columns as markers could have them, and what gen would print to fill them.
var podColumns = []struct {
	path, typ string
	cell      func(in *corev1.Pod) any
}{
	{".spec.nodeName", "string", func(in *corev1.Pod) any { return in.Spec.NodeName }},
	{".spec.hostNetwork", "boolean", func(in *corev1.Pod) any { return in.Spec.HostNetwork }},
	{".spec.hostNetwork", "string", func(in *corev1.Pod) any { return strconv.FormatBool(in.Spec.HostNetwork) }},
	{".spec.priority", "integer", func(in *corev1.Pod) any { return deref(in.Spec.Priority, func(n int32) any { return int64(n) }) }},
	{".spec.priority", "number", func(in *corev1.Pod) any { return deref(in.Spec.Priority, func(n int32) any { return float64(n) }) }},
	{".status.phase", "string", func(in *corev1.Pod) any { return string(in.Status.Phase) }},
	{".status.startTime", "date", func(in *corev1.Pod) any { return deref(in.Status.StartTime, func(t metav1.Time) any { return t }) }},
	{".metadata.creationTimestamp", "date", func(in *corev1.Pod) any { return in.CreationTimestamp }},
	{".spec.containers[0].image", "string", func(in *corev1.Pod) any {
		return first(in.Spec.Containers, func(c corev1.Container) any { return c.Image })
	}},
	{".spec.containers[*].name", "string", func(in *corev1.Pod) any {
		return joined(in.Spec.Containers, func(c corev1.Container) []string { return []string{c.Name} })
	}},
	{".spec.containers[*].ports[*].containerPort", "string", func(in *corev1.Pod) any {
		return joined(in.Spec.Containers, func(c corev1.Container) (all []string) {
			for _, p := range c.Ports {
				all = append(all, fmt.Sprint(p.ContainerPort))
			}
			return all
		})
	}},
	{".spec.containers[*].ports[*].containerPort", "integer", func(in *corev1.Pod) any {
		for _, c := range in.Spec.Containers {
			for _, p := range c.Ports {
				return int64(p.ContainerPort)
			}
		}
		return nil
	}},
	{".spec.containers[0].resources.limits.cpu", "string", func(in *corev1.Pod) any {
		return first(in.Spec.Containers, func(c corev1.Container) any {
			if q, ok := c.Resources.Limits["cpu"]; ok {
				return q.String()
			}
			return nil
		})
	}},
	{".spec.containers[0].readinessProbe.httpGet.port", "string", func(in *corev1.Pod) any { // the members of an embedded struct
		return first(in.Spec.Containers, func(c corev1.Container) any {
			if c.ReadinessProbe == nil || c.ReadinessProbe.HTTPGet == nil {
				return nil
			}
			return c.ReadinessProbe.HTTPGet.Port.String()
		})
	}},
	{`.status.conditions[?(@.type=="Ready")].status`, "string", func(in *corev1.Pod) any {
		for _, c := range in.Status.Conditions {
			if c.Type == "Ready" {
				return string(c.Status)
			}
		}
		return nil
	}},
	{`.status.containerStatuses[?(@.restartCount==1)].ready`, "boolean", func(in *corev1.Pod) any {
		for _, c := range in.Status.ContainerStatuses {
			if c.RestartCount == 1 {
				return c.Ready
			}
		}
		return nil
	}},
	{".spec.nodeSelector", "string", func(in *corev1.Pod) any { return runtime.JSONCell(in.Spec.NodeSelector) }},
	{".spec.tolerations", "string", func(in *corev1.Pod) any { return runtime.JSONCell(in.Spec.Tolerations) }},
	{".spec.securityContext", "string", func(in *corev1.Pod) any { return runtime.JSONCell(in.Spec.SecurityContext) }},
	{".spec.containers[0].resources", "string", func(in *corev1.Pod) any {
		return first(in.Spec.Containers, func(c corev1.Container) any { return runtime.JSONCell(c.Resources) })
	}},
}

func deref[T any](p *T, cell func(T) any) any {
	if p == nil {
		return nil
	}
	return cell(*p)
}

func first[T any](list []T, cell func(T) any) any {
	if len(list) == 0 {
		return nil
	}
	return cell(list[0])
}

func joined[T any](list []T, texts func(T) []string) any {
	var all []string
	for _, item := range list {
		all = append(all, texts(item)...)
	}
	if all == nil {
		return nil
	}
	return strings.Join(all, ",")
}

// TestCellsOfBytes reads columns of random pods: from their bytes, and from the Go values that are
// decoded of them.
func TestCellsOfBytes(t *testing.T) {
	var columns []transcode.Column
	for _, c := range podColumns {
		columns = append(columns, transcode.Column{Path: c.path, Type: c.typ})
	}
	cells, err := transcode.NewCells(&v1.JSONTable_Pod, columns)
	if err != nil {
		t.Fatal(err)
	}
	date := func(dst []byte, at time.Time) []byte { return strconv.AppendInt(dst, at.UnixNano(), 10) }
	found := make([]int, len(columns))
	for seed := range int64(300) {
		message, err := v1.AppendProtobuf_Pod(nil, randomPod(seed))
		if err != nil {
			t.Fatal(err)
		}
		pod := new(corev1.Pod)
		if err := pod.Unmarshal(message); err != nil {
			t.Fatal(err)
		}
		var row []any
		for i, c := range podColumns {
			row = append(row, c.cell(pod))
			if row[i] != nil {
				found[i]++
			}
		}
		want, err := runtime.AppendCells(nil, row, date)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := cells.Append(nil, message, date); err != nil || string(got) != string(want) {
			t.Fatalf("seed %d: %v\ngot  %s\nwant %s", seed, err, got, want)
		}
	}
	for i, c := range podColumns {
		if found[i] < 5 {
			t.Errorf("%s has led to something only %d times", c.path, found[i])
		}
	}
}

func randomPod(seed int64) *corev1.Pod {
	pod := new(corev1.Pod)
	randfill.NewWithSeed(seed).NilChance(.2).NumElements(0, 3).Funcs(
		func(t *metav1.Time, c randfill.Continue) { *t = metav1.Unix(c.Int63n(1<<32), 0) },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse([]string{"0", "100m", "1500m", "2Gi", "1.5"}[c.Intn(5)])
		},
		func(n *corev1.ResourceName, c randfill.Continue) {
			*n = corev1.ResourceName([]string{"cpu", "memory"}[c.Intn(2)])
		},
		func(v *corev1.PodConditionType, c randfill.Continue) {
			*v = []corev1.PodConditionType{corev1.PodReady, corev1.PodScheduled}[c.Intn(2)]
		},
		func(n *int32, c randfill.Continue) { *n = []int32{0, 1, -1, 8080}[c.Intn(4)] },
		func(v *intstr.IntOrString, c randfill.Continue) {
			*v = intstr.FromInt32(8080)
			if c.Bool() {
				*v = intstr.FromString("<http>\n")
			}
		},
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.SetRawBytes([]byte(`{"f:spec":{}}`)) },
	).Fill(pod)
	return pod
}
