package kubernetes

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/features/servertest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
)

const namespace = "/api/v1/namespaces/default"

var every = flag.Bool("every", false, "try the generated code of every kind, as make kubernetes does (half a minute)")

// TestGeneratedCode tries the generated code of every kind with fuzzed objects.
func TestGeneratedCode(t *testing.T) {
	if !*every {
		t.Skip("it takes half a minute: -every")
	}
	runtimetest.Run(t, newScheme(t), runtimetest.Options{Rounds: 20})
}

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	b := runtime.NewBuilder()
	API().AddToScheme(b)
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return scheme
}

// TestServer sends what the programs of a cluster send.
func TestServer(t *testing.T) {
	c := servertest.StartProgram(t, Program(features.Extras{}))
	t.Run("pods", func(t *testing.T) { pods(t, servertest.Of(t, c.Server)) })
	t.Run("tokens", func(t *testing.T) { tokens(t, servertest.Of(t, c.Server)) })
	t.Run("services", func(t *testing.T) { services(t, servertest.Of(t, c.Server)) })
	t.Run("addresses", func(t *testing.T) { ranges(t, servertest.Of(t, c.Server)) })
	t.Run("evictions", func(t *testing.T) { evicted(t, servertest.Of(t, c.Server)) })
	t.Run("kubelets", func(t *testing.T) { connected(t, servertest.Of(t, c.Server)) })
	t.Run("devices", func(t *testing.T) { devices(t, servertest.Of(t, c.Server)) })
	t.Run("roles", func(t *testing.T) { begins(t, servertest.Of(t, c.Server)) })
	t.Run("autoscalers", func(t *testing.T) { autoscalers(t, servertest.Of(t, c.Server)) })
	t.Run("quantities", func(t *testing.T) { quantities(t, servertest.Of(t, c.Server)) })
	t.Run("nodes and classes", func(t *testing.T) { nodesAndClasses(t, servertest.Of(t, c.Server)) })
	t.Run("workloads", func(t *testing.T) { workloads(t, servertest.Of(t, c.Server)) })
	t.Run("merged lists", func(t *testing.T) { mergedLists(t, servertest.Of(t, c.Server)) })
	t.Run("revisions", func(t *testing.T) { revisions(t, servertest.Of(t, c.Server)) })
}

