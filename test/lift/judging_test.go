package lift

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

//go:embed judging/judging_test.go.txt
var judgingTest []byte

// TestJudging compares what it costs to judge the HTTPRoutes among gateway-api's examples: by the
// functions that gen prints, and by the library that a kube-apiserver judges custom resources with.
// It runs with -v alone, on a machine that does nothing else; judging/README.md has the figures.
func TestJudging(t *testing.T) {
	if !testing.Verbose() || testing.Short() {
		t.Skip("only with -v and without -short")
	}
	r := repositories[slices.IndexFunc(repositories, func(r repository) bool { return r.name == "gateway-api" })]
	r.requires = append(slices.Clone(r.requires), "k8s.io/apiextensions-apiserver@v0.37.2")
	from := released(t, r.definitions)
	dir := copied(t, r, nil)
	generate(t, dir)
	write(t, filepath.Join(dir, "apis", "v1", "judging_test.go"), judgingTest)
	goCommand(t, dir, "list", "-mod=mod", "-deps", "-test", "./apis/v1") // fills go.sum
	var examples []string
	for _, file := range files(t, from, r.valid) {
		if strings.Contains(file, "standard") {
			examples = append(examples, file)
		}
	}
	cmd := exec.Command("go", "test", "-count=1", "-v", "-run", "^TestJudging$", "./apis/v1")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off",
		"JUDGING_CRD="+files(t, from, []string{"config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"})[0],
		"JUDGING_EXAMPLES="+strings.Join(examples, string(os.PathListSeparator)))
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
}
