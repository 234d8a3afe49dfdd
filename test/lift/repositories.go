package lift

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repository is a project whose API is lifted.
type repository struct {
	name string
	// module has the API packages, definitions what else is read: CRDs and examples. Both are
	// path@version.
	module, definitions string
	// packages are the folders of the API packages, with all below them.
	packages []string
	// requires is what they import beside what a server needs.
	requires []string
	// aliases are the import paths of the packages by group and version, for programs that serve
	// their kinds by aliases. It is nil where the module needs others that can't be had.
	aliases map[string]string
	// partly are the kinds, by their version, of which the module converts only a part. What the
	// stored version requires is left out, so that no object of them can be made.
	partly []string
	// crds, valid and invalid are patterns of files in definitions.
	crds, valid, invalid []string
}

var repositories = []repository{
	{
		name:        "gateway-api",
		module:      "sigs.k8s.io/gateway-api@v1.4.0",
		definitions: "sigs.k8s.io/gateway-api@v1.4.0",
		packages:    []string{"apis", "apisx"},
		aliases: map[string]string{
			"gateway.networking.k8s.io/v1":         "sigs.k8s.io/gateway-api/apis/v1",
			"gateway.networking.k8s.io/v1alpha2":   "sigs.k8s.io/gateway-api/apis/v1alpha2",
			"gateway.networking.k8s.io/v1alpha3":   "sigs.k8s.io/gateway-api/apis/v1alpha3",
			"gateway.networking.k8s.io/v1beta1":    "sigs.k8s.io/gateway-api/apis/v1beta1",
			"gateway.networking.x-k8s.io/v1alpha1": "sigs.k8s.io/gateway-api/apisx/v1alpha1",
		},
		crds:    []string{"config/crd/experimental/gateway*.yaml"},
		valid:   []string{"examples/*/*.yaml", "examples/*/*/*.yaml", "examples/*/*/*/*.yaml"},
		invalid: []string{"hack/invalid-examples/*/*/*.yaml"},
	},
	{
		name:        "cert-manager",
		module:      "github.com/cert-manager/cert-manager@v1.21.2",
		definitions: "github.com/cert-manager/cert-manager@v1.21.2",
		packages:    []string{"pkg/apis/acme", "pkg/apis/certmanager", "pkg/apis/meta"},
		requires:    []string{"sigs.k8s.io/gateway-api@v1.6.0", "k8s.io/apiextensions-apiserver@v0.37.2"},
		aliases: map[string]string{
			"cert-manager.io/v1":      "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1",
			"acme.cert-manager.io/v1": "github.com/cert-manager/cert-manager/pkg/apis/acme/v1",
		},
		crds:  []string{"deploy/crds/*.yaml"},
		valid: []string{"test/fixtures/cert-manager-resources.yaml"},
	},
	{
		name:        "cluster-api",
		module:      "sigs.k8s.io/cluster-api/api@v1.14.2",
		definitions: "sigs.k8s.io/cluster-api@v1.14.2",
		packages:    []string{"."},
		requires:    []string{"k8s.io/apiextensions-apiserver@v0.37.2", "k8s.io/cluster-bootstrap@v0.36.3"},
		aliases: map[string]string{
			"addons.cluster.x-k8s.io/v1beta1":       "sigs.k8s.io/cluster-api/api/addons/v1beta1",
			"addons.cluster.x-k8s.io/v1beta2":       "sigs.k8s.io/cluster-api/api/addons/v1beta2",
			"bootstrap.cluster.x-k8s.io/v1beta1":    "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta1",
			"bootstrap.cluster.x-k8s.io/v1beta2":    "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2",
			"cluster.x-k8s.io/v1beta1":              "sigs.k8s.io/cluster-api/api/core/v1beta1",
			"cluster.x-k8s.io/v1beta2":              "sigs.k8s.io/cluster-api/api/core/v1beta2",
			"controlplane.cluster.x-k8s.io/v1beta1": "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta1",
			"controlplane.cluster.x-k8s.io/v1beta2": "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2",
			"ipam.cluster.x-k8s.io/v1alpha1":        "sigs.k8s.io/cluster-api/api/ipam/v1alpha1",
			"ipam.cluster.x-k8s.io/v1beta1":         "sigs.k8s.io/cluster-api/api/ipam/v1beta1",
			"ipam.cluster.x-k8s.io/v1beta2":         "sigs.k8s.io/cluster-api/api/ipam/v1beta2",
			"runtime.cluster.x-k8s.io/v1alpha1":     "sigs.k8s.io/cluster-api/api/runtime/v1alpha1",
			"runtime.cluster.x-k8s.io/v1beta2":      "sigs.k8s.io/cluster-api/api/runtime/v1beta2",
		},
		// Their references are converted in the main module, which asks a cluster about them.
		partly: []string{"v1beta1/Machine", "v1beta1/MachineDeployment", "v1beta1/MachinePool", "v1beta1/MachineSet"},
		crds:   []string{"core/config/crd/bases/*.yaml", "bootstrap/kubeadm/config/crd/bases/*.yaml", "controlplane/kubeadm/config/crd/bases/*.yaml"},
	},
	{
		name:        "velero",
		module:      "github.com/vmware-tanzu/velero@v1.18.3",
		definitions: "github.com/vmware-tanzu/velero@v1.18.3",
		packages:    []string{"pkg/apis/velero"},
		crds:        []string{"config/crd/v1/bases/*.yaml", "config/crd/v2alpha1/bases/*.yaml"},
	},
}

// path is the path of a module without its version.
func path(module string) string {
	path, _, _ := strings.Cut(module, "@")
	return path
}

// released is the folder of a module as it was released, which must not be changed. Where it can be
// had neither from the module cache nor from a network, the test is skipped.
func released(t *testing.T, module string) string {
	t.Helper()
	var found struct{ Dir, Error string }
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if jsonErr := json.Unmarshal(out, &found); jsonErr != nil {
		t.Fatalf("go mod download: %v, %v: %s", err, jsonErr, out)
	}
	if found.Error != "" {
		t.Skipf("the module can't be had: %s", found.Error)
	}
	return found.Dir
}

// files are those of a folder that patterns match, of which each must match some.
func files(t *testing.T, dir string, patterns []string) (out []string) {
	t.Helper()
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no file is like %s (%v)", dir, pattern, err)
		}
		out = append(out, found...)
	}
	slices.Sort(out)
	return out
}