func pods(t *testing.T, c servertest.Client) {
	pod := func(name, spec string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"labels":{"app":%q}},"spec":{%s"containers":[{"name":"a","image":"b"}]}}`, name, name, spec)
	}
	made := c.Want(201, `"phase":"Pending","qosClass":"BestEffort"`, "POST", namespace+"/pods", pod("a", ""))
	for _, want := range []string{`"priority":0,`, `"preemptionPolicy":"PreemptLowerPriority"`, `"key":"node.kubernetes.io/unreachable"`, `"tolerationSeconds":300`} {
		if !strings.Contains(made, want) {
			t.Errorf("a new pod has no %s: %s", want, made)
		}
	}
	c.Want(201, `"priority":2000001000`, "POST", namespace+"/pods", pod("critical", `"priorityClassName":"system-node-critical",`))
	c.Want(403, "no PriorityClass with name none was found", "POST", namespace+"/pods", pod("b", `"priorityClassName":"none",`))
	c.Want(403, "must not be provided in pod spec", "POST", namespace+"/pods", pod("b", `"priority":7,`))
	c.Want(422, "spec.containers: Required value", "POST", namespace+"/pods", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}}`)

	binding := `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"a"},"target":{"kind":"Node","name":"one"}}`
	c.Want(422, `target.name: Invalid value: \"A_\"`, "POST", namespace+"/pods/a/binding", strings.Replace(binding, `"one"`, `"A_"`, 1))
	c.Want(201, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`, "POST", namespace+"/pods/a/binding", binding)
	c.Want(409, `already assigned to node \"one\"`, "POST", namespace+"/pods/a/binding", binding)
	c.Want(200, `"name":"a"`, "GET", namespace+"/pods?fieldSelector=spec.host%3Done", "") // as old clients call it
	c.Want(200, `"type":"PodScheduled"`, "GET", namespace+"/pods/a", "")
	merge := func(code int, says, path, patch string) { c.Want(code, says, "PATCH", namespace+path, patch) }
	merge(422, "pod updates may not change fields other than", "/pods/a", `{"spec":{"nodeName":"two"}}`)
	merge(200, "", "/pods/a", `{"spec":{"activeDeadlineSeconds":60}}`)
	merge(422, "Pod QOS Class may not change", "/pods/a/resize", `{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1"}}}]}}`)

	c.Want(201, "", "POST", namespace+"/pods", strings.Replace(pod("sized", ""), `"image":"b"`, `"image":"b","resources":{"requests":{"cpu":"1"}}`, 1))
	merge(200, `"cpu":"2"`, "/pods/sized/resize", `{"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"2"}}}]}}`)
	merge(422, "containers may not be added or removed on resize", "/pods/sized/resize", `{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}`)
	merge(422, "containers may not be renamed or reordered on resize", "/pods/sized/resize", `{"spec":{"containers":[{"name":"b"}]}}`)
	merge(422, "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed", "/pods/sized/resize", `{"spec":{"containers":[{"name":"a"}]}}`)
	merge(422, "spec: Forbidden: only cpu and memory resources are mutable", "/pods/sized/resize", `{"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"2","ephemeral-storage":"1Gi"}}}]}}`)

	static := strings.Replace(pod("static", `"nodeName":"one",`), `"labels"`, `"annotations":{"kubernetes.io/config.mirror":"a"},"labels"`, 1)
	c.Want(201, "", "POST", namespace+"/pods", static)
	merge(422, "static pods cannot be resized", "/pods/static/resize", `{"spec":{"containers":[{"name":"a"}]}}`)
	merge(422, "static pods do not support ephemeral containers", "/pods/static/ephemeralcontainers", `{"spec":{"ephemeralContainers":[{"name":"debug","image":"b"}]}}`)
	c.Want(201, "", "POST", namespace+"/pods", pod("windows", `"os":{"name":"windows"},`))
	merge(422, "windows pods cannot be resized", "/pods/windows/resize", `{"spec":{"containers":[{"name":"a"}]}}`)

	c.Want(422, "spec.ephemeralContainers: Forbidden: cannot be set on create", "POST", namespace+"/pods", pod("b", `"ephemeralContainers":[{"name":"debug","image":"b"}],`))
	const debug = `{"name":"debug","image":"b","targetContainerName":"a"}`
	look := func(code int, says, containers string) {
		t.Helper()
		merge(code, says, "/pods/a/ephemeralcontainers", `{"spec":{"ephemeralContainers":`+containers+`}}`)
	}
	look(200, `"name":"debug"`, "["+debug+"]")
	look(422, "existing ephemeral containers \\\"debug\\\" may not be changed", `[{"name":"debug","image":"c"}]`)
	look(422, "existing ephemeral containers \\\"debug\\\" may not be removed", "null")
	look(422, "spec.ephemeralContainers[1].image: Required value", "["+debug+`,{"name":"more"}]`)
	look(422, `spec.ephemeralContainers[1].name: Duplicate value: \"a\"`, "["+debug+`,{"name":"a","image":"b"}]`)
	look(422, `spec.ephemeralContainers[1].targetContainerName: Not found: \"z\"`, "["+debug+`,{"name":"more","image":"b","targetContainerName":"z"}]`)

	c.Want(200, `"deletionGracePeriodSeconds":30`, "DELETE", namespace+"/pods/a", "")
	c.Want(200, "", "DELETE", namespace+"/pods/a", `{"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":0}`)
	c.Want(404, "", "GET", namespace+"/pods/a", "")
	c.Want(200, "", "DELETE", namespace+"/pods/critical", "") // it never ran
	c.Want(404, "", "GET", namespace+"/pods/critical", "")
}

