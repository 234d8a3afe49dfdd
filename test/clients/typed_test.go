package clients

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	scaleac "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "test"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "nginx"}}},
	}
}

// TestTyped takes an object through its life with the typed client, in each form that it can speak.
func TestTyped(t *testing.T) {
	s := start(t, "cluster")
	for _, contentType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		t.Run(contentType, func(t *testing.T) {
			clients, err := kubernetes.NewForConfig(s.with(func(c *rest.Config) { c.ContentType = contentType }))
			must(t, err)
			life(t, clients.CoreV1().Pods("default"))
			scale(t, clients)
			scaleByPatches(t, clients)
		})
	}
}

func life(t *testing.T, pods typedcorev1.PodInterface) {
	ctx := t.Context()
	w, err := pods.Watch(ctx, metav1.ListOptions{LabelSelector: "app=test"})
	must(t, err)
	defer w.Stop()

	created, err := pods.Create(ctx, pod("a"), metav1.CreateOptions{FieldManager: "test"})
	must(t, err)
	if created.UID == "" || created.ResourceVersion == "" || created.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		t.Errorf("created: %+v", created)
	}
	if _, err := pods.Create(ctx, pod("a"), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("created twice: %v", err)
	}
	if _, err := pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "b"}}, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("without containers: %v", err)
	}
	if dry, err := pods.Create(ctx, pod("dry"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil || dry.UID == "" {
		t.Errorf("dry run: %v %+v", err, dry)
	}
	if _, err := pods.Get(ctx, "dry", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the dry run left: %v", err)
	}

	created.Status.Phase = corev1.PodRunning
	updated, err := pods.UpdateStatus(ctx, created, metav1.UpdateOptions{})
	must(t, err)
	if updated.Status.Phase != corev1.PodRunning {
		t.Errorf("status: %+v", updated.Status)
	}
	created.Labels["stale"] = "yes"
	if _, err := pods.Update(ctx, created, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("update of an old revision: %v", err)
	}
	for kind, patch := range map[types.PatchType]string{
		types.MergePatchType:          `{"metadata":{"annotations":{"merge":"1"}}}`,
		types.JSONPatchType:           `[{"op":"add","path":"/metadata/labels/json","value":"1"}]`,
		types.StrategicMergePatchType: `{"spec":{"containers":[{"name":"c","image":"other"}]}}`,
	} {
		if _, err := pods.Patch(ctx, "a", kind, []byte(patch), metav1.PatchOptions{}); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	applied, err := pods.Apply(ctx, corev1ac.Pod("a", "default").WithAnnotations(map[string]string{"apply": "1"}), metav1.ApplyOptions{FieldManager: "applier"})
	must(t, err)
	if applied.Annotations["merge"] != "1" || applied.Annotations["apply"] != "1" || applied.Labels["json"] != "1" || applied.Spec.Containers[0].Image != "other" {
		t.Errorf("after the patches: %+v", applied)
	}
	owned, err := corev1ac.ExtractPod(applied, "applier")
	must(t, err)
	if len(owned.Annotations) != 1 || owned.Spec != nil {
		t.Errorf("the applier owns %+v", owned)
	}
	conflicting := corev1ac.Pod("a", "default").WithLabels(map[string]string{"app": "mine"})
	if _, err := pods.Apply(ctx, conflicting, metav1.ApplyOptions{FieldManager: "applier"}); !apierrors.IsConflict(err) {
		t.Errorf("apply over another manager's field: %v", err)
	}

	must(t, pods.Delete(ctx, "a", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(created.UID)), GracePeriodSeconds: new(int64)}))
	if err := pods.Delete(ctx, "a", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("deleted twice: %v", err)
	}
	last := applied.ResourceVersion
	for event := range w.ResultChan() {
		seen, ok := event.Object.(*corev1.Pod)
		if !ok {
			t.Fatalf("event %s %+v", event.Type, event.Object)
		}
		if event.Type == watch.Deleted {
			if seen.UID != created.UID || seen.ResourceVersion == last {
				t.Errorf("the last event is of %+v", seen.ObjectMeta)
			}
			break
		}
	}

	for i := range 3 {
		_, err := pods.Create(ctx, pod(fmt.Sprintf("c%d", i)), metav1.CreateOptions{})
		must(t, err)
	}
	must(t, pods.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}, metav1.ListOptions{LabelSelector: "app=test"}))
	left, err := pods.List(ctx, metav1.ListOptions{})
	must(t, err)
	if len(left.Items) != 0 {
		t.Errorf("%d pods are left", len(left.Items))
	}
}

