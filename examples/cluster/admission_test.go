package main

import (
	"context"
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
)

// refused sends a request that admission has something against.
func (r *running) refused(method, path string, body []byte, want string) {
	r.t.Helper()
	code, answer := r.do(method, path, asJSON, body)
	if status := object[metav1.Status](r.t, answer); code != 403 || !strings.Contains(status.Message, want) {
		r.t.Errorf("%s %s: %d %s\nwant a 403 with %s", method, path, code, answer, want)
	}
}

// TestAdmission sends what users would send, to a server with the plug-ins that are on by default.
func TestAdmission(t *testing.T) {
	r := run(t, t.TempDir(), nil)
	r.makeNamespace()
	yaml := func(text string) []byte { return []byte("apiVersion: v1\n" + text) }
	pods, claims := path("v1", "pods"), path("v1", "persistentvolumeclaims")

	t.Run("NamespaceLifecycle", func(t *testing.T) {
		r.refused("DELETE", "/api/v1/namespaces/kube-system", nil, `namespaces "kube-system" is forbidden: this namespace may not be deleted`)
		if code, answer := r.do("POST", "/api/v1/namespaces/nowhere/configmaps", asJSON, yaml("kind: ConfigMap\nmetadata: {name: c}\n")); code != 404 || !strings.Contains(string(answer), `namespaces \"nowhere\" not found`) {
			t.Errorf("in a namespace that is missing: %d %s", code, answer)
		}
		// An event is made by an update, too.
		event := yaml("kind: Event\nmetadata: {name: e}\ninvolvedObject: {namespace: nowhere}\n")
		if code, answer := r.do("PUT", "/api/v1/namespaces/nowhere/events/e", asJSON, event); code != 404 || !strings.Contains(string(answer), `namespaces \"nowhere\" not found`) {
			t.Errorf("by an update in a namespace that is missing: %d %s", code, answer)
		}
	})

	t.Run("ServiceAccount", func(t *testing.T) {
		pod := object[corev1.Pod](t, r.must("POST", pods, asJSON, sample(t, "pod.yaml")))
		if pod.Spec.ServiceAccountName != "default" || pod.Spec.DeprecatedServiceAccount != "default" || len(pod.Spec.Volumes) != 1 ||
			pod.Spec.Containers[0].VolumeMounts[0].MountPath != "/var/run/secrets/kubernetes.io/serviceaccount" {
			t.Errorf("a plain pod: %s", marshal(pod))
		}
		r.refused("POST", pods, yaml("kind: Pod\nmetadata: {name: p}\nspec: {serviceAccountName: robot, containers: [{name: c, image: i}]}\n"),
			`pods "p" is forbidden: error looking up service account apiserver-sandbox/robot: serviceaccount "robot" not found`)
		r.must("POST", path("v1", "serviceaccounts"), asJSON, append(sample(t, "serviceaccount.yaml"), "automountServiceAccountToken: false\nimagePullSecrets: [{name: registry}]\n"...))
		pod = object[corev1.Pod](t, r.must("POST", pods, asJSON, yaml("kind: Pod\nmetadata: {name: p}\nspec: {serviceAccountName: robot, containers: [{name: c, image: i}]}\n")))
		if len(pod.Spec.Volumes) != 0 || len(pod.Spec.ImagePullSecrets) != 1 || pod.Spec.ImagePullSecrets[0].Name != "registry" {
			t.Errorf("a pod of an account without tokens: %s", marshal(pod))
		}
	})

	t.Run("LimitRanger", func(t *testing.T) {
		r.must("POST", path("v1", "limitranges"), asJSON, sample(t, "limitrange.yaml"))
		pod := object[corev1.Pod](t, r.must("POST", pods, asJSON, yaml("kind: Pod\nmetadata: {name: limited}\nspec: {containers: [{name: c, image: i}]}\n")))
		if c := pod.Spec.Containers[0]; c.Resources.Requests.Cpu().String() != "100m" || c.Resources.Limits.Memory().String() != "256Mi" || pod.Status.QOSClass != corev1.PodQOSBurstable {
			t.Errorf("a pod in a namespace with limits: %s", marshal(pod))
		}
		if note := pod.Annotations["kubernetes.io/limit-ranger"]; note != "LimitRanger plugin set: cpu, memory request for container c; cpu, memory limit for container c" {
			t.Errorf("note: %s", note)
		}
		r.refused("POST", pods, yaml("kind: Pod\nmetadata: {generateName: big-}\nspec: {containers: [{name: c, image: i, resources: {limits: {cpu: 3}}}]}\n"),
			"is forbidden: maximum cpu usage per Container is 2, but limit is 3")
		r.refused("POST", claims, yaml("kind: PersistentVolumeClaim\nmetadata: {name: big}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 30Gi}}}\n"),
			`persistentvolumeclaims "big" is forbidden: maximum storage usage per PersistentVolumeClaim is 20Gi, but request is 30Gi`)
	})

	// Whoever makes a pod owns what it says of it, and nobody what plug-ins added: another manager
	// may say it without a fight.
	t.Run("owners", func(t *testing.T) {
		const manifest = "kind: Pod\nmetadata: {name: owned}\nspec: {containers: [{name: c, image: i"
		pod := object[corev1.Pod](t, r.must("POST", pods+"?fieldManager=kubectl-run", asJSON, yaml(manifest+"}]}\n")))
		if len(pod.ManagedFields) != 1 || len(pod.Spec.Volumes) != 1 || pod.Spec.Containers[0].Resources.Limits == nil {
			t.Fatalf("a pod without owners or additions: %s", marshal(pod))
		}
		owned := pod.ManagedFields[0].FieldsV1.GetRawString()
		for _, name := range []string{"f:volumes", "f:volumeMounts", "f:serviceAccount", "f:serviceAccountName", "f:limits", "f:requests", "f:annotations", "f:imagePullSecrets"} {
			if strings.Contains(owned, `"`+name+`"`) {
				t.Errorf("kubectl-run owns %s: %s", name, owned)
			}
		}
		if !strings.Contains(owned, `"f:image":{}`) || !strings.Contains(owned, `"f:restartPolicy":{}`) {
			t.Errorf("kubectl-run does not own the image, or the defaults: %s", owned)
		}
		// The limits of a pod can't be changed; but they are not in conflict with anybody's.
		code, answer := r.do("PATCH", pods+"/owned?fieldManager=gitops", asJSON, yaml(manifest+", resources: {limits: {cpu: 600m}}}]}\n"))
		if status := object[metav1.Status](t, answer); code != 422 || !strings.Contains(status.Message, "pod updates may not change fields other than") {
			t.Errorf("another limit by another manager: %d %s", code, answer)
		}
	})

	t.Run("DefaultStorageClass", func(t *testing.T) {
		plain := func(name string) []byte {
			return yaml("kind: PersistentVolumeClaim\nmetadata: {name: " + name + "}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n")
		}
		claim := object[corev1.PersistentVolumeClaim](t, r.must("POST", claims, asJSON, plain("before")))
		if claim.Spec.StorageClassName != nil {
			t.Errorf("there are no classes: %s", marshal(claim))
		}
		r.must("POST", "/apis/storage.k8s.io/v1/storageclasses", asJSON, sample(t, "storageclass.yaml"))
		claim = object[corev1.PersistentVolumeClaim](t, r.must("POST", claims, asJSON, plain("after")))
		if claim.Spec.StorageClassName == nil || *claim.Spec.StorageClassName != "standard" {
			t.Errorf("there is a default class: %s", marshal(claim))
		}
	})

	page := string(r.must("GET", "/metrics", "text/plain", nil))
	for _, name := range []string{"NamespaceLifecycle", "LimitRanger", "ServiceAccount", "DefaultStorageClass"} {
		if !strings.Contains(page, `apiserver_admission_controller_admission_duration_seconds_count{name="`+name+`",operation="CREATE",rejected="false",type="admit"}`) {
			t.Errorf("nothing about %s in the metrics", name)
		}
	}
}

