package lift

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"k8s.io/apiextensions-apiserver/test/integration/fixtures"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

// wayBack are the commands of docs/operations.md that bring objects into a cluster.
var wayBack = regexp.MustCompile("(?s)\n## Leave\n.*?\n```sh\n(kubectl apply --filename .*?)```\n")

// TestLeave brings the kinds and objects of examples/library to k8s.io/apiextensions-apiserver, by
// the commands of docs/operations.md. They are there as they were here.
func TestLeave(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := wayBack.FindSubmatch(page)
	if commands == nil {
		t.Fatal("docs/operations.md does not say how objects get into a cluster")
	}
	dir := libraryModule(t)
	generate(t, dir)
	ours := kubectlOf(t, dir, start(t, dir).kubeconfig)
	samples, err := filepath.Abs("../../examples/library/samples")
	if err != nil {
		t.Fatal(err)
	}
	ours("kubectl create --filename " + samples)
	for _, kind := range []string{"books", "shelves"} {
		ours("kubectl get " + kind + ".library.example.com --all-namespaces --output yaml > " + kind + ".yaml")
	}

	theirs := kubectlOf(t, dir, apiextensionsServer(t))
	t.Logf("%s", theirs(string(commands[1])))
	for _, kind := range []string{"books", "shelves"} {
		get := "kubectl get " + kind + " --output json"
		want, got := carried(t, ours(get)), carried(t, theirs(get))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s are\n%s\nwant\n%s", kind, asJSON(got), asJSON(want))
		}
	}
}

// libraryModule is a module with the kinds and the rules of examples/library.
func libraryModule(t *testing.T) string {
	t.Helper()
	const name = "library.example"
	dir := t.TempDir()
	copyPackages(t, "../../examples/library", dir)
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, bytes.ReplaceAll(text, []byte(self+"/examples/library"), []byte(name)), 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	newModule(t, dir, name, nil)
	return dir
}

// kubectlOf runs commands of a shell in a folder, with kubectl for one server. What fails ends the
// test.
func kubectlOf(t *testing.T, dir, kubeconfig string) func(script string) []byte {
	t.Helper()
	kubectl := os.Getenv("KUBECTL")
	if kubectl == "" {
		t.Skip("KUBECTL names no kubectl; make lift builds one")
	}
	cache := t.TempDir()
	return func(script string) []byte {
		t.Helper()
		cmd := exec.Command("bash", "-ec", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "KUBECACHEDIR="+cache, "PATH="+filepath.Dir(kubectl)+":"+os.Getenv("PATH"))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s\n%v\n%s%s", script, err, out, &stderr)
		}
		return out
	}
}

// apiextensionsServer starts an apiextensions-apiserver on an etcd, and returns a kubeconfig for
// it.
func apiextensionsServer(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	etcd, err := etcdproc.Start(ctx, etcdproc.Config{Dir: t.TempDir(), Binary: filepath.Join(filepath.Dir(os.Getenv("KUBECTL")), "etcd")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := etcd.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("KUBE_INTEGRATION_ETCD_URL", etcd.Endpoints()[0])
	stop, config, _, err := fixtures.StartDefaultServer(t)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return kubeconfigOf(t, config)
}

// kubeconfigOf writes how a client connects into a file.
func kubeconfigOf(t *testing.T, config *rest.Config) string {
	t.Helper()
	file := clientcmdapi.NewConfig()
	file.Clusters["there"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData, CertificateAuthority: config.CAFile}
	file.AuthInfos["me"] = &clientcmdapi.AuthInfo{Token: config.BearerToken}
	file.Contexts["there"] = &clientcmdapi.Context{Cluster: "there", AuthInfo: "me"}
	file.CurrentContext = "there"
	name := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*file, name); err != nil {
		t.Fatal(err)
	}
	return name
}

// carried is what is to be the same of each object, by its name.
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
