package kuberules

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestLeftOut compares what the README of examples/cluster says that is left out with what a
// kube-apiserver serves in its stable versions and ours does not.
func TestLeftOut(t *testing.T) {
	s := start(t, clusterProgram)
	files, err := filepath.Glob(filepath.Join(kubernetesDir(t), "api", "discovery", "*__v[0-9].json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no discovery of a kube-apiserver: %v", err)
	}
	var missing []string
	for _, file := range files {
		path := "/" + strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".json"), "__", "/")
		served, code := s.do("GET", path, nil)
		if code != http.StatusOK {
			served = []byte("{}")
		}
		missing = append(missing, without(t, readAll(t, file), served)...)
	}
	slices.Sort(missing)
	if got := slices.Compact(missing); !slices.Equal(got, listed(t)) {
		t.Errorf("the README lists\n%q\nand these are left out\n%q", listed(t), got)
	}
}

// without are the resources of one discovery document that another one lacks, with their groups;
// the subresources of a resource that is missing are not named.
func without(t *testing.T, all, served []byte) []string {
	t.Helper()
	var theirs, ours metav1.APIResourceList
	if err := errors.Join(json.Unmarshal(all, &theirs), json.Unmarshal(served, &ours)); err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, r := range ours.APIResources {
		has[r.Name] = true
	}
	gv, err := schema.ParseGroupVersion(theirs.GroupVersion)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range theirs.APIResources {
		if of, _, sub := strings.Cut(r.Name, "/"); !has[r.Name] && (!sub || has[of]) {
			out = append(out, r.Name+"."+gv.Group)
		}
	}
	return out
}

// listed are the names in the table of the README: kinds and subresources in code spans, in their
// group's row.
func listed(t *testing.T) []string {
	t.Helper()
	text := string(readAll(t, "../../examples/cluster/README.md"))
	_, table, ok := strings.Cut(text, "\n| group | left out |\n|---|---|\n")
	if !ok {
		t.Fatal("the README has no table of what is left out")
	}
	var out []string
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) < 3 {
			break
		}
		group := strings.Trim(cells[1], " `")
		if group == "core" {
			group = ""
		}
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1) {
			out = append(out, name[1]+"."+group)
		}
	}
	slices.Sort(out)
	return out
}

func kubernetesDir(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func readAll(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
