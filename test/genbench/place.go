package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// place is where everything is: programs, copies of modules, gen's cache.
type place struct {
	bin, cache, header string
	// api and sample are copies of modules. tree is a workspace with k8s.io/api and
	// k8s.io/apimachinery in folders of their import paths, as go-to-protobuf wants it; api is in
	// it. gogo has gogo.proto below its import path.
	tree, api, sample, gogo string
	// unregistered is a copy of the sample whose versions nobody registers by hand.
	unregistered string
	goCache      string
}

const license = "/*\nCopyright The Kubernetes Authors.\n*/\n"

// prepare builds the programs and copies the modules.
func prepare(dir string) (place, error) {
	p := place{
		bin: filepath.Join(dir, "bin"), cache: filepath.Join(dir, "cache"), header: filepath.Join(dir, "header.txt"),
		tree: filepath.Join(dir, "tree"), sample: filepath.Join(dir, "sample-apiserver"), gogo: filepath.Join(dir, "gogo"),
		unregistered: filepath.Join(dir, "unregistered"),
	}
	p.api = filepath.Join(p.tree, "k8s.io/api")
	goCache, err := output(".", "go", "env", "GOCACHE")
	if err != nil {
		return p, err
	}
	p.goCache = goCache
	if err := os.WriteFile(p.header, []byte(license), 0o644); err != nil {
		return p, err
	}
	if err := build(p.bin); err != nil {
		return p, err
	}
	for to, module := range map[string]string{
		p.api: "k8s.io/api", filepath.Join(p.tree, "k8s.io/apimachinery"): "k8s.io/apimachinery",
		p.sample: "k8s.io/sample-apiserver", p.unregistered: "k8s.io/sample-apiserver",
		filepath.Join(p.gogo, "github.com/gogo/protobuf"): "github.com/gogo/protobuf",
	} {
		if err := moduleCopy(module, to); err != nil {
			return p, err
		}
	}
	for _, version := range []string{"v1alpha1", "v1beta1"} {
		if err := os.Remove(filepath.Join(p.unregistered, "pkg/apis/wardle", version, "register.go")); err != nil {
			return p, err
		}
	}
	work := "go 1.26.0\n\nuse (\n\t./k8s.io/api\n\t./k8s.io/apimachinery\n)\n"
	if err := os.WriteFile(filepath.Join(p.tree, "go.work"), []byte(work), 0o644); err != nil {
		return p, err
	}
	return p, p.warm()
}

// env makes programs find each other and keeps gen's cache here, and Go's where it is.
func (p place) env() []string {
	return []string{
		"PATH=" + p.bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"XDG_CACHE_HOME=" + p.cache, "GOCACHE=" + p.goCache, "GOFLAGS=", "GOWORK=off",
	}
}

// warm compiles what the modules import, so that no run has to.
func (p place) warm() error {
	for _, c := range []command{
		{program: "go", dir: p.api, args: []string{"build", "./..."}},
		{program: "go", dir: p.sample, args: []string{"build", "./pkg/apis/..."}},
	} {
		if _, err := c.run(p); err != nil {
			return err
		}
	}
	return nil
}

// build makes gen, the peers and the stand-in for protoc.
func build(bin string) error {
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	for _, b := range []struct {
		dir, pkg string
	}{
		{"../..", "./cmd/gen"},
		{".", "./protoc"},
		{".", "golang.org/x/tools/cmd/goimports"},
		{".", "k8s.io/code-generator/cmd/deepcopy-gen"},
		{".", "k8s.io/code-generator/cmd/defaulter-gen"},
		{".", "k8s.io/code-generator/cmd/conversion-gen"},
		{".", "k8s.io/code-generator/cmd/register-gen"},
		{".", "k8s.io/code-generator/cmd/prerelease-lifecycle-gen"},
		{".", "k8s.io/code-generator/cmd/go-to-protobuf"},
		{".", "k8s.io/code-generator/cmd/go-to-protobuf/protoc-gen-gogo"},
		{".", "k8s.io/kube-openapi/cmd/openapi-gen"},
	} {
		if _, err := output(b.dir, "go", "build", "-o", bin+string(filepath.Separator), b.pkg); err != nil {
			return err
		}
	}
	return nil
}

// moduleCopy copies a required module to a folder where it can be written.
func moduleCopy(module, to string) error {
	from, err := output(".", "go", "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil {
		return err
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(to, func(name string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if entry.IsDir() {
			mode = 0o755
		}
		return os.Chmod(name, mode)
	})
}

func output(dir, program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}
