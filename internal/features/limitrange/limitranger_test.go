package limitrange_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/features/limitrange"
)

// list is a list of resources of a text like "cpu=1 memory=2Gi".
func list(text string) corev1.ResourceList {
	var l corev1.ResourceList
	for _, item := range strings.Fields(text) {
		name, value, _ := strings.Cut(item, "=")
		if l == nil {
			l = corev1.ResourceList{}
		}
		l[corev1.ResourceName(name)] = resource.MustParse(value)
	}
	return l
}

// asks is what somebody asks for: "requests; limits".
func asks(text string) corev1.ResourceRequirements {
	requests, limits, _ := strings.Cut(text, ";")
	return corev1.ResourceRequirements{Requests: list(requests), Limits: list(limits)}
}

// written is the text of which asks would make the same.
func written(r corev1.ResourceRequirements) string {
	part := func(l corev1.ResourceList) string {
		var items []string
		for _, name := range slices.Sorted(maps.Keys(l)) {
			q := l[name]
			items = append(items, fmt.Sprintf("%s=%s", name, q.String()))
		}
		return strings.Join(items, " ")
	}
	return part(r.Requests) + "; " + part(r.Limits)
}

// pod has a container for each text; an init container's begins with "init:", a sidecar's with
// "sidecar:", and "pod:" is what the pod says as a whole.
func pod(texts ...string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns"}}
	for i, text := range texts {
		what, rest, _ := strings.Cut(text, ":")
		c := corev1.Container{Name: fmt.Sprintf("c%d", i), Resources: asks(rest)}
		switch what {
		case "init":
			p.Spec.InitContainers = append(p.Spec.InitContainers, c)
		case "sidecar":
			always := corev1.ContainerRestartPolicyAlways
			c.RestartPolicy = &always
			p.Spec.InitContainers = append(p.Spec.InitContainers, c)
		case "pod":
			r := asks(rest)
			p.Spec.Resources = &r
		default:
			c.Resources = asks(text)
			p.Spec.Containers = append(p.Spec.Containers, c)
		}
	}
	return p
}

func claim(requests string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "ns"},
		Spec:       corev1.PersistentVolumeClaimSpec{Resources: corev1.VolumeResourceRequirements{Requests: list(requests)}},
	}
}

func request(op admission.Operation, obj runtime.Object) *admission.Request {
	r := &admission.Request{Operation: op, Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Namespace: "ns", Name: "p", Object: obj}
	if _, ok := obj.(*corev1.PersistentVolumeClaim); ok {
		r.Resource.Resource, r.Name = "persistentvolumeclaims", "c"
	}
	return r
}

// chain is admission by the limit ranges of ns.
func chain(ranges ...corev1.LimitRangeItem) *admission.Chain {
	c := new(admission.Chain)
	c.Set([]admission.Plugin{limitrange.New(limitrange.Config{
		LimitRanges: func(_ context.Context, namespace string) ([]corev1.LimitRange, error) {
			if namespace != "ns" {
				return nil, errors.New("asked about " + namespace)
			}
			var all []corev1.LimitRange
			for _, item := range ranges {
				all = append(all, corev1.LimitRange{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}}})
			}
			return all, nil
		},
	})})
	return c
}

func admit(c *admission.Chain, r *admission.Request) error {
	if err := c.Mutate(context.Background(), r); err != nil {
		return err
	}
	return c.Validate(context.Background(), r)
}

func item(typ corev1.LimitType, min, max, ratio string) corev1.LimitRangeItem {
	return corev1.LimitRangeItem{Type: typ, Min: list(min), Max: list(max), MaxLimitRequestRatio: list(ratio)}
}

