package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/registry"
)

// objects is what kubectl get -A -o yaml prints of another server, and a document beside it.
const objects = `apiVersion: v1
kind: List
items:
- apiVersion: shop.example.com/v1beta1
  kind: Widget
  metadata:
    name: part
    namespace: ns
    uid: 00000000-0000-0000-0000-000000000002
    resourceVersion: "77"
    generation: 5
    creationTimestamp: "2020-01-02T03:04:05Z"
    ownerReferences:
    - {apiVersion: shop.example.com/v1, kind: Widget, name: whole, uid: 00000000-0000-0000-0000-000000000001}
    - {apiVersion: apps/v1, kind: Deployment, name: elsewhere, uid: 00000000-0000-0000-0000-00000000000f}
  spec:
    colour: green
  status:
    phase: Ready
- apiVersion: shop.example.com/v1
  kind: Widget
  metadata:
    name: whole
    namespace: ns
    uid: 00000000-0000-0000-0000-000000000001
- apiVersion: shop.example.com/v1
  kind: Widget
  metadata: {name: plain, namespace: ns}
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: x
    namespace: ns
---
apiVersion: shop.example.com/v1
kind: Widget
metadata:
  name: many
  namespace: ns
spec:
  replicas: 1001
`

// importTable is the summary of an import of objects.
func importTable(created string, numbers string) string {
	return "KIND " + created + " THERE ALREADY REFUSED\nWidget.shop.example.com " + numbers + "\n"
}

// TestImportFile: into a program that has its kinds in its Server, and into one that has them in an
// API, as gen init writes it.
func TestImportFile(t *testing.T) {
	for name, into := range map[string]program.Server{"server": programtest.Widgets(), "api": programtest.OwnWidgets()} {
		t.Run(name, func(t *testing.T) { importFile(t, into) })
	}
}

func importFile(t *testing.T, into program.Server) {
	e := programtest.StartEtcd(t, nil)
	file := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte(objects), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ args, want string }{
		{"--dry-run", importTable("WOULD CREATE", "3 0 1")},
		{"", importTable("CREATED", "3 0 1")},
		{"", importTable("CREATED", "0 3 1")},
		{"--keep-uids", importTable("CREATED", "0 1 3")},
		{"--keep-uids --etcd-prefix /kept", importTable("CREATED", "3 0 1")},
	} {
		out, log, err := doIn(t, into, "", append([]string{"import", "--from", file, "--data-dir", e.Dir}, strings.Fields(step.args)...)...)
		if diff := cmp.Diff(step.want, regexp.MustCompile(` +`).ReplaceAllString(out, " ")); diff != "" || err == nil || ExitCode(err) != ExitLeft {
			t.Errorf("import %s: %v\n%s(-want +got)\n%s", step.args, err, log, diff)
		}
		for _, want := range []string{
			"widgets ns/many: ", "spec.replicas: Invalid value: 1001: must be less than or equal to 1000",
			"1 objects of v1, ConfigMap, are not of this program", "1 references to owners that do not come along were left out",
		} {
			if !strings.Contains(log, want) {
				t.Errorf("import %s does not say %q:\n%s", step.args, want, log)
			}
		}
	}
	stored := func(args ...string) string {
		return must(t, append([]string{"inspect", "--data-dir", e.Dir}, args...)...)
	}
	owner := regexp.MustCompile(`uid: (.*)`).FindStringSubmatch(stored(programtest.Prefix + "ns/whole"))
	part := stored(programtest.Prefix + "ns/part")
	for _, want := range []string{"color: green", "phase: Ready", "2020-01-02T03:04:05Z", "generation: 5", "name: whole\n    uid: " + owner[1]} {
		if !strings.Contains(part, want) {
			t.Errorf("what is stored has no %q:\n%s", want, part)
		}
	}
	if strings.Contains(part, "00000000-0000") || strings.Contains(part, "elsewhere") {
		t.Errorf("what is stored speaks of the other server:\n%s", part)
	}
	if kept := stored("--etcd-prefix", "/kept", strings.Replace(programtest.Prefix, "/registry", "/kept", 1)+"ns/part"); strings.Count(kept, "uid: 00000000-0000-0000-0000-00000000000") != 2 {
		t.Errorf("with --keep-uids:\n%s", kept)
	}
}

// TestImportOwners: objects that own each other, and long chains of owners, take no more passes
// over all that there is than a few.
func TestImportOwners(t *testing.T) {
	var list strings.Builder
	const all = 40
	for n := range all {
		fmt.Fprintf(&list, "---\n{apiVersion: shop.example.com/v1, kind: Widget, metadata: {name: w%d, namespace: ns, uid: u%d, ownerReferences: [", n, n)
		for owner := range all { // each of the first half owns all others of it; the second half is a chain
			if n < all/2 && owner < all/2 && owner != n || n > all/2 && owner == n-1 {
				fmt.Fprintf(&list, "{apiVersion: shop.example.com/v1, kind: Widget, name: w%d, uid: u%d}, ", owner, owner)
			}
		}
		list.WriteString("]}}\n")
	}
	kind := schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Widget"}
	i := &importing{importers: []registry.Importer{{Kind: kind}}}
	total, err := i.survey(t.Context(), fileSource(list.String()))
	if total != all || err != nil || len(i.depths) != all || i.last() > deepest {
		t.Errorf("%d objects, %d depths, %d at most, %v", total, len(i.depths), i.last(), err)
	}
}

func TestImportRefused(t *testing.T) {
	dir := t.TempDir()
	e := programtest.StartEtcd(t, nil)
	for name, tc := range map[string]struct{ text, want string }{
		"exec":       {"apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: a, cluster: {server: \"https://127.0.0.1:1\"}}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nusers: [{name: a, user: {exec: {command: x}}}]\n", "exec and auth-provider are not supported"},
		"no object":  {"a: b\n", "it has no kind or no name"},
		"not YAML":   {"---\na: [\n", "document 2: "},
		"no objects": {"", ""},
	} {
		file := filepath.Join(dir, "file")
		if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := do(t, "", "import", "--from", file, "--data-dir", e.Dir)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	if _, _, err := do(t, "", "import", "--data-dir", e.Dir); err == nil || !strings.Contains(err.Error(), "--from: want a kubeconfig") {
		t.Errorf("without a source: %v", err)
	}
}
