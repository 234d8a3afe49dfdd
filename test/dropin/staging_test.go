package dropin

import (
	"path/filepath"
	"strings"
	"testing"
)

// Modules of Kubernetes with an API of their own. All their generated files are replaced at once.
// The code that is written by hand around them (register.go, fuzzers, conversions, an aggregated
// API server) goes on working.
func TestStaging(t *testing.T) {
	notShort(t)
	for _, module := range []struct {
		path     string
		packages []string // what is compiled, and tested
	}{
		{"k8s.io/sample-apiserver", []string{"./pkg/apis/...", "./pkg/generated/openapi"}},
		{"k8s.io/kube-aggregator", []string{"./pkg/apis/..."}},
		{"k8s.io/metrics", []string{"./pkg/apis/..."}},
	} {
		for _, mode := range modes {
			t.Run(filepath.Base(module.path)+"/"+mode, func(t *testing.T) {
				dir := downloadedCopy(t, module.path)
				same, untouched := readAll(t, dir, identical), read(t, filepath.Join(dir, "pkg"), "register.go")
				openAPI := upstreamOpenAPI(t, dir)
				removeAll(t, dir, replaced...)
				generateWith(t, dir, everything, flagsFor(t, mode, dir, everything))
				goCommand(t, dir, append([]string{"vet", "-copylocks=false"}, module.packages...)...)
				goCommand(t, dir, append([]string{"test", "-count=1"}, module.packages...)...)
				sameFiles(t, same, readAll(t, dir, identical))
				sameFiles(t, untouched, read(t, filepath.Join(dir, "pkg"), "register.go"))
				for name, text := range openAPI {
					if upstreamOpenAPI(t, dir)[name] != text {
						t.Errorf("%s, which openapi-gen makes for the whole module, changed", name)
					}
				}
			})
		}
	}
}

// upstreamOpenAPI are the files of kube-openapi's generator.
func upstreamOpenAPI(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := read(t, dir, "zz_generated.openapi.go")
	for name, text := range out {
		if !strings.Contains(text, "func GetOpenAPIDefinitions(") {
			delete(out, name)
		}
	}
	return out
}
