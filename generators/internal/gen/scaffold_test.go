package gen

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// inModule runs gen in a folder, as a person without a terminal would.
type inModule struct {
	*testing.T
	dir string
}

func emptyFolder(t *testing.T) inModule {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	return inModule{t, dir}
}

// gen returns what it said, and fails the test unless the exit status is the one that is wanted.
func (m inModule) gen(want int, args ...string) string {
	m.Helper()
	var out bytes.Buffer
	if status := run(args, &out, &out); status != want {
		m.Fatalf("gen %s: status %d, want %d\n%s", strings.Join(args, " "), status, want, &out)
	}
	return out.String()
}

func (m inModule) run(name string, args ...string) {
	m.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		m.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func (m inModule) write(files map[string]string) {
	m.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			m.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			m.Fatal(err)
		}
	}
}

// tree is what is in the folder, by name.
func (m inModule) tree() map[string]string {
	m.Helper()
	out := map[string]string{}
	for _, name := range m.files() {
		text, err := os.ReadFile(name)
		if err != nil {
			m.Fatal(err)
		}
		out[name] = string(text)
	}
	return out
}

func (m inModule) files() []string {
	m.Helper()
	var out []string
	err := filepath.WalkDir(".", func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		m.Fatal(err)
	}
	return out
}

// TestInit: gen and the compiler are content with a module out of nothing, and with all that can be
// added to it. The tutorial, which is a test too, runs what comes of it.
func TestInit(t *testing.T) {
	m := emptyFolder(t)
	if said := m.gen(ok, "init", "example.com/my-shop", "--kind", "Order"); !strings.Contains(said, "make run") {
		t.Errorf("init says %s", said)
	}
	m.builds("go build -o bin/my-shop ./cmd/my-shop\n")
	m.needsNoTestsOfOthers()
	m.gen(ok, "add", "subresource", "Order", "call-off")
	m.builds("go tool gen ./...\nmkdir -p bin && touch bin/generated\ngo build -o bin/my-shop ./cmd/my-shop\n")
	m.gen(ok, "add", "kind", "Shelf", "--cluster")
	if said := m.gen(ok, "add", "admission", "KeepOrders"); !strings.Contains(said, "Admission: []typeplane.AdmissionPlugin{keepOrders},") {
		t.Errorf("add admission says %s", said)
	}
	server, err := os.ReadFile("myshop.go")
	if err != nil {
		t.Fatal(err)
	}
	m.write(map[string]string{"myshop.go": strings.Replace(string(server), "		APIs:", "		Admission: []typeplane.AdmissionPlugin{keepOrders},\n		APIs:", 1)})
	said := m.gen(ok, "add", "version", "v1")
	if !strings.Contains(said, "inserted api/v1alpha1/order_types.go:13: // +kubebuilder:storageversion\n") || strings.Contains(said, "api/v1/order_call_off_types.go") {
		t.Errorf("add version says %s", said)
	}
	m.gen(ok, "add", "kind", "Crate")
	m.gen(ok, "add", "version", "v2") // of v1, which is also what other packages are called
	m.gen(ok, "--verify", "./...")
	m.run("go", "vet", "./...")

	before := m.tree()
	for want, args := range map[string][]string{
		"this module has a server, in example.com/my-shop":             {"init"},
		"here is the module example.com/my-shop already":               {"init", "example.com/other"},
		"has a kind Crate already":                                     {"add", "kind", "Crate"},
		`"crate" is no name of a kind`:                                 {"add", "kind", "crate"},
		"there is a version v1 of my-shop.example.com already":         {"add", "version", "v1"},
		`"1" is no version of an API`:                                  {"add", "version", "1"},
		"there is no group other.example.com":                          {"add", "version", "v2", "--group", "other.example.com"},
		"there is no version v3 of my-shop.example.com":                {"add", "kind", "Box", "--version", "v3"},
		"Order has a subresource call-off already":                     {"add", "subresource", "Order", "call-off"},
		"there is no kind Oder; there is Crate, Order":                 {"add", "subresource", "Oder", "call-off"},
		`"status" is no name of a subresource of one's own`:            {"add", "subresource", "Order", "status"},
		"nothing was written, since there is already keeporders_admis": {"add", "admission", "KeepOrders"},
	} {
		if said := m.gen(failed, args...); !strings.Contains(said, want) {
			t.Errorf("gen %s says %q, want %q", strings.Join(args, " "), said, want)
		}
	}
	for name, text := range m.tree() {
		if before[name] != text {
			t.Errorf("%s was changed by what was refused", name)
		}
	}
	for want, args := range map[string][]string{
		"want: gen add kind [flags] NAME": {"add", "kind"},
		"add things: want kind, version":  {"add", "things"},
		"unknown flag: --kindd":           {"init", "--kindd", "X"},
		"gen init example.com/shop":       {},
	} {
		if said := m.gen(misuse, args...); !strings.Contains(said, want) {
			t.Errorf("gen %s says %q, want %q", strings.Join(args, " "), said, want)
		}
	}
}

