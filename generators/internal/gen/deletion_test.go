package gen

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/tag"

	"golang.org/x/tools/txtar"
)

// deletion is a case without one of its markers.
type deletion struct {
	*folder
	of     *folder
	name   string // of the case
	marker string
	beside []string // all markers of the comment
	below  string   // the line of code under it
}

// TestDeletions takes the markers of generators' cases and of the examples away, one at a time:
// what is printed differs, or what is said, or there is a reason.
func TestDeletions(t *testing.T) {
	var all []deletion
	for _, c := range append(soundCases(t), exampleCases(t)...) {
		whole := without(c.source, fmt.Sprintf("w%05d", len(all)), nil)
		for _, at := range markerLines(c.source) {
			marker := lineAt(c.source, at)
			d := deletion{of: whole, name: c.name, marker: bare(marker)}
			d.folder = without(c.source, fmt.Sprintf("d%05d", len(all)), map[line]string{at: marker[:strings.Index(marker, "+")]})
			d.beside, d.below = around(c.source, at)
			all = append(all, d)
		}
	}
	if !*every {
		all = sample(all, 24)
	}
	shared := new(load.Shared)
	for some := range slices.Chunk(all, 400) {
		var folders []*folder
		for i, d := range some {
			if i == 0 || some[i-1].of != d.of {
				folders = append(folders, d.of)
			}
			folders = append(folders, d.folder)
		}
		runFolders(t, shared, folders, plugins())
	}
	reasons := map[string]bool{}
	for _, d := range all {
		if d.of.problems != nil || !same(d.of, d.folder) {
			continue
		}
		why := saidOtherwise(d)
		if reasons[why] = true; why == "" {
			t.Errorf("%s without %s: nothing differs, and nothing is said", d.name, d.marker)
		}
	}
	for _, r := range noDifference {
		if *every && !reasons[r.why] {
			t.Errorf("no marker %s of %s is without effect because %s", r.marker, r.of, r.why)
		}
	}
	t.Logf("%d markers", len(all))
}

// sample takes so many of a list, from all its parts.
func sample[T any](all []T, n int) (some []T) {
	for i := range min(n, len(all)) {
		some = append(some, all[i*len(all)/min(n, len(all))])
	}
	return some
}

// exampleCases are the APIs of the examples, with a program that serves them.
func exampleCases(t *testing.T) (out []sound) {
	t.Helper()
	for _, b := range bases {
		a := &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte("// +typeplane:apiserver\npackage main\n\nfunc main() {}\n")}}}
		for name, data := range b.read(t, "base") {
			a.Files = append(a.Files, txtar.File{Name: name, Data: bytes.ReplaceAll(data, []byte("example.com/base/"), []byte("example.com/"))})
		}
		slices.SortFunc(a.Files, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
		out = append(out, sound{"examples/" + b.name, a})
	}
	return out
}

// markerLines are the lines of hand-written files that are markers.
func markerLines(a *txtar.Archive) (out []line) {
	for i, f := range a.Files {
		if isExpectation(f.Name) || !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		for n, text := range strings.Split(string(f.Data), "\n") {
			if markerIn.MatchString(strings.TrimSpace(text)) {
				out = append(out, line{i, n})
			}
		}
	}
	return out
}

// around are the markers of the comment that a line is of, and the line of code below.
func around(a *txtar.Archive, at line) (markers []string, below string) {
	lines := strings.Split(string(a.Files[at.file].Data), "\n")
	isComment := func(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "//") }
	first := at.number
	for first > 0 && isComment(lines[first-1]) {
		first--
	}
	for _, text := range lines[first:] {
		if !isComment(text) && strings.TrimSpace(text) != "" {
			return markers, text
		}
		if markerIn.MatchString(strings.TrimSpace(text)) {
			markers = append(markers, bare(text))
		}
	}
	return markers, ""
}

// bare is a marker without the signs of a comment.
func bare(text string) string { return strings.TrimSpace(strings.TrimLeft(text, "/ \t")) }

func lineAt(a *txtar.Archive, at line) string {
	return strings.Split(string(a.Files[at.file].Data), "\n")[at.number]
}