// TestBounds has the cases of Kubernetes' plug-in: what keeps within a range, and what it says of
// all else.
func TestBounds(t *testing.T) {
	const container, whole, storage = corev1.LimitTypeContainer, corev1.LimitTypePod, corev1.LimitTypePersistentVolumeClaim
	for _, tc := range []struct {
		name    string
		limits  corev1.LimitRangeItem
		obj     runtime.Object
		refused string
	}{
		{"container, min cpu, request", item(container, "cpu=50m", "", ""), pod("cpu=100m"), ""},
		{"container, min cpu, request and limit", item(container, "cpu=50m", "", ""), pod("cpu=100m; cpu=200m"), ""},
		{"container, min memory, request at the bound", item(container, "memory=50Mi", "", ""), pod("memory=50Mi"), ""},
		{"container, max cpu, limit at the bound", item(container, "", "cpu=2", ""), pod("cpu=1; cpu=2"), ""},
		{"container, more than 64 bits", item(container, "", "memory=1Gi", ""), pod("memory=1Mi; memory=1e30"), "maximum memory usage per Container is 1Gi, but limit is 1e30"},
		{"container, ratio at the bound", item(container, "", "", "cpu=10"), pod("cpu=50m; cpu=500m"), ""},
		{"container, ratio of a half", item(container, "", "", "memory=1500m"), pod("memory=100Mi; memory=150Mi"), ""},
		{"container, min cpu, none", item(container, "cpu=50m", "", ""), pod(""), "minimum cpu usage per Container is 50m.  No request is specified"},
		{"container, min cpu, request too small", item(container, "cpu=100m", "", ""), pod("cpu=60m"), "minimum cpu usage per Container is 100m, but request is 60m"},
		{"container, min cpu, limit too small", item(container, "cpu=50m", "", ""), pod("cpu=50m; cpu=40m"), "minimum cpu usage per Container is 50m, but limit is 40m"},
		{"container, max cpu, none", item(container, "", "cpu=2", ""), pod("cpu=1"), "maximum cpu usage per Container is 2.  No limit is specified"},
		{"container, max cpu, limit too large", item(container, "", "cpu=1", ""), pod("cpu=1; cpu=2500m"), "maximum cpu usage per Container is 1, but limit is 2500m"},
		{"container, max cpu, request too large", item(container, "", "cpu=1", ""), pod("cpu=2; cpu=1"), "maximum cpu usage per Container is 1, but request is 2"},
		{"container, ratio, no request", item(container, "", "", "cpu=10"), pod("; cpu=1"), "cpu max limit to request ratio per Container is 10, but no request is specified or request is 0"},
		{"container, ratio, request of nothing", item(container, "", "", "cpu=10"), pod("cpu=0; cpu=1"), "cpu max limit to request ratio per Container is 10, but no request is specified or request is 0"},
		{"container, ratio, no limit", item(container, "", "", "cpu=10"), pod("cpu=1"), "cpu max limit to request ratio per Container is 10, but no limit is specified or limit is 0"},
		{"container, ratio too large", item(container, "", "", "cpu=10"), pod("cpu=50m; cpu=600m"), "cpu max limit to request ratio per Container is 10, but provided ratio is 12.000000"},
		{"container, ratio a little too large", item(container, "", "", "cpu=1500m"), pod("cpu=100m; cpu=151m"), "cpu max limit to request ratio per Container is 1500m, but provided ratio is 1.510000"},
		{"container, the second one", item(container, "", "cpu=1", ""), pod("; cpu=1", "; cpu=2"), "maximum cpu usage per Container is 1, but limit is 2"},
		{"init container", item(container, "", "cpu=1", ""), pod("; cpu=1", "init:; cpu=2"), "maximum cpu usage per Container is 1, but limit is 2"},
		{"container, local storage", item(container, "", "ephemeral-storage=1Gi", ""), pod("; ephemeral-storage=2Gi"), "maximum ephemeral-storage usage per Container is 1Gi, but limit is 2Gi"},
		{"everything that is wrong", item(container, "memory=1Gi", "cpu=1", ""), pod("; cpu=2"), "[minimum memory usage per Container is 1Gi.  No request is specified, maximum cpu usage per Container is 1, but limit is 2]"},
		{"numbers too large for thousandths", item(container, "", "memory=9223372036854775807", ""), pod("; memory=9223372036854775806"), ""},
		{"a number that is too large for thousandths", item(container, "", "memory=9Pi", ""), pod("; memory=7Ei"), "maximum memory usage per Container is 9Pi, but limit is 7Ei"},

		{"pod, min, all together", item(whole, "cpu=250m", "", ""), pod("cpu=200m", "cpu=50m"), ""},
		{"pod, max, all together", item(whole, "", "cpu=2", ""), pod("; cpu=1", "; cpu=1"), ""},
		{"pod, max, init containers come before", item(whole, "", "cpu=2", ""), pod("; cpu=2", "init:; cpu=2", "init:; cpu=2"), ""},
		{"pod, max, one init container too large", item(whole, "", "cpu=2", ""), pod("; cpu=1", "init:; cpu=3"), "maximum cpu usage per Pod is 2, but limit is 3"},
		{"pod, max, sidecars stay", item(whole, "", "cpu=2", ""), pod("; cpu=1", "sidecar:; cpu=1500m"), "maximum cpu usage per Pod is 2, but limit is 2500m"},
		{"pod, max, an init container beside a sidecar", item(whole, "", "cpu=2", ""), pod("", "sidecar:; cpu=1", "init:; cpu=1500m"), "maximum cpu usage per Pod is 2, but limit is 2500m"},
		{"pod, max, an init container before a sidecar", item(whole, "", "cpu=2", ""), pod("", "init:; cpu=1500m", "sidecar:; cpu=1"), ""},
		{"pod, min, too small", item(whole, "memory=1Gi", "", ""), pod("memory=400Mi", "memory=500Mi"), "minimum memory usage per Pod is 1Gi, but request is 900Mi"},
		{"pod, min, none", item(whole, "memory=1Gi", "", ""), pod("cpu=1"), "minimum memory usage per Pod is 1Gi.  No request is specified"},
		{"pod, max, limit of one only", item(whole, "", "cpu=3", ""), pod("; cpu=1", ""), ""},
		{"pod, ratio too large", item(whole, "", "", "cpu=2"), pod("cpu=1; cpu=2", "cpu=1; cpu=3"), "cpu max limit to request ratio per Pod is 2, but provided ratio is 2.500000"},
		{"pod, what it says itself counts", item(whole, "", "cpu=2", ""), pod("; cpu=5", "pod:; cpu=1"), ""},
		{"pod, what it says itself is too large", item(whole, "", "cpu=2", ""), pod("; cpu=1", "pod:; cpu=3"), "maximum cpu usage per Pod is 2, but limit is 3"},
		{"pod, a resource that a pod can't speak of", item(whole, "", "example.com/gpu=2", ""), pod("; example.com/gpu=3", "pod:; example.com/gpu=1"), "maximum example.com/gpu usage per Pod is 2, but limit is 3"},
		{"pod, ranges of containers are not for it", item(container, "", "cpu=2", ""), pod("; cpu=2", "; cpu=2"), ""},

		{"claim, within", item(storage, "storage=1Gi", "storage=5Gi", ""), claim("storage=5Gi"), ""},
		{"claim, too small", item(storage, "storage=1Gi", "", ""), claim("storage=500Mi"), "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi"},
		{"claim, too large", item(storage, "", "storage=10Gi", ""), claim("storage=11Gi"), "maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 11Gi"},
		{"claim, none", item(storage, "", "storage=10Gi", ""), claim(""), "maximum storage usage per PersistentVolumeClaim is 10Gi.  No request is specified"},
		{"claim, ranges of pods are not for it", item(whole, "", "storage=1Gi", ""), claim("storage=5Gi"), ""},
		{"pod, ranges of claims are not for it", item(storage, "storage=1Gi", "", ""), pod("cpu=1"), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := request(admission.Create, tc.obj)
			err := admit(chain(item(container, "", "", ""), tc.limits), r)
			if tc.refused == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if want := fmt.Sprintf("%s %q is forbidden: %s", r.Resource.Resource, r.Name, tc.refused); err == nil || err.Error() != want {
				t.Errorf("%v\nwant %s", err, want)
			}
		})
	}
}

