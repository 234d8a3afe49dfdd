package clientgen

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shapes is a module with API types that have what few others do: groups whose names can't be those
// of packages, or with none, kinds without some verbs, methods of every kind, odd plurals, and
// fields of each shape. Its types have deep copies and a registration.
func shapes(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	copyTree(t, "testdata/shapes", dir)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod := strings.NewReplacer("module github.com/typeplane/typeplane/test/clientgen\n", "module example.com/shapes\n", "=> ../..", "=> "+root)
	write(t, filepath.Join(dir, "go.mod"), []byte(mod.Replace(string(read(t, "go.mod")))))
	write(t, filepath.Join(dir, "go.sum"), read(t, "go.sum"))
	cost(t, dir, filepath.Join(programs, "gen"), "--cache=false", "--generators=deepcopy,register", "./...")
	return dir
}

// shapesInput is what code-generator is told of them.
func shapesInput(dir string) input {
	return input{
		dir: dir, module: "example.com/shapes", base: "apis", clients: "client", apply: "applyconfiguration", plurals: "Sheep:Sheep",
		versions: []string{"core/v1", "example/v1", "example/v1beta1", "example2/v1", "hyphens/v1"},
	}
}

// What both generators print for odd shapes exports the same.
func TestShapes(t *testing.T) {
	notShort(t)
	want, got := shapes(t), shapes(t)
	upstreamGenerate(t, shapesInput(want))
	generate(t, got)
	sameAPI(t, want, got, []string{"./client/..."}, same)
	goCommand(t, got, "vet", "./...")
}

// gen takes a tenth of the CPU that the four generators of code-generator take together, for one
// module after the other. The clients of both are printed in turn, so that both have what else the
// machine does.
func TestCost(t *testing.T) {
	notShort(t)
	dir := shapes(t)
	var theirs, ours time.Duration
	for range 3 {
		theirs += upstreamGenerate(t, shapesInput(dir))
		removeGenerated(t, filepath.Join(dir, "client"))
		ours += generate(t, dir)
		removeGenerated(t, filepath.Join(dir, "client"))
	}
	t.Logf("three runs: code-generator %.2f s of CPU, gen %.2f s: %.1f times less", theirs.Seconds(), ours.Seconds(), theirs.Seconds()/ours.Seconds())
	if theirs < 10*ours {
		t.Error("gen takes more than a tenth")
	}
}