// saidOtherwise is the reason why a marker changes nothing; "" if there is none.
func saidOtherwise(d deletion) string {
	name := tag.NameOf(d.marker)
	for _, beside := range d.beside {
		if beside != d.marker && lastWord(beside) == lastWord(d.marker) {
			return beside + " stands beside it"
		}
	}
	switch {
	case !asked(name, d.of):
		return "no plug-in that reads it is asked for"
	case name == "optional" && omitted.MatchString(d.below):
		return "the field is left out where it is empty"
	case strings.HasPrefix(name, "patch") && strings.Contains(d.below, name+`:"`):
		return "the struct tag says it, which is what is read for a strategic merge patch"
	}
	for _, r := range noDifference {
		if strings.HasPrefix(d.name, r.of) && regexp.MustCompile(`^\+(`+r.marker+`)`).MatchString(d.marker) {
			return r.why
		}
	}
	return ""
}

// asked tells whether a plug-in that reads a tag prints anything.
func asked(name string, of *folder) bool {
	d, _ := known.Find(name)
	for _, p := range plugins() {
		if !slices.ContainsFunc(p.Tags, func(read tag.Definition) bool { return read.Name == d.Name }) {
			continue
		}
		for file := range of.printed {
			if slices.ContainsFunc(p.Outputs, func(o emit.Output) bool { return o.Name == path.Base(file) }) {
				return true
			}
		}
	}
	return false
}

// lastWord is what a marker says without the family that it is of: listType=map.
func lastWord(marker string) string {
	return marker[strings.LastIndexAny(marker, "+:")+1:]
}

var omitted = regexp.MustCompile(`omitempty|omitzero|\s\*`)

// noDifference are markers that change nothing in the cases whose names begin so, with the reason.
var noDifference = []struct{ of, marker, why string }{
	{"apiserver/aliases", `genclient:nonNamespaced`, "the type that the alias stands for says it"},
	{"apiserver/server", `k8s:openapi-gen=true`, "the package is served"},
	{"conversion/", `k8s:conversion-gen=false`, "nothing is converted without it"},
	{"crd/told", `kubebuilder:validation:Type=`, "Go says it, too"},
	{"defaulter/by-hand-elsewhere", `k8s:defaulter-gen-input`, "the package declares nothing to fill"},
	{"defaulter/covers", `default=5`, "the function by hand fills the field first"},
	{"defaulter/elsewhere", `default="a"|k8s:defaulter-gen=(true|false)`, "the package is switched off"},
	{"defaulter/literals", `default=(""|null)`, "it is the zero value"},
	{"defaulter/opt-", `default=1`, "its type is left out"},
	{"defaulter/references", `k8s:defaulter-gen=true`, "the package says it, or there is nothing to fill"},
	{"guard/generic", `typeplane:guard=true`, "what other plug-ins print is guarded without it"},
	{"guard/interfaces", `k8s:deepcopy-gen=false`, "an interface is not copied"},
	{"load/", ``, "the file or package is left out"},
	{"openapi/atomic_anywhere", `listType=atomic`, "the type says it, too"},
	{"openapi/limits_number", `kubebuilder:validation:ExclusiveMaximum=false`, "it is so without"},
	{"openapi/limits_of_type", `kubebuilder:validation:`, "the type and the field have a limit, and the narrower one counts"},
	{"protobuf/handwritten", `protobuf.options`, "the methods are written by hand"},
	{"protobuf/left_behind", `k8s:protobuf-gen=false`, "nothing is written without it"},
	{"protobuf/packages", `protobuf=true`, "the package is switched off"},
	{"register/", `groupName=`, "the folder is called so, or the package registers by hand"},
	{"register/", `default=40`, "the package asks for no defaults"},
	{"register/group", `kubebuilder:object:generate=true`, "the kind asks for its copy"},
	{"validation/each_val_unchanged", `k8s:listType=atomic`, "a list is atomic without it"},
	{"validation/filter", `k8s:minimum=1`, "the type is filtered out"},
	{"validation/marker_omitted", `kubebuilder:validation:(Required|Optional)`, "the json tag says it"},
	{"validation/registration_nil", `k8s:validation-gen-scheme-registry=nil`, "there is no builder to register with"},
	{"validation/required_shapes", `kubebuilder:object:root=true`, "the copy is written by hand"},
	{"validation/sizes_in_json", `kubebuilder:validation:Type=string`, "the method MarshalText says it"},
	{"examples/", `kubebuilder:storageversion`, "there is one version, which is stored without it"},
	{"examples/scaler", `.*-gen`, "the package is served"},
}
