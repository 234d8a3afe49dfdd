package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// laggard is a client whose lists of pods are those of the moment when it was frozen.
type laggard struct {
	client.Client
	frozen *corev1.PodList // nil: it does not lag
	loses  int             // of how many creates the answer is lost
}

func (l *laggard) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if pods, ok := list.(*corev1.PodList); ok && l.frozen != nil {
		l.frozen.DeepCopyInto(pods)
		return nil
	}
	return l.Client.List(ctx, list, opts...)
}

func (l *laggard) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	err := l.Client.Create(ctx, obj, opts...)
	if err == nil && l.loses > 0 {
		l.loses--
		return fmt.Errorf("the connection broke")
	}
	return err
}

// freeze has the client see what there is now until it is frozen again.
func (l *laggard) freeze(t *testing.T) {
	t.Helper()
	l.frozen = nil
	var now corev1.PodList
	must(t, l.List(t.Context(), &now, client.InNamespace("default")))
	l.frozen = &now
}

// TestReconcile runs the reconcilers by hand, one step after the other, over a real server.
func TestReconcile(t *testing.T) {
	t.Parallel()
	s := startCluster(t)
	w := newWorld(t, s)
	for name, test := range map[string]func(*testing.T, *world){
		"a cache that lags":         testLag,
		"adopts and lets go":        testClaims,
		"tells why it can't":        testFailure,
		"keeps autoscalers' limits": testLimits,
	} {
		t.Run(name, func(t *testing.T) { test(t, w) })
		// Without a policy the finalizer "orphan" holds them until the collector has come by.
		must(t, w.DeleteAllOf(t.Context(), new(corev1.ReplicationController), client.InNamespace("default"), client.PropagationPolicy(metav1.DeletePropagationBackground)))
		must(t, w.DeleteAllOf(t.Context(), new(corev1.Pod), client.InNamespace("default")))
	}
}

// step reconciles a replication controller once, and returns how many pods there are then.
func step(t *testing.T, r *replication, name string) int {
	t.Helper()
	_, err := r.Reconcile(t.Context(), requestFor(name))
	must(t, err)
	var pods corev1.PodList
	must(t, r.server.List(t.Context(), &pods, client.InNamespace("default")))
	return len(pods.Items)
}

func requestFor(name string) ctrl.Request {
	return ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: name}}
}

// testLag: a cache that shows nothing new, however often it is looked at, never makes for a pod too
// many, or one too few.
func testLag(t *testing.T, w *world) {
	lag := &laggard{Client: w.Client}
	r := &replication{Client: lag, server: w.Client}
	must(t, w.Create(t.Context(), newRC("plain", 4)))
	lag.freeze(t)
	for range 3 {
		if n := step(t, r, "plain"); n != 4 {
			t.Fatalf("%d pods, want 4", n)
		}
	}
	lag.freeze(t) // it shows the four now
	if n := step(t, r, "plain"); n != 4 {
		t.Fatalf("%d pods, want 4", n)
	}
	must(t, w.scale(t.Context(), "plain", 2))
	for range 3 {
		if n := step(t, r, "plain"); n != 2 {
			t.Fatalf("%d pods, want 2", n)
		}
	}
	must(t, w.scale(t.Context(), "plain", 3))
	if n := step(t, r, "plain"); n != 3 { // it still shows four
		t.Fatalf("%d pods, want 3", n)
	}

	// A process that has just started, and a cache of before. The process that was killed has made
	// them all.
	lag.frozen = new(corev1.PodList)
	r = &replication{Client: lag, server: w.Client}
	if n := step(t, r, "plain"); n != 3 {
		t.Fatalf("%d pods, want 3", n)
	}

	// A pod that was made although nobody heard of it.
	must(t, w.scale(t.Context(), "plain", 5))
	lag.freeze(t)
	lag.loses = 1
	if _, err := r.Reconcile(t.Context(), requestFor("plain")); err == nil || !strings.Contains(err.Error(), "the connection broke") {
		t.Fatalf("%v", err)
	}
	for range 2 {
		if n := step(t, r, "plain"); n != 5 {
			t.Fatalf("%d pods, want 5", n)
		}
	}
}

