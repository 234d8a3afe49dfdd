package kubernetes

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/features/servertest"
)

// mergedLists writes lists whose entries clients merge by another key than the unique one. A create
// is refused, and so is a strategic merge patch over a server-side apply, each valid by itself.
func mergedLists(t *testing.T, c servertest.Client) {
	patch := func(form, path, body string) (int, string) {
		t.Helper()
		req, err := http.NewRequest("PATCH", c.URL+path+"?fieldManager=one", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/"+form)
		resp, err := c.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(answer)
	}
	want := func(what string, code int, says string, got int, answer string) {
		t.Helper()
		if got != code || !strings.Contains(answer, says) {
			t.Errorf("%s: %d %s\nwant %d with %s", what, got, answer, code, says)
		}
	}
	template := func(kind, container, more string) string {
		const meta = `"metadata":{"labels":{"app":"a"}}`
		pod := fmt.Sprintf(`{%s,"spec":{"containers":[{"name":"c","image":"i"%s}]%s}}`, meta, container, more)
		job := strings.Replace(pod, `"spec":{`, `"spec":{"restartPolicy":"Never",`, 1)
		return map[string]string{
			"Deployment": `"selector":{"matchLabels":{"app":"a"}},"template":` + pod, "ReplicaSet": `"selector":{"matchLabels":{"app":"a"}},"template":` + pod,
			"DaemonSet": `"selector":{"matchLabels":{"app":"a"}},"template":` + pod, "StatefulSet": `"serviceName":"s","selector":{"matchLabels":{"app":"a"}},"template":` + pod,
			"ReplicationController": `"selector":{"app":"a"},"template":` + pod, "Job": `"suspend":true,"template":` + job,
			"CronJob": `"schedule":"0 0 * * *","jobTemplate":{"spec":{"template":` + job + `}}`,
		}[kind]
	}
	for _, kind := range []struct{ version, kind, plural, at string }{
		{"apps/v1", "Deployment", "deployments", "spec.template.spec"}, {"apps/v1", "ReplicaSet", "replicasets", "spec.template.spec"},
		{"apps/v1", "DaemonSet", "daemonsets", "spec.template.spec"}, {"apps/v1", "StatefulSet", "statefulsets", "spec.template.spec"},
		{"v1", "ReplicationController", "replicationcontrollers", "spec.template.spec"}, {"batch/v1", "Job", "jobs", "spec.template.spec"},
		{"batch/v1", "CronJob", "cronjobs", "spec.jobTemplate.spec.template.spec"},
	} {
		root := "/apis/" + kind.version
		if kind.version == "v1" {
			root = "/api/v1"
		}
		path := root + "/namespaces/default/" + kind.plural
		of := func(container, more string) string {
			return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"merged"},"spec":{%s}}`, kind.version, kind.kind, template(kind.kind, container, more))
		}
		// The first is applied, the second patched over it; each is right by itself.
		for name, tc := range map[string]struct{ applied, patched, wrong, is string }{
			"names of ports": {
				`"ports":[{"name":"http","containerPort":80}]`, `"ports":[{"name":"http","containerPort":81}]`,
				`"ports":[{"name":"http","containerPort":80},{"name":"http","containerPort":81}]`, `.containers[0].ports[%d].name: Duplicate value: \"http\"`,
			},
			"ports of the node": {
				`"ports":[{"containerPort":80,"hostPort":8080}]`, `"ports":[{"containerPort":81,"hostPort":8080}]`,
				`"ports":[{"containerPort":80,"hostPort":8080},{"containerPort":81,"hostPort":8080}]`, `.containers[0].ports[%d].hostPort: Duplicate value: \"TCP//8080\"`,
			},
		} {
			duplicate := func(i int) string { return kind.at + fmt.Sprintf(tc.is, i) }
			what := kind.kind + ", " + name
			code, answer := c.Do("POST", path, of(","+tc.wrong, ""))
			want(what+" created", 422, duplicate(1), code, answer)
			code, answer = patch("apply-patch+yaml", path+"/merged", of(","+tc.applied, ""))
			want(what+" applied", 201, "", code, answer)
			code, answer = patch("strategic-merge-patch+json", path+"/merged", of(","+tc.patched, ""))
			want(what+" patched", 422, kind.at+".containers[0].ports[", code, answer)
			c.Want(200, "", "DELETE", path+"/merged?propagationPolicy=Background", "")
		}
		const zone = `,"topologySpreadConstraints":[%s]`
		soft := `{"topologyKey":"zone","maxSkew":1,"whenUnsatisfiable":"ScheduleAnyway"}`
		hard := strings.Replace(soft, "ScheduleAnyway", "DoNotSchedule", 1)
		code, answer := patch("apply-patch+yaml", path+"/merged", of("", fmt.Sprintf(zone, soft+","+hard)))
		want(kind.kind+" spread", 201, "", code, answer)
		code, answer = patch("strategic-merge-patch+json", path+"/merged", of("", fmt.Sprintf(zone, hard)))
		want(kind.kind+" spread twice", 422, kind.at+`.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: \"{zone, DoNotSchedule}\"`, code, answer)
		c.Want(200, "", "DELETE", path+"/merged?propagationPolicy=Background", "")
	}

	pod := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"merged"},"spec":{"initContainers":[%s],"containers":[%s]}}`
	container := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"image":"i","ports":[{"name":"http","containerPort":80,"hostPort":8080}]}`, name)
	}
	// Init containers run one after the other, and each has its own names.
	c.Want(201, "", "POST", namespace+"/pods", fmt.Sprintf(pod, container("a")+","+container("b"), container("c")))
	c.Want(200, "", "DELETE", namespace+"/pods/merged", "")
	c.Want(422, `spec.containers[1].ports[0].hostPort: Duplicate value: \"TCP//8080\"`, "POST", namespace+"/pods", fmt.Sprintf(pod, "", container("a")+","+container("b")))

	const services, service = namespace + "/services", namespace + "/services/merged"
	of := func(ports string) string {
		return `{"apiVersion":"v1","kind":"Service","metadata":{"name":"merged"},"spec":{"type":"NodePort","ports":[` + ports + `]}}`
	}
	for says, ports := range map[string]string{
		`spec.ports[1].name: Duplicate value: \"http\"`:                     `{"name":"http","port":80},{"name":"http","port":81}`,
		`spec.ports[1].name: Required value`:                                `{"name":"http","port":80},{"port":81}`,
		`spec.ports[1]: Duplicate value: {\"protocol\":\"TCP\",\"port\":80`: `{"name":"a","port":80},{"name":"b","port":80,"protocol":"TCP"}`,
		`spec.ports[1].nodePort: Duplicate value: 30999`:                    `{"name":"a","port":80,"nodePort":30999},{"name":"b","port":81,"nodePort":30999}`,
	} {
		c.Want(422, says, "POST", services, of(ports))
	}
	code, answer := patch("apply-patch+yaml", service, of(`{"name":"http","port":80}`))
	want("service applied", 201, "", code, answer)
	code, answer = patch("strategic-merge-patch+json", service, of(`{"name":"http","port":81}`))
	want("service patched", 422, `.name: Duplicate value: \"http\"`, code, answer)
	code, answer = patch("strategic-merge-patch+json", service, of(`{"name":"other","port":81}`))
	want("service patched", 200, "", code, answer)
	code, answer = patch("apply-patch+yaml", service, of(`{"name":"other","port":80}`))
	want("service applied again", 422, `.name: Duplicate value: \"other\"`, code, answer)
	code, answer = patch("apply-patch+yaml", service, of(`{"name":"http","port":80},{"name":"udp","port":81,"protocol":"UDP"}`))
	want("another protocol applied", 200, "", code, answer)
	c.Want(200, "", "DELETE", service, "")
	c.Want(201, "", "POST", services, of(`{"name":"a","port":53,"nodePort":30999},{"name":"b","port":53,"protocol":"UDP","nodePort":30999}`))
}
