package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var kills = flag.Int("restarts", 3, "how often TestConverge kills the server, the controller or both")

// The limits of the autoscaler of TestConverge.
const least, most = 3, 6

// TestConverge kills the server and the controller while replicas are changed and pods are deleted,
// added and get ready. In the end there are exactly the pods that are wanted, each has its owner,
// and every status tells exactly that.
func TestConverge(t *testing.T) {
	t.Parallel()
	s := startCluster(t)
	w := newWorld(t, s)
	must(t, w.Create(t.Context(), newRC("plain", 3)))
	must(t, w.Create(t.Context(), newRC("scaled", 1)))
	must(t, w.Create(t.Context(), newHPA("scaled", least, most)))
	controller := startController(t, "controller", s)

	churning, halt := context.WithCancel(t.Context())
	var churns sync.WaitGroup
	defer churns.Wait()
	defer halt()
	for range 2 {
		churns.Go(func() {
			for churning.Err() == nil {
				w.churn(churning)
				time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond) // not to wait for anything: people are not faster
			}
		})
	}
	// What the three restarts of a short run are is certain; beyond these chance decides.
	for i := range *kills {
		until := w.steps.Load() + 20 + rand.Int64N(40)
		eventually(t, func() string { return says(w.steps.Load() < until, "too few changes come through") })
		what := i
		if i > 2 {
			what = rand.IntN(3)
		}
		if what != 0 {
			controller.kill()
		}
		if what != 1 {
			s.kill()
			s.start(t)
		}
		if what != 0 {
			controller = startController(t, "controller", s)
		}
	}
	halt()
	churns.Wait()

	// Twice: the second time shows that the controller is alive, and did not just happen to stop
	// there.
	for _, n := range []struct{ plain, scaled, kept int32 }{{5, 9, most}, {2, 1, least}} {
		must(t, w.scale(t.Context(), "plain", n.plain))
		must(t, w.scale(t.Context(), "scaled", n.scaled))
		eventually(t, func() string { return w.differs(map[string]int32{"plain": n.plain, "scaled": n.kept}) })
	}
	t.Logf("%d changes came through %d restarts", w.steps.Load(), *kills)
}

// world is what people and nodes do in a cluster.
type world struct {
	client.Client
	steps atomic.Int64
}

func newWorld(t *testing.T, s *cluster) *world {
	c, err := client.New(s.config, client.Options{})
	must(t, err)
	return &world{Client: c}
}

func newRC(name string, replicas int32) *corev1.ReplicationController {
	labels := map[string]string{"app": name}
	return &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: corev1.ReplicationControllerSpec{Replicas: &replicas, Selector: labels, Template: &corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		}},
	}
}

func newHPA(target string, least, most int32) *autoscalingv2.HorizontalPodAutoscaler {
	return &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: target, Namespace: "default"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "v1", Kind: "ReplicationController", Name: target},
			MinReplicas:    &least, MaxReplicas: most,
		},
	}
}

// newOrphan is a pod that belongs to nobody, but fits a replication controller.
func newOrphan(of string) *corev1.Pod {
	template := newRC(of, 1).Spec.Template
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "orphan-", Namespace: "default", Labels: template.Labels}, Spec: template.Spec}
}

// churn changes something. It counts if the server took it; it may be down.
func (w *world) churn(ctx context.Context) {
	name := []string{"plain", "scaled"}[rand.IntN(2)]
	err := fmt.Errorf("there is no pod")
	switch what := rand.IntN(8); {
	case what < 2:
		err = w.scale(ctx, name, 1+rand.Int32N(10))
	case what == 2:
		err = w.Create(ctx, newOrphan(name))
	default:
		var pods corev1.PodList
		if w.List(ctx, &pods, client.InNamespace("default")) == nil && len(pods.Items) > 0 {
			pod := &pods.Items[rand.IntN(len(pods.Items))]
			if what < 5 {
				err = w.Delete(ctx, pod)
			} else {
				err = w.ready(ctx, pod)
			}
		}
	}
	if err == nil {
		w.steps.Add(1)
	}
}

func (w *world) scale(ctx context.Context, name string, replicas int32) error {
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}
	return w.SubResource("scale").Update(ctx, newRC(name, 0), client.WithSubResourceBody(scale))
}

// ready does what the node does when a pod runs.
func (w *world) ready(ctx context.Context, pod *corev1.Pod) error {
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	return w.Status().Update(ctx, pod)
}

// differs says what is not as it should be when each replication controller has as many pods as
// wanted says. It plays the node: all pods become ready.
func (w *world) differs(wanted map[string]int32) string {
	ctx := context.Background()
	var (
		rcs   corev1.ReplicationControllerList
		hpas  autoscalingv2.HorizontalPodAutoscalerList
		pods  corev1.PodList
		wrong []string
	)
	for _, list := range []client.ObjectList{&rcs, &hpas, &pods} {
		if err := w.List(ctx, list, client.InNamespace("default")); err != nil {
			return err.Error()
		}
	}
	counts, uids := map[string]int32{}, map[string]string{}
	for _, rc := range rcs.Items {
		uids[rc.Name] = string(rc.UID)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		owner := metav1.GetControllerOf(pod)
		if owner == nil || owner.Name != pod.Labels["app"] || string(owner.UID) != uids[owner.Name] || len(pod.OwnerReferences) != 1 {
			wrong = append(wrong, fmt.Sprintf("%s is orphaned: %v", pod.Name, pod.OwnerReferences))
			continue
		}
		counts[owner.Name]++
		if !isReady(pod) {
			wrong = append(wrong, pod.Name+" was not ready")
			if err := w.ready(ctx, pod); err != nil {
				wrong = append(wrong, err.Error())
			}
		}
	}
	for _, rc := range rcs.Items {
		n := wanted[rc.Name]
		status := corev1.ReplicationControllerStatus{
			Replicas: n, FullyLabeledReplicas: n, ReadyReplicas: n, AvailableReplicas: n, ObservedGeneration: rc.Generation,
		}
		if *rc.Spec.Replicas != n || counts[rc.Name] != n || fmt.Sprint(rc.Status) != fmt.Sprint(status) {
			wrong = append(wrong, fmt.Sprintf("%s has %d pods of %d, want %d, and says %+v", rc.Name, counts[rc.Name], *rc.Spec.Replicas, n, rc.Status))
		}
	}
	for _, hpa := range hpas.Items {
		if n := wanted[hpa.Name]; hpa.Status.CurrentReplicas != n || hpa.Status.DesiredReplicas != n || conditionOf(&hpa, autoscalingv2.ScalingActive) != "False NoMetrics" {
			wrong = append(wrong, fmt.Sprintf("autoscaler %s wants %d and says %+v", hpa.Name, n, hpa.Status))
		}
	}
	if len(rcs.Items) != len(wanted) {
		wrong = append(wrong, fmt.Sprintf("%d replication controllers", len(rcs.Items)))
	}
	return strings.Join(wrong, "\n")
}

func conditionOf(hpa *autoscalingv2.HorizontalPodAutoscaler, is autoscalingv2.HorizontalPodAutoscalerConditionType) string {
	for _, c := range hpa.Status.Conditions {
		if c.Type == is {
			return string(c.Status) + " " + c.Reason
		}
	}
	return ""
}

// says is a text if something holds.
func says(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}