// builds compares the commands of make build: gen is not among them if no source has changed.
func (m inModule) builds(want string) {
	m.Helper()
	out, err := exec.Command("make", "--no-print-directory", "-n", "build").CombinedOutput()
	if err != nil || string(out) != want {
		m.Errorf("make build runs\n%swant\n%s%v", out, want, err)
	}
}

// needsNoTestsOfOthers: init downloads no module that only tests of other modules need.
func (m inModule) needsNoTestsOfOthers() {
	m.Helper()
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		m.Fatal(err)
	}
	for _, module := range []string{"github.com/stretchr/testify", "go.uber.org/goleak", "gonum.org/v1/gonum"} {
		if regexp.MustCompile(`(?m)^` + module + ` [^/ ]+ h1:`).Match(sums) {
			m.Errorf("%s was downloaded", module)
		}
	}
}

// TestInitAPIModule: clients that import the module of the kinds don't get the server.
func TestInitAPIModule(t *testing.T) {
	m := emptyFolder(t)
	m.gen(ok, "init", "example.com/shop", "--kind", "Order", "--api-module")
	m.gen(ok, "add", "kind", "Shelf")
	m.gen(ok, "--verify", "./...", "./api/...")
	t.Setenv("GOWORK", "off")
	m.run("go", "vet", "./...")
	t.Chdir("api")
	m.run("go", "vet", "./...")
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if text := string(mod); strings.Contains(text, "typeplane/typeplane v") || !strings.Contains(text, "typeplane/typeplane/runtime v") {
		t.Errorf("the module of the kinds needs\n%s", text)
	}
}

// ofKubebuilder is what kubebuilder lays out, as far as gen looks at it.
var ofKubebuilder = map[string]string{
	"go.mod":      "module example.com/guestbook\n\ngo 1.26.0\n",
	"cmd/main.go": "package main\n\nimport _ \"example.com/guestbook/api/v1\"\n\nfunc main() {}\n",
	"Makefile":    "all:\n",
	"api/v1/groupversion_info.go": `// Package v1 contains API Schema definitions for the webapp v1 API group.
// +kubebuilder:object:generate=true
// +groupName=webapp.my.domain
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	GroupVersion  = schema.GroupVersion{Group: "webapp.my.domain", Version: "v1"}
	SchemeBuilder = runtime.NewSchemeBuilder(func(s *runtime.Scheme) error {
		metav1.AddToGroupVersion(s, GroupVersion)
		return nil
	})
	AddToScheme = SchemeBuilder.AddToScheme
)
`,
	"api/v1/guestbook_types.go": `package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// GuestbookSpec defines the desired state of Guestbook
type GuestbookSpec struct {
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +optional
	Size *int32 ` + "`json:\"size,omitempty\"`" + `
}

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// Guestbook is the Schema for the guestbooks API
type Guestbook struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitzero\"`" + `

	Spec GuestbookSpec ` + "`json:\"spec\"`" + `
}

// +kubebuilder:object:root=true

// GuestbookList contains a list of Guestbook
type GuestbookList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitzero\"`" + `
	Items           []Guestbook ` + "`json:\"items\"`" + `
}
`,
}

// TestInitAdopts: what kubebuilder has laid out stays as it is, and gets a server.
func TestInitAdopts(t *testing.T) {
	m := emptyFolder(t)
	m.write(ofKubebuilder)
	m.run("go", "mod", "tidy")
	said := m.gen(ok, "init")
	for _, want := range []string{"made     cmd/guestbook-apiserver/main.go\n", "made     guestbook.go\n", "kept     example.com/guestbook/api/v1, with the kinds of webapp.my.domain/v1\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing about %q in %s", want, said)
		}
	}
	now := m.tree()
	for name, text := range ofKubebuilder {
		if name != "go.mod" && now[name] != text {
			t.Errorf("%s is changed", name)
		}
	}
	m.run("go", "vet", "./...")
}
