package packaging

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/internal/testserver"
)

var update = flag.Bool("update", false, "print the base of kustomize from the chart; read the difference before you commit it")

const chart = deploy + "/chart"

// values are those that the chart comes with, for tools and as examples.
func values(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(chart, "ci", "*-values.yaml"))
	if err != nil || len(found) < 3 {
		t.Fatalf("%v, %v", found, err)
	}
	return found
}

// printed is the chart with values, as a release called library in a namespace of that name.
func printed(t *testing.T, file string) []byte {
	t.Helper()
	return []byte(must(t, nil, "helm", "template", "library", chart, "--namespace", "library", "--values", file))
}

func TestChartIsLinted(t *testing.T) {
	for _, file := range values(t) {
		if out := must(t, nil, "helm", "lint", "--strict", chart, "--values", file); !strings.Contains(out, "0 chart(s) failed") {
			t.Errorf("%s: %s", file, out)
		}
	}
}

// TestValuesRefused: what would not work is said before anything is in a cluster.
func TestValuesRefused(t *testing.T) {
	for set, want := range map[string]string{
		"":                                      "repository",
		"image.repository=a":                    "image.tag: say which release",
		"image.repository=a,image.tag=b,imge=c": "imge",
		"image.repository=a,image.tag=b,replicas=2":                                                    "servers",
		"image.repository=a,image.tag=b,replicas=2,etcd.servers={http://e:2379}":                       "clusterSecretName",
		"image.repository=a,image.tag=b,replicas=0":                                                    "replicas",
		"image.repository=a,image.tag=b,etcd.servers={e:2379}":                                         "servers",
		"image.repository=a,image.tag=b,args={verbose}":                                                "args",
		"image.repository=a,image.tag=b,serviceMonitor.enabled=true":                                   "secretName",
		"image.repository=a,image.tag=b,service.type=External":                                         "type",
		"image.repository=a,image.tag=b,terminationGracePeriodSeconds=5":                               "terminationGracePeriodSeconds",
		"image.repository=a,image.digest=sha256:0123,persistence.size=1Gi,service.port=443,replicas=1": "digest",
	} {
		out, err := run(t, nil, "helm", "template", "library", chart, "--set", set)
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("--set %s: %v, want a word of %s:\n%s", set, err, want, out)
		}
	}
}

// TestKustomize: its base is the chart with its simplest values, and the overlay of three servers
// makes of it what the chart makes of such values.
func TestKustomize(t *testing.T) {
	base := filepath.Join(deploy, "kustomize", "base", "server.yaml")
	want := append([]byte("# Printed from the chart: go test -run Kustomize . -update, in test/packaging.\n"), printed(t, filepath.Join(chart, "ci", "one-values.yaml"))...)
	if *update {
		if err := os.WriteFile(base, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(objects(t, got), objects(t, want)) {
		t.Errorf("%s is not what the chart prints: -update", base)
	}
	overlay := objects(t, []byte(must(t, nil, "kubectl", "kustomize", filepath.Join(deploy, "kustomize", "replicas"))))
	delete(overlay, "Namespace library")
	fromChart := objects(t, printed(t, filepath.Join(chart, "ci", "replicas-values.yaml")))
	for name, o := range overlay {
		delete(o["metadata"].(map[string]any), "namespace") // helm sends it beside the object
		if !reflect.DeepEqual(o, fromChart[name]) {
			t.Errorf("%s is\n%s\nand the chart has\n%s", name, marshal(t, o), marshal(t, fromChart[name]))
		}
		delete(fromChart, name)
	}
	for name := range fromChart {
		t.Errorf("the overlay lacks %s", name)
	}
}

// objects are those of a stream of YAML, by kind and name.
func objects(t *testing.T, text []byte) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	for _, document := range strings.Split("\n"+string(text), "\n---\n") {
		var o map[string]any
		if err := yaml.Unmarshal([]byte(document), &o); err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		if o != nil {
			out[o["kind"].(string)+" "+o["metadata"].(map[string]any)["name"].(string)] = o
		}
	}
	return out
}

func marshal(t *testing.T, o any) string {
	t.Helper()
	text, err := yaml.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestServerTakesThem: a server with the kinds of Kubernetes, which judges them as a kube-apiserver
// does, takes all that the chart and kustomize print, and helm installs it there.
func TestServerTakesThem(t *testing.T) {
	program := built(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	server, err := testserver.Start(ctx, exec.Command(program, "--data-dir", t.TempDir(), "--secure-port", "0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	kubectl := func(in []byte, args ...string) (string, error) {
		return run(t, in, "kubectl", append([]string{"--kubeconfig", server.Kubeconfig, "--cache-dir", t.TempDir()}, args...)...)
	}
	if out, err := kubectl(nil, "create", "namespace", "library"); err != nil {
		t.Fatal(out)
	}
	for _, file := range values(t) {
		all := objects(t, printed(t, file))
		for name, o := range all {
			if o["kind"] == "ServiceMonitor" { // the kind of an operator, which no server of ours has
				continue
			}
			if out, err := kubectl([]byte(marshal(t, o)), "apply", "--dry-run=server", "--validate=strict", "--namespace", "library", "--filename", "-"); err != nil {
				t.Errorf("%s, %s: %s", filepath.Base(file), name, out)
			}
		}
	}
	for _, folder := range []string{"base", "replicas"} {
		if out, err := kubectl(nil, "apply", "--dry-run=server", "--validate=strict", "--kustomize", filepath.Join(deploy, "kustomize", folder)); err != nil {
			t.Errorf("kustomize/%s: %s", folder, out)
		}
	}
	must(t, nil, "helm", "--kubeconfig", server.Kubeconfig, "install", "library", chart, "--namespace", "library", "--values", filepath.Join(chart, "ci", "one-values.yaml"))
	if out, err := kubectl(nil, "get", "statefulset/library", "service/library", "networkpolicy/library", "--namespace", "library", "--output", "name"); err != nil {
		t.Errorf("helm has installed: %s", out)
	}
	broken := objects(t, printed(t, values(t)[0]))["StatefulSet library"]
	broken["spec"].(map[string]any)["replica"] = 3
	if out, err := kubectl([]byte(marshal(t, broken)), "apply", "--dry-run=server", "--validate=strict", "--namespace", "library", "--filename", "-"); err == nil {
		t.Errorf("a wrong field is taken: %s", out)
	}
}
