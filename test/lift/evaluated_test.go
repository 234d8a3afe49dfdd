package lift

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hosts are what somebody writes of a Host, the first of which all updates begin with.
var hosts = []string{
	`{"address":"10.0.0.1","ports":[{"name":"a","number":80,"protocol":"tcp"},{"name":"b","number":53,"protocol":"udp"}]}`,
	`{"address":"10.0.0.2"}`,
	`{"address":"127.0.0.1"}`,
	`{"address":"nowhere"}`,
	`{}`,
	`{"address":""}`,
	// What is zero, and was sent or not.
	`{"address":"10.0.0.1","debug":false}`,
	`{"address":"10.0.0.1","weight":0}`,
	`{"address":"10.0.0.1","weight":1}`,
	`{"address":"10.0.0.1","debug":false,"weight":1}`,
	`{"address":"10.0.0.1","debug":true,"weight":0}`,
	`{"address":"127.0.0.1","debug":false,"weight":0}`,
	`{"address":"10.0.0.1","note":"x"}`,
	`{"address":"10.0.0.1","note":"x","debug":false}`,
	`{"address":"10.0.0.1","note":""}`,
	`{"address":"10.0.0.1","note":null}`,
	`{"address":"10.0.0.1","labels":{}}`,
	`{"address":"10.0.0.1","labels":{"a":"b"}}`,
	`{"address":"10.0.0.1","labels":{"a":"c"}}`,
	`{"address":"10.0.0.1","seen":"2026-01-01T00:00:00Z"}`,
	`{"address":"10.0.0.1","seen":"2027-01-01T00:00:00+02:00"}`,
	`{"address":"10.0.0.1","seen":"2028-01-01T00:00:00Z"}`,
	// Lists.
	`{"address":"10.0.0.1","ports":[]}`,
	`{"address":"10.0.0.1","ports":[{"name":"a","number":80}]}`,
	`{"address":"10.0.0.1","ports":[{"name":"a","number":80,"protocol":"sctp"}]}`,
	`{"address":"10.0.0.1","ports":[{"name":"b","number":53,"protocol":"udp"},{"name":"a","number":80,"protocol":"tcp"}]}`,
	`{"address":"10.0.0.1","ports":[{"name":"b","number":54,"protocol":"udp"},{"name":"a","number":79,"protocol":"tcp"}]}`,
	`{"address":"10.0.0.1","ports":[{"name":"b","number":52,"protocol":"udp"},{"name":"c","number":1,"protocol":"tcp"}]}`,
	`{"address":"10.0.0.1","ports":[{"name":"a","number":80,"protocol":"udp"}]}`,
	`{"address":"10.0.0.1","ports":[{"name":"a","number":1,"protocol":"x"},{"name":"b","number":1},{"name":"c","number":1},{"name":"d","number":1}]}`,
	`{"address":"10.0.0.1","ports":[{"name":"a","number":81,"protocol":"tcp"},{"name":"a","number":82,"protocol":"tcp"}]}`,
}

// TestEvaluated: rules that are not compiled are asked for a module, and then judge as they do for
// custom resources.
func TestEvaluated(t *testing.T) {
	if testing.Short() {
		t.Skip("only without -short")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/evaluated")); err != nil {
		t.Fatal(err)
	}
	newModule(t, dir, "evaluated.example", nil)
	wanted(t, dir)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	goCommand(t, dir, "mod", "edit", "-require="+self+"/cel@v0.0.0", "-replace="+self+"/cel="+root+"/cel")
	goCommand(t, dir, "list", "-mod=mod", "-deps", "./...", self, self+"/runtime/...", self+"/cel")
	generate(t, dir)
	goCommand(t, dir, "list", "-mod=mod", "-deps", "./...")
	kinds := definitions(t, []string{filepath.Join(dir, "crd.yaml")})
	l := newLifted(t, start(t, dir), kinds)
	for _, d := range kinds {
		l.writes(d)
	}
	l.report()
}

// wanted runs gen where module cel is not required.
func wanted(t *testing.T, dir string) {
	t.Helper()
	out, err := gen(t, dir)
	if n := strings.Count(string(out), "run go get "+self+"/cel"); err == nil || n != 8 {
		t.Fatalf("gen: %v, and %d of 8 rules that need the module:\n%s", err, n, out)
	}
}

// writes creates and updates a Host with each spec, and compares the verdicts.
func (l *lifted) writes(d *definition) {
	l.Helper()
	host := func(name, spec string) map[string]any {
		doc := map[string]any{"apiVersion": d.gvk.GroupVersion().String(), "kind": d.gvk.Kind, "metadata": map[string]any{"name": name, "namespace": "default"}}
		var content any
		if err := json.Unmarshal([]byte(spec), &content); err != nil {
			l.Fatal(err)
		}
		doc["spec"] = content
		return doc
	}
	path := d.path(host("h", "{}"))
	for _, spec := range hosts {
		for _, name := range []string{"new", "forbidden"} {
			f := finding{kind: d.gvk, stored: true, verb: "create", path: name, what: spec}
			l.compare(f, d.create(host(name, spec)), l.server.judge("POST", path+dryRun, host(name, spec)))
		}
	}
	theirs, ours := d.create(host("h", hosts[0])), l.server.judge("POST", path, host("h", hosts[0]))
	if !theirs.accepted || !ours.accepted {
		l.Fatalf("%s\n%s", theirs.message, ours.message)
	}
	for _, spec := range hosts {
		doc := host("h", spec)
		doc["metadata"] = ours.object["metadata"]
		f := finding{kind: d.gvk, stored: true, verb: "update", path: "h", what: spec}
		l.compare(f, d.update(doc, withMetadata(theirs.object, ours.object)), l.server.judge("PUT", path+"/h"+dryRun, doc))
	}
}