// scale reads and writes the scale of a replication controller.
func scale(t *testing.T, clients kubernetes.Interface) {
	ctx, controllers := t.Context(), clients.CoreV1().ReplicationControllers("default")
	replicas := int32(2)
	template := pod("")
	_, err := controllers.Create(ctx, &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: "rc"},
		Spec: corev1.ReplicationControllerSpec{Replicas: &replicas, Selector: template.Labels,
			Template: &corev1.PodTemplateSpec{ObjectMeta: template.ObjectMeta, Spec: template.Spec}},
	}, metav1.CreateOptions{})
	must(t, err)
	current, err := controllers.GetScale(ctx, "rc", metav1.GetOptions{})
	must(t, err)
	if current.Spec.Replicas != 2 || current.Status.Selector != "app=test" {
		t.Errorf("scale: %+v", current)
	}
	current.Spec.Replicas = 5
	if _, err := controllers.UpdateScale(ctx, "rc", current, metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
	after, err := controllers.Get(ctx, "rc", metav1.GetOptions{})
	must(t, err)
	if *after.Spec.Replicas != 5 {
		t.Errorf("%d replicas, want 5", *after.Spec.Replicas)
	}
	must(t, controllers.Delete(ctx, "rc", metav1.DeleteOptions{}))
}

// scaleByPatches scales as those do who send patches: each type of them, and ApplyScale.
func scaleByPatches(t *testing.T, clients kubernetes.Interface) {
	ctx, deployments := t.Context(), clients.AppsV1().Deployments("default")
	labels := map[string]string{"app": "test"}
	_, err := deployments.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "d"},
		Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod("").Spec}},
	}, metav1.CreateOptions{FieldManager: "creator"})
	must(t, err)
	for kind, patch := range map[types.PatchType]string{
		types.MergePatchType:          `{"spec":{"replicas":4}}`,
		types.JSONPatchType:           `[{"op":"replace","path":"/spec/replicas","value":5}]`,
		types.StrategicMergePatchType: `{"spec":{"replicas":6}}`,
	} {
		if _, err := deployments.Patch(ctx, "d", kind, []byte(patch), metav1.PatchOptions{FieldManager: "patcher"}, "scale"); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	nine := scaleac.Scale().WithName("d").WithNamespace("default").WithSpec(scaleac.ScaleSpec().WithReplicas(9))
	if _, err := deployments.ApplyScale(ctx, "d", nine, metav1.ApplyOptions{FieldManager: "applier"}); !apierrors.IsConflict(err) {
		t.Errorf("applied over another manager's replicas: %v", err)
	}
	applied, err := deployments.ApplyScale(ctx, "d", nine, metav1.ApplyOptions{FieldManager: "applier", Force: true})
	must(t, err)
	after, err := deployments.Get(ctx, "d", metav1.GetOptions{})
	must(t, err)
	owned, err := appsv1ac.ExtractDeploymentScale(after, "applier")
	must(t, err)
	if applied.Spec.Replicas != 9 || *after.Spec.Replicas != 9 || owned.Spec == nil || owned.Spec.Replicas == nil || *owned.Spec.Replicas != 9 {
		t.Errorf("applied %+v, the applier owns %+v", applied.Spec, owned)
	}
	must(t, deployments.Delete(ctx, "d", metav1.DeleteOptions{}))
}