// tokens are good while what they are bound to is being deleted.
func tokens(t *testing.T, c servertest.Client) {
	c.Want(201, "", "POST", namespace+"/pods", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"stops"},"spec":{"nodeName":"one","terminationGracePeriodSeconds":600,"containers":[{"name":"a","image":"b"}]}}`)
	c.Want(201, "", "POST", namespace+"/secrets", `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"held","finalizers":["example.com/hold"]}}`)
	c.Want(201, "", "POST", namespace+"/serviceaccounts", `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"held","finalizers":["example.com/hold"]}}`)
	token := func(account, spec string) string {
		t.Helper()
		var request authenticationv1.TokenRequest
		answer := c.Want(201, "", "POST", namespace+"/serviceaccounts/"+account+"/token", `{"spec":{`+spec+`}}`)
		if err := json.Unmarshal([]byte(answer), &request); err != nil {
			t.Fatal(err)
		}
		return request.Status.Token
	}
	review := func(token, says string) {
		t.Helper()
		c.Want(201, says, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", `{"spec":{"token":"`+token+`"}}`)
	}
	ofPod := token("default", `"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"stops"}`)
	ofSecret := token("default", `"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"held"}`)
	ofAccount := token("held", "")
	for path, bound := range map[string]string{"/pods/stops": ofPod, "/secrets/held": ofSecret, "/serviceaccounts/held": ofAccount} {
		review(bound, `"authenticated":true`)
		c.Want(200, "", "DELETE", namespace+path, "")
		c.Until(200, `"deletionTimestamp"`, namespace+path+"?resourceVersion=0")
		review(bound, `"authenticated":true`)
	}
	// Objects that are being deleted get tokens, as from kube-apiserver.
	review(token("held", ""), `"authenticated":true`)
	review(token("default", `"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"stops"}`), `"authenticated":true`)

	c.Want(200, `"deletionGracePeriodSeconds":300`, "DELETE", namespace+"/pods/stops", `{"gracePeriodSeconds":300}`)
	review(ofPod, `"authenticated":true`)
	c.Want(200, "", "DELETE", namespace+"/pods/stops", `{"gracePeriodSeconds":0}`)
	servertest.Eventually(t, "the token of a pod that is gone is good", func() bool {
		_, answer := c.Do("POST", "/apis/authentication.k8s.io/v1/tokenreviews", `{"spec":{"token":"`+ofPod+`"}}`)
		return strings.Contains(answer, `pods \"stops\" of the token does not exist`)
	})
	for _, path := range []string{"/secrets/held", "/serviceaccounts/held"} {
		c.Want(200, "", "PATCH", namespace+path, `{"metadata":{"finalizers":null}}`)
	}
}

var address = regexp.MustCompile(`"clusterIP":"([^"]*)"`)

