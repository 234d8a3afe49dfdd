package clientgen

import (
	"path/filepath"
	"testing"
)

const gatewayAPI = "sigs.k8s.io/gateway-api@v1.6.0"

// gateway is a copy of gateway-api that requires the client-go that both generators print for.
func gateway(t *testing.T) string {
	t.Helper()
	dir := copied(t, gatewayAPI)
	require(t, dir, "k8s.io/client-go@v0.37.2", "k8s.io/api@v0.37.2", "k8s.io/apimachinery@v0.37.2")
	removeGenerated(t, filepath.Join(dir, "pkg/client"))
	removeGenerated(t, filepath.Join(dir, "applyconfiguration"))
	return dir
}

// gatewayVersions are those with clients.
var gatewayVersions = []string{"apis/v1", "apis/v1alpha2", "apis/v1alpha3", "apis/v1beta1", "apisx/v1alpha1"}

// gateway-api has kinds of one group in several versions, which share types, and of a second group.
// It is without Extract functions here: the program that makes the schema for code-generator is not
// in the module.
func TestGatewayAPI(t *testing.T) {
	notShort(t)
	want, got := gateway(t), gateway(t)
	upstreamGenerate(t, input{dir: want, module: "sigs.k8s.io/gateway-api", versions: gatewayVersions, clients: "pkg/client", apply: "../../applyconfiguration"})
	write(t, filepath.Join(got, "doc.go"), []byte("// +typeplane:client:dir=pkg/client,clientset=clientset/versioned,applyconfiguration=../../applyconfiguration,extract=false\npackage gatewayapi\n"))
	generate(t, got)
	sameAPI(t, want, got, []string{"./pkg/client/...", "./applyconfiguration/..."}, same)
	goCommand(t, got, "vet", "./pkg/client/...", "./applyconfiguration/...")
	goCommand(t, got, "test", "./apis/...", "./pkg/...")
}
