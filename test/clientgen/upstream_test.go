package clientgen

import (
	"cmp"
	"path"
	"path/filepath"
	"testing"
	"time"
)

// input is what the generators of k8s.io/code-generator need to be told.
type input struct {
	// dir is the module, and module its path.
	dir, module string
	// base is the folder of the groups, and versions are those in it: apps/v1.
	base     string
	versions []string
	// clients is the folder for all that is printed, and apply that of apply configurations in it.
	clients, apply string
	// plurals are exceptions from the rules of English.
	plurals string
}

// upstreamGenerate runs the four generators as kube_codegen.sh does, one after the other, and
// returns the CPU that they took.
func upstreamGenerate(t *testing.T, in input) time.Duration {
	t.Helper()
	tools, err := upstream()
	if err != nil {
		t.Fatal(err)
	}
	header := filepath.Join(t.TempDir(), "header.txt")
	write(t, header, nil)
	out := func(below string) []string {
		return []string{"--go-header-file", header, "--output-dir", filepath.Join(in.dir, in.clients, below), "--output-pkg", path.Join(in.module, in.clients, below)}
	}
	var packages, inputs []string
	for _, v := range in.versions {
		packages = append(packages, path.Join(in.module, in.base, v))
		inputs = append(inputs, "--input", v)
	}
	run := func(tool string, args ...[]string) time.Duration {
		var all []string
		for _, a := range args {
			all = append(all, a...)
		}
		return cost(t, in.dir, filepath.Join(tools, tool), all...)
	}
	pkg := func(below string) string { return path.Join(in.module, in.clients, below) }
	plurals := cmp.Or(in.plurals, "Endpoints:Endpoints")
	total := run("applyconfiguration-gen", out(in.apply), packages)
	total += run("client-gen", out("clientset"), inputs, []string{
		"--clientset-name", "versioned", "--apply-configuration-package", pkg(in.apply), "--input-base", path.Join(in.module, in.base), "--plural-exceptions", plurals,
	})
	total += run("lister-gen", out("listers"), []string{"--plural-exceptions", plurals}, packages)
	total += run("informer-gen", out("informers"), []string{
		"--versioned-clientset-package", pkg("clientset/versioned"), "--listers-package", pkg("listers"), "--plural-exceptions", plurals,
	}, packages)
	return total
}

func same(path string) string { return path }