// TestDefaults: containers get what they don't say, and the pod says what that was.
func TestDefaults(t *testing.T) {
	limits := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, DefaultRequest: list("cpu=100m memory=5Mi"), Default: list("cpu=200m memory=10Mi")}
	for _, tc := range []struct {
		name string
		in   []string
		want []string // the containers, then the init containers
		note string
	}{
		{"nothing said", []string{""}, []string{"cpu=100m memory=5Mi; cpu=200m memory=10Mi"}, "cpu, memory request for container c0; cpu, memory limit for container c0"},
		{"a request", []string{"cpu=50m"}, []string{"cpu=50m memory=5Mi; cpu=200m memory=10Mi"}, "memory request for container c0; cpu, memory limit for container c0"},
		{"all but one", []string{"cpu=1 memory=1Gi; cpu=2"}, []string{"cpu=1 memory=1Gi; cpu=2 memory=10Mi"}, "memory limit for container c0"},
		{"all", []string{"cpu=1 memory=1Gi; cpu=2 memory=2Gi"}, []string{"cpu=1 memory=1Gi; cpu=2 memory=2Gi"}, ""},
		{"nothing is something", []string{"cpu=0 memory=0; cpu=0 memory=0"}, []string{"cpu=0 memory=0; cpu=0 memory=0"}, ""},
		{"init containers", []string{"cpu=1 memory=1Gi; cpu=2 memory=2Gi", "init:cpu=1;cpu=1"}, []string{"cpu=1 memory=1Gi; cpu=2 memory=2Gi", "cpu=1 memory=5Mi; cpu=1 memory=10Mi"}, "memory request for init container c1; memory limit for init container c1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := pod(tc.in...)
			if err := admit(chain(limits), request(admission.Create, p)); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range slices.Concat(p.Spec.Containers, p.Spec.InitContainers) {
				got = append(got, written(c.Resources))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			want := map[string]string{"kubernetes.io/limit-ranger": "LimitRanger plugin set: " + tc.note}
			if tc.note == "" {
				want = nil
			}
			if diff := cmp.Diff(want, p.Annotations); diff != "" {
				t.Errorf("annotations (-want +got)\n%s", diff)
			}
		})
	}

	// If there are several ranges, the first that speaks of a resource counts. All of them are
	// noted.
	p := pod("")
	more := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, DefaultRequest: list("cpu=7 example.com/gpu=1"), Default: list("example.com/gpu=1")}
	if err := admit(chain(limits, more), request(admission.Create, p)); err != nil {
		t.Fatal(err)
	}
	if got, want := written(p.Spec.Containers[0].Resources), "cpu=100m example.com/gpu=1 memory=5Mi; cpu=200m example.com/gpu=1 memory=10Mi"; got != want {
		t.Errorf("of two ranges: %s, want %s", got, want)
	}
	if note := p.Annotations["kubernetes.io/limit-ranger"]; !strings.HasSuffix(note, "cpu, memory limit for container c0; example.com/gpu request for container c0; example.com/gpu limit for container c0") {
		t.Errorf("of two ranges: %s", note)
	}
}

