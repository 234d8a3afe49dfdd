package dropin

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gen prints tables for all kinds of k8s.io/api. What runtime/transcode makes by them of random
// objects, and of damaged ones, is what the published module and encoding/json make. TRANSCODE says
// for how long, as in make transcode.
func TestTranscoded(t *testing.T) {
	long := os.Getenv("TRANSCODE")
	if long == "" {
		long = "2s"
	}
	dir := t.TempDir()
	copyTree(t, "testdata/transcoded", dir, func(string) bool { return false })
	copyTree(t, ".", dir, func(name string) bool { return name != "." && name != "go.mod" && name != "go.sum" })
	replaceIn(t, filepath.Join(dir, "go.mod"), "module github.com/typeplane/typeplane/test/dropin\n", "module transcoded\n")

	var imports, lines []string
	for _, pkg := range kindsOfAPI(t) {
		printAliases(t, dir, pkg)
		alias := pkg.group + "_" + pkg.version
		imports = append(imports, fmt.Sprintf("%s %q", alias, "transcoded/"+pkg.group+"/"+pkg.version))
		for _, name := range pkg.kinds {
			lines = append(lines, fmt.Sprintf("kind[%s.%s](%q, %q, %q, &%[1]s.JSONTable_%[2]s),", alias, name, pkg.group, pkg.version, name))
		}
	}
	if len(lines) < 150 {
		t.Errorf("k8s.io/api has only %d kinds", len(lines))
	}
	packages := []string{"./..."}
	flags := flagsFor(t, "import", dir, packages, "--generators", "transcode")
	generateWith(t, dir, packages, flags)
	write(t, filepath.Join(dir, "kinds_test.go"), fmt.Appendf(nil,
		"package transcoded\n\nimport (\n%s\n\t\"github.com/typeplane/typeplane/runtime\"\n)\n\nvar kinds = []func(*runtime.Builder){\n%s\n}\n",
		strings.Join(imports, "\n"), strings.Join(lines, "\n")))
	cmd := exec.Command("go", "test", "-vet=off", "-count=1", "-timeout=0") // without packages it shows what is printed
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "TRANSCODE="+long)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// apiPackage has the kinds of a version.
type apiPackage struct {
	group, version string
	kinds          []string
}

// kindsOfAPI finds the kinds of k8s.io/api: the structs that embed TypeMeta and ObjectMeta.
func kindsOfAPI(t *testing.T) (out []apiPackage) {
	t.Helper()
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api").Output()
	if err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "*", "v*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		pkg := apiPackage{group: filepath.Base(filepath.Dir(folder)), version: filepath.Base(folder)}
		files, err := filepath.Glob(filepath.Join(folder, "types*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			pkg.kinds = append(pkg.kinds, kindsIn(file)...)
		}
		if len(pkg.kinds) > 0 {
			out = append(out, pkg)
		}
	}
	return out
}

func kindsIn(file *ast.File) (kinds []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if structure, ok := spec.Type.(*ast.StructType); ok {
			embeds := func(name string) bool {
				return slices.ContainsFunc(structure.Fields.List, func(f *ast.Field) bool {
					selector, ok := f.Type.(*ast.SelectorExpr)
					return ok && len(f.Names) == 0 && selector.Sel.Name == name
				})
			}
			if embeds("TypeMeta") && embeds("ObjectMeta") {
				kinds = append(kinds, spec.Name.Name)
			}
		}
		return false
	})
	return kinds
}

// printAliases prints a package that has the kinds of another as aliases.
func printAliases(t *testing.T, dir string, pkg apiPackage) {
	t.Helper()
	folder := filepath.Join(dir, pkg.group, pkg.version)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("// +groupName=%s.example\n// +k8s:protobuf-gen=package\n// +typeplane:json-gen=package\npackage %s\n\nimport theirs %q\n",
		pkg.group, pkg.version, "k8s.io/api/"+pkg.group+"/"+pkg.version)
	for _, name := range pkg.kinds {
		text += fmt.Sprintf("\n// +kubebuilder:resource\ntype %s = theirs.%[1]s\n", name)
	}
	write(t, filepath.Join(folder, "types.go"), []byte(text))
}