// TestChosenAdmission: what is off has no effect, and what can't work is left out, unless somebody
// asks for it.
func TestChosenAdmission(t *testing.T) {
	r := run(t, t.TempDir(), func(o *typeplane.Options) {
		o.Admission.Disable = []string{"NamespaceLifecycle", "ServiceAccount"}
		o.API.Enable = []string{"namespaces", "serviceaccounts"}
	})
	pod := object[corev1.Pod](t, r.must("POST", "/api/v1/namespaces/nowhere/pods", asJSON, sample(t, "pod.yaml")))
	if pod.Spec.ServiceAccountName != "" || len(pod.Spec.Volumes) != 0 {
		t.Errorf("a pod that nobody had anything to say about: %s", marshal(pod))
	}
	r.must("DELETE", "/api/v1/namespaces/kube-public", asJSON, nil)

	o := typeplane.NewOptions("cluster")
	o.Store.DataDir, o.Store.InMemory, o.Serving.SecurePort = t.TempDir(), true, 0
	o.API.Enable, o.Admission.Enable = []string{"namespaces"}, []string{"LimitRanger"}
	err := typeplane.Run(context.Background(), program(), o, io.Discard)
	if want := "--enable-admission-plugins: LimitRanger works with limitranges, which this server does not serve"; err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// Whoever runs pods finds the namespace for the leases of nodes, as with a kube-apiserver, where it
// can be deleted as well.
func TestNamespaceOfNodeLeases(t *testing.T) {
	r := run(t, t.TempDir(), nil)
	if got := object[corev1.Namespace](t, r.must("GET", "/api/v1/namespaces/kube-node-lease", asJSON, nil)); got.Status.Phase != corev1.NamespaceActive {
		t.Errorf("%s", marshal(got))
	}
	r.must("DELETE", "/api/v1/namespaces/kube-node-lease", asJSON, nil)
}