func services(t *testing.T, c servertest.Client) {
	service := func(name, spec string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Service","metadata":{"name":%q},"spec":{%s"ports":[{"port":80}]}}`, name, spec)
	}
	make := func(code int, says, name, spec string) string {
		return c.Want(code, says, "POST", namespace+"/services", service(name, spec))
	}
	ip := address.FindStringSubmatch(make(201, `"targetPort":80`, "a", ""))[1]
	if at, err := netip.ParseAddr(ip); err != nil || !serviceRange.Contains(at) {
		t.Errorf("a service has the address %q", ip)
	}
	taken := fmt.Sprintf(`"clusterIP":%q,`, ip)
	make(422, "already allocated", "b", taken)
	c.Want(200, `"clusterIP":"10.96.0.1"`, "GET", namespace+"/services/kubernetes", "")
	make(422, "already allocated", "b", `"clusterIP":"10.96.0.1",`)
	make(201, `"clusterIP":"None"`, "headless", `"clusterIP":"None",`)
	if got := c.Want(201, "", "POST", namespace+"/services", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"name"},"spec":{"type":"ExternalName","externalName":"example.com"}}`); address.MatchString(got) {
		t.Errorf("one that is a name has an address: %s", got)
	}
	make(422, "spec.clusterIPs: Forbidden: may not be set for ExternalName services", "external", `"type":"ExternalName","externalName":"example.com","clusterIP":"10.96.8.8",`)
	make(422, "spec.ipFamilies: Forbidden", "external", `"type":"ExternalName","externalName":"example.com","ipFamilies":["IPv4"],`)
	make(201, `"clusterIP":"10.96.8.8"`, "changes", `"clusterIP":"10.96.8.8",`)
	if got := c.Want(200, "", "PATCH", namespace+"/services/changes", `{"spec":{"type":"ExternalName","externalName":"example.com"}}`); strings.Contains(got, "10.96.8.8") {
		t.Errorf("one that becomes a name keeps its address: %s", got)
	}
	make(201, `"clusterIP":"10.96.8.8"`, "next", `"clusterIP":"10.96.8.8",`)
	var ports []string
	for n := range maxNodePorts + 1 {
		ports = append(ports, fmt.Sprintf(`{"name":"p%d","port":%d}`, n, n+1))
	}
	many := func(n int) string {
		return `{"apiVersion":"v1","kind":"Service","metadata":{"name":"many"},"spec":{"type":"NodePort","ports":[` + strings.Join(ports[:n], ",") + `]}}`
	}
	c.Want(422, "spec.ports: Too many: 101: must have at most 100 items", "POST", namespace+"/services", many(maxNodePorts+1))
	c.Want(201, "", "POST", namespace+"/services", many(maxNodePorts))
	other := strings.ReplaceAll(many(maxNodePorts), `"port":`, `"port":20`) // all ports are new
	c.Want(422, "spec.ports: Forbidden: a write may give and take 110 addresses and ports of nodes at most, not 200", "PUT", namespace+"/services/many", other)
	c.Want(422, "field is immutable", "PATCH", namespace+"/services/a", `{"spec":{"clusterIP":"10.96.0.9","clusterIPs":["10.96.0.9"]}}`)
	// An update that says nothing of the address leaves it.
	c.Want(200, taken, "PUT", namespace+"/services/a", service("a", `"selector":{"a":"b"},`))

	c.Want(201, `"nodePort":3`, "POST", namespace+"/services", service("node", `"type":"NodePort",`))
	c.Want(200, "", "DELETE", namespace+"/services/a", "")
	make(201, taken, "b", taken)

	make(422, "must be a valid IP address", "c", `"clusterIP":"30000",`)
	make(422, "the provided IP (10.97.0.1) is not in the valid range", "c", `"clusterIP":"10.97.0.1",`)
	make(422, "the first value must match `clusterIP`, and there is no other", "c", `"clusterIP":"10.96.9.9","clusterIPs":["10.96.9.9","10.96.9.8"],`)
	c.Want(422, "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range", "POST", namespace+"/services", strings.Replace(service("c", `"type":"NodePort",`), `"port":80`, `"port":80,"nodePort":80`, 1))

	// Of many who want one address one gets it.
	var wait sync.WaitGroup
	got := [8]int{}
	for i := range got {
		wait.Go(func() {
			got[i], _ = c.Do("POST", namespace+"/services", service(fmt.Sprint("race-", i), `"clusterIP":"10.96.7.7",`))
		})
	}
	wait.Wait()
	won := 0
	for _, code := range got {
		if code == 201 {
			won++
		} else if code != 422 {
			t.Errorf("answered %d", code)
		}
	}
	if won != 1 {
		t.Errorf("%d services have one address", won)
	}
}

// ranges: an address is called as what it is, and a range keeps what it has.
func ranges(t *testing.T, c servertest.Client) {
	group := "/apis/networking.k8s.io/v1"
	address := `{"apiVersion":"networking.k8s.io/v1","kind":"IPAddress","metadata":{"name":%q},"spec":%s}`
	parent := `{"parentRef":{"resource":"services","namespace":"default","name":"a"}}`
	c.Want(201, `"name":"2001:db8::1"`, "POST", group+"/ipaddresses", fmt.Sprintf(address, "2001:db8::1", parent))
	c.Want(422, `must be in canonical form (\"2001:db8::2\")`, "POST", group+"/ipaddresses", fmt.Sprintf(address, "2001:db8:0::2", parent))
	c.Want(422, "spec.parentRef: Required value", "POST", group+"/ipaddresses", fmt.Sprintf(address, "2001:db8::2", "{}"))
	c.Want(422, "spec.parentRef.name: Required value", "POST", group+"/ipaddresses", fmt.Sprintf(address, "2001:db8::2", `{"parentRef":{"resource":"services"}}`))
	c.Want(422, "field is immutable", "PATCH", group+"/ipaddresses/2001:db8::1", `{"spec":{"parentRef":{"name":"b"}}}`)
	cidrs := func(list string) string {
		return `{"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","metadata":{"name":"more"},"spec":{"cidrs":[` + list + `]}}`
	}
	c.Want(422, "at least one CIDR required", "POST", group+"/servicecidrs", cidrs(""))
	c.Want(422, "no more than one IP for each IP family", "POST", group+"/servicecidrs", cidrs(`"10.97.0.0/16","10.98.0.0/16"`))
	c.Want(422, "spec.cidrs[0]: Invalid value", "POST", group+"/servicecidrs", cidrs(`"10.97.0.1/16"`))
	c.Want(201, "", "POST", group+"/servicecidrs", cidrs(`"10.97.0.0/16"`))
	c.Want(422, "field is immutable", "PUT", group+"/servicecidrs/more", cidrs(`"10.98.0.0/16"`))
	c.Want(200, "", "PUT", group+"/servicecidrs/more", cidrs(`"10.97.0.0/16","2001:db8::/64"`))
}