// TestWhatIsAsked: limit ranges are for what is made, for claims that change, and for pods that get
// other resources.
func TestWhatIsAsked(t *testing.T) {
	strict := chain(item(corev1.LimitTypeContainer, "", "cpu=1", ""), item(corev1.LimitTypePersistentVolumeClaim, "", "storage=1Gi", ""))
	at := func(r *admission.Request, group, resource, subresource string) *admission.Request {
		r.Resource.Group, r.Subresource = group, subresource
		if resource != "" {
			r.Resource.Resource = resource
		}
		return r
	}
	for name, tc := range map[string]struct {
		request *admission.Request
		refused bool
	}{
		"create a pod":               {request(admission.Create, pod("; cpu=2")), true},
		"update a pod":               {request(admission.Update, pod("; cpu=2")), false},
		"resize a pod":               {at(request(admission.Update, pod("; cpu=2")), "", "", "resize"), true},
		"the status of a pod":        {at(request(admission.Update, pod("; cpu=2")), "", "", "status"), false},
		"delete a pod":               {request(admission.Delete, nil), false},
		"create a claim":             {request(admission.Create, claim("storage=2Gi")), true},
		"update a claim":             {request(admission.Update, claim("storage=2Gi")), true},
		"the status of a claim":      {at(request(admission.Update, claim("storage=2Gi")), "", "", "status"), false},
		"pods of another group":      {at(request(admission.Create, pod("; cpu=2")), "metrics.k8s.io", "", ""), false},
		"another kind":               {at(request(admission.Create, pod("; cpu=2")), "", "podtemplates", ""), false},
		"pods of a type of its own":  {request(admission.Create, new(corev1.Node)), false},
		"an update without a limit ": {at(request(admission.Update, pod("")), "", "", "resize"), true},
	} {
		if err := admit(strict, tc.request); (err != nil) != tc.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := request(admission.Create, pod("; cpu=2"))
	r.Name = ""
	r.Object.(*corev1.Pod).Name, r.Object.(*corev1.Pod).GenerateName = "", "web-"
	if err := admit(strict, r); err == nil || !strings.HasPrefix(err.Error(), `pods "web-" is forbidden: `) {
		t.Errorf("without a name: %v", err)
	}
	r.Namespace = "elsewhere"
	if err := admit(strict, r); err == nil || !strings.Contains(err.Error(), "asked about elsewhere") {
		t.Errorf("ranges that can't be read: %v", err)
	}
}
