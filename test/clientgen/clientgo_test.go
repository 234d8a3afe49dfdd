package clientgen

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	kubernetesAPI = "k8s.io/api@v0.37.2"
	clientGo      = "k8s.io/client-go@v0.37.2"

	// printedAt is where gen prints the clients of k8s.io/api: into the module of the types, as ever.
	printedAt = "k8s.io/api/clients/"
)

// clientFolders are those of client-go that are printed.
var clientFolders = []string{"kubernetes", "listers", "informers", "applyconfigurations"}

// The clients of all groups of Kubernetes take the place of those in client-go, whose own tests run
// with them.
func TestClientGo(t *testing.T) {
	notShort(t)
	want, api, got := published(t, clientGo), copied(t, kubernetesAPI), copied(t, clientGo)
	printKubernetes(t, api, want)
	for _, folder := range clientFolders {
		replaceGenerated(t, filepath.Join(api, "clients", folder), filepath.Join(got, folder))
	}
	for _, folder := range []string{"listers", "applyconfigurations"} {
		copyTree(t, filepath.Join(want, folder, notInClientset), filepath.Join(got, folder, notInClientset))
	}
	packages := []string{"./kubernetes/...", "./listers/...", "./informers/...", "./applyconfigurations/..."}
	sameAPI(t, want, got, packages, same)
	sameSchemas(t, filepath.Join(want, "applyconfigurations"), filepath.Join(got, "applyconfigurations"))
	t.Run("tests", func(t *testing.T) {
		goCommand(t, got, append([]string{"vet"}, packages...)...)
		goCommand(t, got, "test", "./kubernetes/...", "./listers/...", "./informers/...", "./applyconfigurations/...", "./examples/fake-client/...", "./gentype/...",
			"./testing/...", "./tools/leaderelection/...", "./tools/events/...", "./metadata/...", "./discovery/...")
	})
}

// notInClientset is the group whose kinds client-go has listers for, and no clients: nobody serves
// it.
const notInClientset = "imagepolicy"

// printKubernetes prints the clients of k8s.io/api beside what client-go has written by hand.
func printKubernetes(t *testing.T, api, clientGo string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(api, notInClientset)); err != nil {
		t.Fatal(err)
	}
	require(t, api, "k8s.io/client-go@v0.37.2")
	for _, folder := range clientFolders {
		copyTree(t, filepath.Join(clientGo, folder), filepath.Join(api, "clients", folder))
		removeGenerated(t, filepath.Join(api, "clients", folder))
	}
	write(t, filepath.Join(api, "doc.go"), []byte("// +typeplane:client:dir=clients,clientset=kubernetes,listers=listers,informers=informers,applyconfiguration=applyconfigurations,protobuf=true,"+
		"externals=k8s.io/apimachinery/pkg/apis/meta/v1.GroupResource:k8s.io/client-go/applyconfigurations/meta/v1\npackage api\n"))
	generate(t, api)
}

// replaceGenerated puts what was printed in one folder in place of what was printed in another.
func replaceGenerated(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(to, func(name string, entry fs.DirEntry, err error) error {
		meta := filepath.Join("applyconfigurations", "meta")
		if err == nil && entry.IsDir() && strings.HasSuffix(name, meta) {
			return filepath.SkipDir // of types in apimachinery, which only client-go prints for
		}
		if err == nil && strings.HasSuffix(name, ".go") && generated(read(t, name)) {
			err = os.Remove(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		rel, err := filepath.Rel(from, name)
		text := read(t, name)
		if err == nil && generated(text) {
			write(t, filepath.Join(to, rel), []byte(strings.ReplaceAll(string(text), printedAt, "k8s.io/client-go/")))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
