package kubernetes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/features/servertest"
)

// nodesAndClasses looks at what plug-ins of admission add to objects.
func nodesAndClasses(t *testing.T, c servertest.Client) {
	node := func(name, labels string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":%q,"labels":{%s}}}`, name, labels)
	}
	pod := func(name, spec string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"labels":{"topology.kubernetes.io/zone":"mine"}},"spec":{%s"containers":[{"name":"a","image":"b"}]}}`, name, spec)
	}
	c.Want(201, `"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}]`, "POST", "/api/v1/nodes", node("here", `"topology.kubernetes.io/zone":"z","topology.kubernetes.io/region":"r","other":"o"`))
	c.Want(201, `"labels":{"topology.kubernetes.io/region":"r","topology.kubernetes.io/zone":"z"}`, "POST", namespace+"/pods", pod("placed", `"nodeName":"here",`))
	c.Want(201, `"labels":{"topology.kubernetes.io/zone":"mine"}`, "POST", namespace+"/pods", pod("bound", ""))
	c.Want(201, "Success", "POST", namespace+"/pods/bound/binding", `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"bound"},"target":{"kind":"Node","name":"here"}}`)
	c.Want(200, `"labels":{"topology.kubernetes.io/region":"r","topology.kubernetes.io/zone":"z"}`, "GET", namespace+"/pods/bound", "")

	c.Want(201, "", "POST", "/apis/node.k8s.io/v1/runtimeclasses", `{"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"slow"},"handler":"h",
		"overhead":{"podFixed":{"cpu":"250m"}},"scheduling":{"nodeSelector":{"kind":"slow"},"tolerations":[{"key":"slow","operator":"Exists"}]}}`)
	made := c.Want(201, `"overhead":{"cpu":"250m"}`, "POST", namespace+"/pods", pod("slow", `"runtimeClassName":"slow","nodeSelector":{"disk":"ssd"},`))
	for _, want := range []string{`"nodeSelector":{"disk":"ssd","kind":"slow"}`, `{"key":"slow","operator":"Exists"}`} {
		if !strings.Contains(made, want) {
			t.Errorf("a pod of a class has no %s: %s", want, made)
		}
	}
	c.Want(403, `pod rejected: RuntimeClass \"none\" not found`, "POST", namespace+"/pods", pod("b", `"runtimeClassName":"none",`))
	c.Want(403, "conflict: runtimeClass.scheduling.nodeSelector[kind] = slow; pod.spec.nodeSelector[kind] = fast", "POST", namespace+"/pods", pod("b", `"runtimeClassName":"slow","nodeSelector":{"kind":"fast"},`))
	c.Want(403, "Pod's Overhead doesn't match", "POST", namespace+"/pods", pod("b", `"runtimeClassName":"slow","overhead":{"cpu":"1"},`))
	c.Want(403, "Pod Overhead set without", "POST", namespace+"/pods", pod("b", `"overhead":{"cpu":"1"},`))

	ingress := func(name, metadata string) string {
		return fmt.Sprintf(`{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":%q%s},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}}}}`, name, metadata)
	}
	ingresses := "/apis/networking.k8s.io/v1/namespaces/default/ingresses"
	unclassed := func(body string) {
		t.Helper()
		if made := c.Want(201, "", "POST", ingresses, body); strings.Contains(made, `"ingressClassName":`) {
			t.Errorf("an ingress has a class: %s", made)
		}
	}
	unclassed(ingress("before", ""))
	for _, name := range []string{"second", "first"} {
		c.Want(201, "", "POST", "/apis/networking.k8s.io/v1/ingressclasses", fmt.Sprintf(`{"apiVersion":"networking.k8s.io/v1","kind":"IngressClass","metadata":{"name":%q,"annotations":{"ingressclass.kubernetes.io/is-default-class":"true"}},"spec":{"controller":"example.com/c"}}`, name))
	}
	c.Want(201, `"ingressClassName":"`, "POST", ingresses, ingress("after", ""))
	unclassed(ingress("annotated", `,"annotations":{"kubernetes.io/ingress.class":"c"}`))

	class := func(name, grows string) {
		c.Want(201, "", "POST", "/apis/storage.k8s.io/v1/storageclasses", fmt.Sprintf(`{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":%q},"provisioner":"example.com/p","allowVolumeExpansion":%s}`, name, grows))
	}
	class("grows", "true")
	class("fixed", "false")
	claims := namespace + "/persistentvolumeclaims"
	for _, of := range []string{"grows", "fixed"} {
		c.Want(201, "", "POST", claims, fmt.Sprintf(`{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":%q},"spec":{"storageClassName":%q,"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`, of, of))
	}
	grow := `{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}`
	c.Want(403, "Only bound persistent volume claims can be expanded", "PATCH", claims+"/grows", grow)
	for _, of := range []string{"grows", "fixed"} {
		c.Want(200, "", "PATCH", claims+"/"+of+"/status", `{"status":{"phase":"Bound"}}`)
	}
	c.Want(200, `"storage":"2Gi"`, "PATCH", claims+"/grows", grow)
	c.Want(403, "must support resize", "PATCH", claims+"/fixed", grow)
}