func evicted(t *testing.T, c servertest.Client) {
	c.Want(201, "", "POST", namespace+"/pods", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"e","labels":{"app":"e"}},"spec":{"nodeName":"one","containers":[{"name":"a","image":"b"}]}}`)
	c.Want(200, "Running", "PATCH", namespace+"/pods/e/status", `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`)
	budgets := "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
	c.Want(201, "", "POST", budgets, `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"e"},"spec":{"maxUnavailable":1,"selector":{"matchLabels":{"app":"e"}}}}`)
	eviction := `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"e"}}`
	c.Want(429, "still being processed", "POST", namespace+"/pods/e/eviction", eviction)
	counted := `{"status":{"observedGeneration":1,"disruptionsAllowed":%d,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1}}`
	c.Want(200, "", "PATCH", budgets+"/e/status", fmt.Sprintf(counted, 0))
	c.Want(429, "needs 1 healthy pods and has 1 currently", "POST", namespace+"/pods/e/eviction", eviction)
	failed := `{"status":{"conditions":[{"type":"DisruptionAllowed","status":"False","reason":"SyncFailed","message":"no scale","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`
	c.Want(200, "", "PATCH", budgets+"/e/status", failed)
	c.Want(429, "does not allow evicting pods currently because it failed sync: no scale", "POST", namespace+"/pods/e/eviction", eviction)
	c.Want(200, "", "PATCH", budgets+"/e/status", fmt.Sprintf(counted, 1))
	c.Want(201, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`, "POST", namespace+"/pods/e/eviction", eviction)
	c.Want(200, `"disruptionsAllowed":0`, "GET", budgets+"/e", "")
	c.Want(200, `"reason":"InsufficientPods"`, "GET", budgets+"/e", "")
	if pod := c.Want(200, "DisruptionTarget", "GET", namespace+"/pods/e", ""); !strings.Contains(pod, "deletionTimestamp") {
		t.Errorf("an evicted pod stays: %s", pod)
	}

	// What a client asks for is judged before the budget is charged.
	c.Want(201, "", "POST", namespace+"/pods", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"f","labels":{"app":"e"}},"spec":{"nodeName":"one","containers":[{"name":"a","image":"b"}]}}`)
	running := c.Want(200, "Running", "PATCH", namespace+"/pods/f/status", `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`)
	c.Want(200, "", "PATCH", budgets+"/e/status", fmt.Sprintf(counted, 1))
	evict := func(code int, says, options string) {
		t.Helper()
		c.Want(code, says, "POST", namespace+"/pods/f/eviction", `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"f"},"deleteOptions":`+options+`}`)
	}
	evict(422, "deleteOptions.dryRun: Unsupported value", `{"dryRun":["x"]}`)
	evict(422, "can not be set for pod eviction", `{"ignoreStoreReadErrorWithClusterBreakingPotential":true}`)
	evict(409, "the UID in the precondition (other) does not match", `{"preconditions":{"uid":"other"}}`)
	evict(409, "the ResourceVersion in the precondition (1) does not match", `{"preconditions":{"resourceVersion":"1"}}`)
	evict(201, "Success", `{"dryRun":["All"]}`)
	c.Want(200, `"disruptionsAllowed":1`, "GET", budgets+"/e", "")
	evict(201, "Success", `{"preconditions":{"resourceVersion":"`+revision.FindStringSubmatch(running)[1]+`"}}`)
	c.Want(200, `"disruptionsAllowed":0`, "GET", budgets+"/e", "")
	c.Want(200, "deletionTimestamp", "GET", namespace+"/pods/f", "")
}

var revision = regexp.MustCompile(`"resourceVersion":"([0-9]+)"`)

// quantities: those that take hours to be read are not, in whatever form they come.
func quantities(t *testing.T, c servertest.Client) {
	const says = "a quantity has at most 10,000 characters, and an exponent of at most 3 digits"
	pod := func(cpu string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"q"},"spec":{"containers":[{"name":"a","image":"b","resources":{"requests":{"cpu":` + cpu + `}}}]}}`
	}
	for _, cpu := range []string{`"1e-99999"`, `"1e99999"`, `" 1e-99999 "`, `1e-99999`} {
		if code, answer := c.Do("POST", namespace+"/pods", pod(cpu)); code/100 != 4 || !strings.Contains(answer, says) {
			t.Errorf("%s: %d %s", cpu, code, answer)
		}
	}
	c.Want(201, "", "POST", namespace+"/pods", pod(`"1"`))
	for _, form := range []string{"merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"} {
		req, err := http.NewRequest("PATCH", c.URL+namespace+"/pods/q?fieldManager=m", strings.NewReader(pod(`"1e-99999"`)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/"+form)
		resp, err := c.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode/100 != 4 || !strings.Contains(string(answer), says) {
			t.Errorf("%s: %d %s %v", form, resp.StatusCode, answer, err)
		}
	}
	huge := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Name: "a", Image: "b", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1e99999")}},
	}}}}
	body, err := serializer.AppendProtobuf(nil, huge, corev1.SchemeGroupVersion.WithKind("Pod"))
	if err != nil {
		t.Fatal(err)
	}
	if code, answer := c.Do("POST", namespace+"/pods", string(body)); code/100 != 4 || !strings.Contains(answer, says) {
		t.Errorf("protobuf: %d %q", code, answer)
	}
}

// connected: what a node says of itself decides where its kubelet is, but for this machine. make
// kubernetes has kubelets that answer.
func connected(t *testing.T, c servertest.Client) {
	pod := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"talker"},"spec":{"containers":[{"name":"a","image":"b"},{"name":"b","image":"b"}]}}`
	c.Want(201, "", "POST", namespace+"/pods", pod)
	c.Want(400, "a container name must be specified for pod talker, choose one of: [a b]", "GET", namespace+"/pods/talker/log", "")
	c.Want(400, "container c is not valid for pod talker", "GET", namespace+"/pods/talker/log?container=c", "")
	c.Want(400, "insecureSkipTLSVerifyBackend", "GET", namespace+"/pods/talker/log?container=a&insecureSkipTLSVerifyBackend=true", "")
	c.Want(200, "", "GET", namespace+"/pods/talker/log?container=a", "")
	for _, path := range []string{"exec?container=a&command=id", "attach?container=a", "portforward?ports=80"} {
		c.Want(400, "pod talker does not have a host assigned", "POST", namespace+"/pods/talker/"+path, "")
	}
	c.Want(201, "", "POST", namespace+"/pods/talker/binding", `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"talker"},"target":{"kind":"Node","name":"near"}}`)
	c.Want(404, `nodes \"near\" not found`, "GET", namespace+"/pods/talker/log?container=a", "")
	c.Want(201, "", "POST", "/api/v1/nodes", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"near"}}`)
	c.Want(503, "node near has no address", "GET", namespace+"/pods/talker/log?container=a", "")
	c.Want(200, "", "PATCH", "/api/v1/nodes/near/status", `{"status":{"addresses":[{"type":"InternalIP","address":"127.0.0.1"}]}}`)
	c.Want(503, "address 127.0.0.1 is not allowed", "GET", namespace+"/pods/talker/log?container=a", "")
	c.Want(503, "address 127.0.0.1 is not allowed", "PUT", "/api/v1/nodes/near/proxy/some/path?a=b", "")
	c.Want(200, `{"name":"nodes/proxy","singularName":"","namespaced":false,"version":"v1","kind":"NodeProxyOptions","verbs":["create","delete","get","patch","update"]}`, "GET", "/api/v1", "")
}

// begins: the roles of Kubernetes' programs are there. make kubernetes compares all of them.
func begins(t *testing.T, c servertest.Client) {
	roles := "/apis/rbac.authorization.k8s.io/v1"
	c.Want(200, `"labels":{"kubernetes.io/bootstrapping":"rbac-defaults"}`, "GET", roles+"/clusterroles/system:controller:job-controller", "")
	c.Want(200, `"subjects":[{"kind":"ServiceAccount","name":"job-controller","namespace":"kube-system"}]`, "GET", roles+"/clusterrolebindings/system:controller:job-controller", "")
	c.Want(200, `"system:kube-scheduler"`, "GET", roles+"/namespaces/kube-system/rolebindings/system::leader-locking-kube-scheduler", "")
}

// devices: a taint begins when it is written, and again with another effect.
func devices(t *testing.T, c servertest.Client) {
	taints := "/apis/resource.k8s.io/v1/devicetaintrules"
	rule := `{"apiVersion":"resource.k8s.io/v1","kind":"DeviceTaintRule","metadata":{"name":"a"},"spec":{"deviceSelector":{"driver":"example.com"},"taint":{"key":"example.com/a","effect":"NoSchedule"%s}}}`
	c.Want(201, `"timeAdded":"2`, "POST", taints, fmt.Sprintf(rule, ""))
	c.Want(200, `"timeAdded":"2001-02-03T04:05:06Z"`, "PUT", taints+"/a", fmt.Sprintf(rule, `,"timeAdded":"2001-02-03T04:05:06Z"`))
	c.Want(200, `"timeAdded":"2001-02-03T04:05:06Z"`, "PATCH", taints+"/a", `{"metadata":{"labels":{"a":"b"}}}`)
	if anew := c.Want(200, `"effect":"NoExecute"`, "PATCH", taints+"/a", `{"spec":{"taint":{"effect":"NoExecute"}}}`); strings.Contains(anew, "2001-02-03") {
		t.Errorf("another effect, and it is there since then: %s", anew)
	}
	c.Want(201, `"timeAdded":"2`, "POST", "/apis/resource.k8s.io/v1/resourceslices", `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"a"},`+
		`"spec":{"driver":"example.com","nodeName":"one","pool":{"name":"one","resourceSliceCount":1},"devices":[{"name":"a","taints":[{"key":"example.com/a","effect":"NoSchedule"}]}]}}`)
}

// TestWarnings: what is stored and does nothing is said.
func TestWarnings(t *testing.T) {
	for name, want := range map[string]int{serviceRange.String(): 0, "10.97.0.0/16": 1} {
		if got := (ServiceCIDRStrategy{}).WarningsOnCreate(t.Context(), &networkingv1.ServiceCIDR{Spec: networkingv1.ServiceCIDRSpec{CIDRs: []string{name}}}); len(got) != want {
			t.Errorf("range %s: %q", name, got)
		}
	}
	for name, want := range map[string]int{apiAddress(): 1, "2001:db8::1": 0} {
		if got := (IPAddressStrategy{}).WarningsOnCreate(t.Context(), &networkingv1.IPAddress{ObjectMeta: metav1.ObjectMeta{Name: name}}); len(got) != want {
			t.Errorf("address %s: %q", name, got)
		}
	}
}

// autoscalers: what v1 can't say is kept when somebody updates an object there.
func autoscalers(t *testing.T, c servertest.Client) {
	v1, v2 := "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
	spec := `"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"a"},"maxReplicas":5`
	c.Want(201, `"targetCPUUtilizationPercentage":70`, "POST", v1, `{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},"spec":{`+spec+`,"targetCPUUtilizationPercentage":70}}`)
	c.Want(200, `"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":70}}}]`, "GET", v2+"/a", "")
	memory := `{"type":"Resource","resource":{"name":"memory","target":{"type":"Utilization","averageUtilization":60}}}`
	c.Want(201, "", "POST", v2, `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"b"},"spec":{`+spec+`,"metrics":[`+memory+`]}}`)
	c.Want(200, `"maxReplicas":7`, "PATCH", v1+"/b", `{"spec":{"maxReplicas":7}}`)
	if got := c.Want(200, memory, "GET", v2+"/b", ""); !strings.Contains(got, `"maxReplicas":7`) || strings.Contains(got, runtime.LosslessAnnotation) {
		t.Errorf("changed in v1: %s", got)
	}
}

// What an operator can leave out is not missed by a plug-in.
func TestWithoutStorageClasses(t *testing.T) {
	c := servertest.StartProgram(t, Program(features.Extras{}), func(o *typeplane.Options) { o.API.Enable = []string{"namespaces", "serviceaccounts"} })
	claims := namespace + "/persistentvolumeclaims"
	c.Want(404, "", "GET", "/apis/storage.k8s.io/v1/storageclasses", "")
	c.Want(201, "", "POST", claims, `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"a"},"spec":{"storageClassName":"c","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`)
	c.Want(200, "", "PATCH", claims+"/a/status", `{"status":{"phase":"Bound"}}`)
	c.Want(200, `"storage":"2Gi"`, "PATCH", claims+"/a", `{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}`)
}

// Many tolerations take no longer than they are many.
func TestManyTolerations(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "b"}}}}
	for i := range 30_000 {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: fmt.Sprint(i)})
	}
	begun := time.Now()
	if errs := (PodStrategy{}).ValidateUpdate(t.Context(), pod, pod.DeepCopy()); len(errs) > 0 {
		t.Error(errs)
	}
	if merged := mergeTolerations(pod.Spec.Tolerations, []corev1.Toleration{{Key: "c"}}); len(merged) != 30_001 {
		t.Errorf("%d tolerations", len(merged))
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func workloads(t *testing.T, c servertest.Client) {
	template := `"template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"a","image":"b"}]}}`
	deployments := "/apis/apps/v1/namespaces/default/deployments"
	deployment := func(selector string) string {
		return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{` + selector + `}},` + template + `}}`
	}
	c.Want(422, "`selector` does not match template `labels`", "POST", deployments, deployment(`"app":"b"`))
	c.Want(201, `"maxSurge":"25%"`, "POST", deployments, deployment(`"app":"a"`))
	c.Want(422, "field is immutable", "PUT", deployments+"/a", strings.ReplaceAll(deployment(`"app":"c"`), `"labels":{"app":"a"}`, `"labels":{"app":"c"}`))
	c.Want(200, `"replicas":3`, "PATCH", deployments+"/a/scale", `{"spec":{"replicas":3}}`)
	sets := "/apis/apps/v1/namespaces/default/daemonsets"
	c.Want(201, `"deprecated.daemonset.template.generation":"1"`, "POST", sets, strings.Replace(deployment(`"app":"a"`), "Deployment", "DaemonSet", 1))
	c.Want(200, `"deprecated.daemonset.template.generation":"1"`, "PATCH", sets+"/a", `{"metadata":{"annotations":null},"spec":{"minReadySeconds":1}}`)
	c.Want(200, `"deprecated.daemonset.template.generation":"2"`, "PATCH", sets+"/a", `{"spec":{"template":{"spec":{"hostNetwork":true}}}}`)
	c.Want(200, `"deprecated.daemonset.template.generation":"2"`, "PATCH", sets+"/a/status", `{"metadata":{"annotations":null}}`)
	job := strings.Replace(`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a"},"spec":{`+template+`}}`, `"spec":{"containers"`, `"spec":{"restartPolicy":"Never","containers"`, 1)
	if made := c.Want(201, `"batch.kubernetes.io/controller-uid"`, "POST", "/apis/batch/v1/namespaces/default/jobs", job); strings.Count(made, `"batch.kubernetes.io/controller-uid"`) != 3 {
		t.Errorf("a job selects its pods, and has their labels: %s", made)
	}
	c.Want(422, "`selector` does not match template `labels`", "POST", "/apis/batch/v1/namespaces/default/jobs",
		strings.Replace(strings.Replace(job, `"name":"a"`, `"name":"other"`, 1), `"spec":{`, `"spec":{"selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"mine"}},`, 1))
	jobs := "/apis/batch/v1/namespaces/default/jobs?fieldSelector=status.successful%3D"
	c.Want(200, `"name":"a"`, "GET", jobs+"0", "")
	c.Want(200, `"items":[]`, "GET", jobs+"1", "")
	c.Want(400, "field label not supported: status.succeeded", "GET", strings.Replace(jobs, "successful", "succeeded", 1)+"0", "")
	node := `{"apiVersion":"v1","kind":"Node","metadata":{"name":"one"},"status":{"capacity":{"cpu":"4"}}}`
	if made := c.Want(201, `"allocatable":{"cpu":"4"}`, "POST", "/api/v1/nodes", node); strings.Contains(made, "generation") {
		t.Errorf("the changes of a node are counted: %s", made)
	}
}

// What a client puts into a revision as protobuf must be JSON that others can read: nobody could
// list revisions otherwise, in any namespace.
func revisions(t *testing.T, c servertest.Client) {
	const path = "/apis/apps/v1/namespaces/default/controllerrevisions"
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for i, tc := range []struct {
		data string
		code int
		says string
	}{
		{"x{", 400, "it can't be shown as JSON"},
		{"{}{}", 400, "it can't be shown as JSON"},
		{deep(9_999), 400, "more than 9900 objects and arrays are inside each other"},
		{deep(9_899), 201, ""},
		{`{"a": "<"}`, 201, ""},
	} {
		revision := &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("r", i)}, Data: apiruntime.RawExtension{Raw: []byte(tc.data)}}
		message, err := revision.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		c.Want(tc.code, tc.says, "POST", path, string(wire.AppendEnvelope(nil, "apps/v1", "ControllerRevision", message)))
	}
	if list := c.Want(200, "", "GET", path, ""); !json.Valid([]byte(list)) {
		t.Error("nobody can read the list")
	}
}