func testClaims(t *testing.T, w *world) {
	ctx := t.Context()
	r := &replication{Client: w.Client, server: w.Client}
	rc, other, orphan := newRC("plain", 3), newRC("other", 0), newOrphan("plain")
	for _, obj := range []client.Object{rc, other, orphan} {
		must(t, w.Create(ctx, obj))
	}
	stranger := newOrphan("plain")
	stranger.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(other, replicationControllers)}
	must(t, w.Create(ctx, stranger))
	ended := newOrphan("plain")
	must(t, w.Create(ctx, ended))
	ended.Status.Phase = corev1.PodFailed
	must(t, w.Status().Update(ctx, ended))
	if n := step(t, r, "plain"); n != 5 { // the orphan and two new ones, the stranger, and the one that has ended
		t.Fatalf("%d pods, want 5", n)
	}
	must(t, w.Get(ctx, client.ObjectKeyFromObject(orphan), orphan))
	if !metav1.IsControlledBy(orphan, rc) || !*orphan.OwnerReferences[0].BlockOwnerDeletion {
		t.Errorf("the orphan belongs to %v", orphan.OwnerReferences)
	}
	orphan.Labels["app"] = "elsewhere"
	must(t, w.Update(ctx, orphan))
	if n := step(t, r, "plain"); n != 6 {
		t.Fatalf("%d pods, want 6: one more for the one that was let go", n)
	}
	must(t, w.Get(ctx, client.ObjectKeyFromObject(orphan), orphan))
	if len(orphan.OwnerReferences) != 0 {
		t.Errorf("the pod that does not fit any more belongs to %v", orphan.OwnerReferences)
	}
	must(t, w.scale(ctx, "plain", 0))
	if n := step(t, r, "plain"); n != 3 {
		t.Fatalf("%d pods, want 3: those that are not its own", n)
	}
}

func testFailure(t *testing.T, w *world) {
	ctx := t.Context()
	r := &replication{Client: w.Client, server: w.Client}
	rc := newRC("plain", 2)
	rc.Spec.Template.Spec.ServiceAccountName = "nobody"
	must(t, w.Create(ctx, rc))
	if _, err := r.Reconcile(ctx, requestFor("plain")); !apierrors.IsForbidden(err) {
		t.Fatalf("a service account that is missing: %v", err)
	}
	must(t, w.Get(ctx, client.ObjectKeyFromObject(rc), rc))
	if len(rc.Status.Conditions) != 1 || rc.Status.Conditions[0].Reason != "FailedCreate" || !strings.Contains(rc.Status.Conditions[0].Message, "nobody") {
		t.Errorf("it says %+v", rc.Status.Conditions)
	}
	must(t, w.scale(ctx, "plain", 0))
	step(t, r, "plain")
	must(t, w.Get(ctx, client.ObjectKeyFromObject(rc), rc))
	if len(rc.Status.Conditions) != 0 || rc.Status.ObservedGeneration != rc.Generation {
		t.Errorf("it still says %+v", rc.Status)
	}
}

