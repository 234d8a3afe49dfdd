package console

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

var kubernetes = flag.String("kubernetes", "", "what TestKubernetes looks at: the word cluster is examples/cluster, all else the kubeconfig of an administrator; empty leaves it out")

// TestKubernetes uses the forms and views that Kubernetes' own kinds have: pods, autoscalers in two
// versions, evictions, scales, tokens. A kube-apiserver and examples/cluster both have them.
func TestKubernetes(t *testing.T) {
	if *kubernetes == "" {
		t.Skip("-kubernetes says of which server; make console-kubernetes does")
	}
	chromium(t)
	kubeconfig := *kubernetes
	if kubeconfig == "cluster" {
		kubeconfig = start(t, example(t, "cluster")).Kubeconfig
	}
	b := open(t, openConsole(t, library(t), kubeconfig))
	b.holds(".cards a", "Pod")
	space := eval[string](b, "'console-' + Date.now()")
	b.send("POST", "/api/v1/namespaces", namespace(space))
	t.Cleanup(func() { b.send("DELETE", "/api/v1/namespaces/"+space, map[string]any{}) })
	core := "/api/v1/namespaces/" + space
	object := func(kind, name string, more map[string]any) map[string]any {
		all := map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name}}
		for field, value := range more {
			all[field] = value
		}
		return all
	}
	b.send("POST", core+"/serviceaccounts", object("ServiceAccount", "walker", nil))
	containers := []any{map[string]any{"name": "web", "image": "nginx"}}
	pod := map[string]any{"serviceAccountName": "walker", "containers": containers}
	b.send("POST", core+"/pods", object("Pod", "web", map[string]any{"spec": pod}))
	labels := map[string]any{"app": "web"}
	b.send("POST", core+"/replicationcontrollers", object("ReplicationController", "web", map[string]any{"spec": map[string]any{
		"replicas": 1, "selector": labels,
		"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": pod},
	}}))
	target := map[string]any{"apiVersion": "v1", "kind": "ReplicationController", "name": "web"}
	memory := map[string]any{"type": "Resource", "resource": map[string]any{"name": "memory", "target": map[string]any{"type": "Utilization", "averageUtilization": 70}}}
	scaler := object("HorizontalPodAutoscaler", "web", map[string]any{"spec": map[string]any{
		"minReplicas": 1, "maxReplicas": 5, "scaleTargetRef": target, "metrics": []any{memory},
	}})
	scaler["apiVersion"] = "autoscaling/v2"
	b.send("POST", "/apis/autoscaling/v2/namespaces/"+space+"/horizontalpodautoscalers", scaler)

	b.goTo("#/list/core/v1/namespaces")
	b.holds(".line", space)
	b.picture("namespaces")
	b.goTo("#/list/core/v1/pods?namespace=" + space)
	b.holds(".line", "web")
	b.picture("pods")

	b.goTo("#/object/autoscaling/v2/horizontalpodautoscalers/" + space + "/web?tab=versions")
	b.holds(".beside th", "autoscaling/v1")
	b.holds(".beside .removed", "averageUtilization: 70")
	b.picture("versions")

	b.goTo("#/object/core/v1/serviceaccounts/" + space + "/walker?tab=action&action=token")
	b.write("spec.expirationSeconds", "60")
	b.press("Try")
	b.holds(".problem li", "spec.expirationSeconds")
	b.write("spec.expirationSeconds", "1200")
	b.press("Token")
	b.holds(".answered pre", "token: ey")
	b.picture("token")

	b.goTo("#/object/core/v1/replicationcontrollers/" + space + "/web")
	b.until("document.querySelector('.scale input') !== null")
	b.act("(() => { const input = document.querySelector('.scale input'); input.value = '3'; input.dispatchEvent(new Event('input', { bubbles: true })) })()")
	b.press("Scale")
	b.holds(".yaml li", "replicas: 3")
	b.picture("scale")

	b.goTo("#/object/core/v1/pods/" + space + "/web?tab=action&action=binding")
	b.write("target.name", "node-1")
	b.press("Binding")
	b.holds(".answered", "It is done.")
	b.picture("binding")
	b.goTo("#/object/core/v1/pods/" + space + "/web")
	b.holds(".yaml li", "nodeName: node-1")
	b.until("document.querySelector('.actions a[href*=\"action=binding\"]') !== null")
	if eval[bool](b, "document.querySelector('.actions a[href*=\"action=eviction\"]') !== null") {
		b.goTo("#/object/core/v1/pods/" + space + "/web?tab=action&action=eviction")
		b.press("Try")
		b.holds(".answered", "Nothing was kept.")
		b.picture("eviction")
		b.press("Eviction")
		b.holds(".answered", "It is done.")
		b.holds(".yaml", "status: Success")
	} else {
		t.Log("pods can't be evicted: this server has no such subresource")
	}

	b.goTo("#/object/core/v1/namespaces/-/" + space + "?tab=disk")
	b.holds(".problem", "the bytes are shown where the console runs with the server's --data-dir")
	b.goTo("#/run")
	b.holds("[aria-label=Checks] td", "etcd")
	b.until("document.querySelector('[aria-label=\"Servers\"] td, [aria-label=\"Servers\"] .empty, [aria-label=\"Servers\"] .problem') !== null")
	b.holds("[aria-label='Requests and watches'] td", "namespaces")
	b.until("document.querySelector('[aria-label^=\"Requests that wait\"] :is(td, .empty, .problem)') !== null")
	t.Log(eval[string](b, "document.querySelector('main').innerText"))
	b.picture("run")
}

// write fills in a field of a form.
func (b *tab) write(field, text string) {
	b.t.Helper()
	found := "document.getElementById(" + quote("field-"+field) + ")"
	b.until(found + " !== null")
	b.act("(() => { const input = " + found + "; input.value = " + quote(text) + "; input.dispatchEvent(new Event('input', { bubbles: true })) })()")
}

// send asks the server from within the page, with its rights.
func (b *tab) send(method, path string, body any) {
	b.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	options := ", { method: " + quote(method) + ", headers: { 'Content-Type': 'application/json' }, body: " + quote(string(data)) + " }"
	if refused := eval[string](b, "fetch('server' + "+quote(path)+options+").then(async (answer) => answer.ok ? '' : answer.text())"); refused != "" {
		b.t.Fatalf("%s %s: %s", method, path, refused)
	}
}

// picture is for people to look at, if a folder is named for it.
func (b *tab) picture(name string) {
	b.t.Helper()
	if *pictures == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*pictures, name+".png"), perform(b, chromedp.CaptureScreenshot()), 0o644); err != nil {
		b.t.Fatal(err)
	}
}
