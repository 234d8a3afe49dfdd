package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/typeplane/typeplane/internal/testserver"
)

// wayBack are the commands of docs/operations.md that bring objects into a cluster.
var wayBack = regexp.MustCompile("(?s)\n## Leave\n.*?\n```sh\n(kubectl apply --filename .*?)```\n")

// TestLeave brings the kinds and the objects of examples/library to a kube-apiserver, as custom
// resources, by the commands of docs/operations.md. They are there as they were here.
func TestLeave(t *testing.T) {
	if *programsDir == "" {
		t.Skip("it wants a kube-apiserver: make aggregator")
	}
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := wayBack.FindSubmatch(page)
	if commands == nil {
		t.Fatal("docs/operations.md does not say how objects get into a cluster")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../examples/library")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	library, err := testserver.Start(ctx, exec.Command(filepath.Join(*programsDir, "library"), "--data-dir", t.TempDir(), "--secure-port", "0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(library.Kill)
	ours := shell(t, dir, library.Kubeconfig)
	ours("kubectl create --filename samples")
	for _, kind := range []string{"books", "shelves"} {
		ours("kubectl get " + kind + ".library.example.com --all-namespaces --output yaml > " + kind + ".yaml")
	}

	cluster := startKubernetes(t)
	if err := cluster.do(t.Context(), step{until: "get namespaces default -o name", want: "namespace/default"}); err != nil {
		t.Fatal(err)
	}
	theirs := shell(t, dir, cluster.server.Kubeconfig)
	t.Logf("%s", theirs(string(commands[1])))
	for _, kind := range []string{"books", "shelves"} {
		get := "kubectl get " + kind + " --output json"
		want, got := carried(t, ours(get)), carried(t, theirs(get))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s are\n%+v\nwant\n%+v", kind, got, want)
		}
	}
}

// shell runs commands in a folder, with kubectl for one server. What fails ends the test.
func shell(t *testing.T, dir, kubeconfig string) func(script string) []byte {
	t.Helper()
	cache := t.TempDir()
	return func(script string) []byte {
		t.Helper()
		cmd := exec.Command("bash", "-ec", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "KUBECACHEDIR="+cache, "PATH="+*programsDir+":"+os.Getenv("PATH"))
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s\n%v\n%s%s", script, err, out, &said)
		}
		return out
	}
}

// carried is what has to be the same of each object, by its name.
func carried(t *testing.T, list []byte) map[string]any {
	t.Helper()
	var all struct {
		Items []struct {
			Metadata struct {
				Name                string
				Labels, Annotations map[string]string
				Finalizers          []string
			}
			Spec, Status any
		}
	}
	if err := json.Unmarshal(list, &all); err != nil {
		t.Fatalf("%v in %s", err, list)
	}
	out := map[string]any{}
	for _, o := range all.Items {
		out[o.Metadata.Name] = o
	}
	if len(out) == 0 {
		t.Errorf("there is nothing in %s", list)
	}
	return out
}