func testLimits(t *testing.T, w *world) {
	ctx := t.Context()
	a := &autoscaler{w.Client}
	rc, hpa := newRC("plain", 9), newHPA("plain", 2, 4)
	must(t, w.Create(ctx, hpa))
	if _, err := a.Reconcile(ctx, requestFor("plain")); !apierrors.IsNotFound(err) {
		t.Fatalf("no target: %v", err)
	}
	must(t, w.Get(ctx, client.ObjectKeyFromObject(hpa), hpa))
	if got := conditionOf(hpa, autoscalingv2.AbleToScale); got != "False FailedGetScale" {
		t.Errorf("no target: %s", got)
	}
	must(t, w.Create(ctx, rc))
	for _, c := range []struct {
		asked, want           int32
		able, active, limited string
	}{
		{9, 4, "True SucceededRescale", "False NoMetrics", "True TooManyReplicas"},
		{1, 2, "True SucceededRescale", "False NoMetrics", "True TooFewReplicas"},
		{3, 3, "True SucceededGetScale", "False NoMetrics", "False DesiredWithinRange"},
		{0, 0, "True SucceededGetScale", "False ScalingDisabled", "False DesiredWithinRange"},
	} {
		must(t, w.scale(ctx, "plain", c.asked))
		result, err := a.Reconcile(ctx, requestFor("plain"))
		must(t, err)
		must(t, w.Get(ctx, client.ObjectKeyFromObject(rc), rc))
		must(t, w.Get(ctx, client.ObjectKeyFromObject(hpa), hpa))
		got := []string{conditionOf(hpa, autoscalingv2.AbleToScale), conditionOf(hpa, autoscalingv2.ScalingActive), conditionOf(hpa, autoscalingv2.ScalingLimited)}
		if *rc.Spec.Replicas != c.want || hpa.Status.DesiredReplicas != c.want || strings.Join(got, ",") != strings.Join([]string{c.able, c.active, c.limited}, ",") {
			t.Errorf("%d asked: %d, and the autoscaler says %d, %q", c.asked, *rc.Spec.Replicas, hpa.Status.DesiredReplicas, got)
		}
		if result.RequeueAfter != period || hpa.Status.LastScaleTime == nil {
			t.Errorf("it looks again in %v, and scaled last at %v", result.RequeueAfter, hpa.Status.LastScaleTime)
		}
	}
}

func TestBestLast(t *testing.T) {
	now := time.Now()
	pod := func(name string, change func(*corev1.Pod)) corev1.Pod {
		p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(now.Add(-time.Hour))}}
		p.Spec.NodeName, p.Status.Phase = "n", corev1.PodRunning
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(now.Add(-time.Hour))}}
		change(&p)
		return p
	}
	pods := []corev1.Pod{
		pod("oldest", func(p *corev1.Pod) { p.CreationTimestamp = metav1.NewTime(now.Add(-2 * time.Hour)) }),
		pod("costly", func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.PodDeletionCost: "7"} }),
		pod("new", func(p *corev1.Pod) { p.CreationTimestamp = metav1.NewTime(now) }),
		pod("restarted", func(p *corev1.Pod) { p.Status.ContainerStatuses = []corev1.ContainerStatus{{RestartCount: 3}} }),
		pod("just ready", func(p *corev1.Pod) { p.Status.Conditions[0].LastTransitionTime = metav1.NewTime(now) }),
		pod("not ready", func(p *corev1.Pod) { p.Status.Conditions = nil }),
		pod("unknown", func(p *corev1.Pod) { p.Status.Phase = corev1.PodUnknown }),
		pod("pending", func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }),
		pod("nowhere", func(p *corev1.Pod) { p.Spec.NodeName = "" }),
	}
	bestLast(pods)
	var order []string
	for _, p := range pods {
		order = append(order, p.Name)
	}
	if got, want := strings.Join(order, ", "), "nowhere, pending, unknown, not ready, just ready, restarted, new, oldest, costly"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestStatus(t *testing.T) {
	now := time.Now()
	rc := newRC("plain", 3)
	rc.Generation, rc.Spec.MinReadySeconds = 4, 30
	rc.Spec.Template.Labels = map[string]string{"app": "plain", "tier": "front"}
	readyFor := func(d time.Duration, labels map[string]string) corev1.Pod {
		return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Status: corev1.PodStatus{
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(now.Add(-d))}},
		}}
	}
	pods := []corev1.Pod{
		readyFor(time.Minute, rc.Spec.Template.Labels), readyFor(10*time.Second, rc.Spec.Selector), readyFor(20*time.Second, rc.Spec.Selector), {},
	}
	status, again := statusOf(rc, pods, nil, now)
	want := corev1.ReplicationControllerStatus{Replicas: 4, FullyLabeledReplicas: 1, ReadyReplicas: 3, AvailableReplicas: 1, ObservedGeneration: 4}
	if fmt.Sprint(status) != fmt.Sprint(want) || again != 10*time.Second {
		t.Errorf("%+v, again in %v", status, again)
	}
}
