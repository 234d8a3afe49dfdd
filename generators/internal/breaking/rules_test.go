package breaking_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/breaking"
	"github.com/typeplane/typeplane/generators/internal/gentest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// rules are changes and what is said about them; "" is nothing. Each stands in a package of its
// own, whose kind has the markers or whose spec has the fields.
var rules = []struct{ name, oldMarkers, newMarkers, old, new, want string }{
	// Fields.
	{name: "field removed", old: "A, B string", new: "A string", want: `Spec: the field B is gone (r/v1/types.go:14 in HEAD); keep it, and say in its comment that it is deprecated`},
	{name: "field renamed in JSON", old: "A string `json:\"a\"`", new: "A string `json:\"b\"`", want: `Spec.A: the field a is called b in JSON now (r/v1/types.go:14 in HEAD); keep the old name; a new one is for a new version`},
	{name: "field renamed in Go only", old: "A string `json:\"a\"`", new: "B string `json:\"a\"`"},
	{name: "field renamed in both, known by its number", old: "A string `json:\"a\" protobuf:\"bytes,1,opt,name=a\"`", new: "B string `json:\"b\" protobuf:\"bytes,1,opt,name=b\"`", want: `Spec.B: the field a is called b in JSON now (r/v1/types.go:14 in HEAD); keep the old name; a new one is for a new version`},
	{name: "optional field added", old: "", new: "A string `json:\"a,omitempty\"`"},
	{name: "field with a default added", old: "", new: "// +default=1\nA int32 `json:\"a\"`"},
	{name: "required field added", old: "", new: "A string `json:\"a\"`", want: `Spec.A: the new field a is required, and no object that there is has it; make it +optional, or give it a +default`},
	{name: "field moved into an embedded struct", old: "A string `json:\"a\"`", new: "In `json:\",inline\"`\n}\n\ntype In struct {\nA string `json:\"a\"`"},

	// Types.
	{name: "type changed", old: "A string `json:\"a\"`", new: "A int32 `json:\"a\"`", want: `Spec.A: its type is int32, and was string; keep the type; another one is for a new field or a new version`},
	{name: "number widened", old: "A int32 `json:\"a\"`", new: "A int64 `json:\"a\"`", want: `Spec.A: its type is int64, and was int32; keep the type; another one is for a new field or a new version`},
	{name: "one became many", old: "A string `json:\"a\"`", new: "A []string `json:\"a\"`", want: `Spec.A: its type is list of string, and was string; keep the type; another one is for a new field or a new version`},
	{name: "items changed", old: "A []string `json:\"a\"`", new: "A []bool `json:\"a\"`", want: `Spec.A: its type is list of boolean, and was list of string; keep the type; another one is for a new field or a new version`},
	{name: "keys changed", old: "A map[string]bool `json:\"a\"`", new: "A map[int32]bool `json:\"a\"`", want: `Spec.A: its type is map from int32 to boolean, and was map of boolean; keep the type; another one is for a new field or a new version`},
	{name: "time became text", old: "A metav1.Time `json:\"a\"`", new: "A string `json:\"a\"`", want: `Spec.A: its type is string, and was time; keep the type; another one is for a new field or a new version`},
	{name: "text got a name", old: "A string `json:\"a\"`", new: "A Text `json:\"a\"`\n}\n\ntype Text string\n\ntype Other struct {"},
	{name: "pointer or not", old: "A string `json:\"a\"`", new: "A *string `json:\"a\"`"},
	{name: "struct renamed", old: "A In `json:\"a\"`\n}\n\ntype In struct {\nB string `json:\"b\"`", new: "A Inner `json:\"a\"`\n}\n\ntype Inner struct {\nB string `json:\"b\"`"},
	{name: "field of a struct in a list removed", old: "A []In `json:\"a\"`\n}\n\ntype In struct {\nB, C string", new: "A []In `json:\"a\"`\n}\n\ntype In struct {\nB string", want: `In: the field C is gone (r/v1/types.go:18 in HEAD); keep it, and say in its comment that it is deprecated`},

	// Protobuf.
	{name: "number changed", old: "A string `json:\"a\" protobuf:\"bytes,1,opt,name=a\"`", new: "A string `json:\"a\" protobuf:\"bytes,2,opt,name=a\"`", want: `Spec.A: its protobuf number is 2, and was 1; keep number 1: stored objects have it`},
	{name: "protobuf name changed", old: "A string `json:\"a\" protobuf:\"bytes,1,opt,name=a\"`", new: "A string `json:\"a\" protobuf:\"bytes,1,opt,name=b\"`", want: `Spec.A: it is called b in protobuf, and was called a; keep name=a`},
	{name: "number used again", old: "A string `json:\"a,omitempty\" protobuf:\"bytes,1,opt,name=a\"`", new: "B int64 `json:\"b,omitempty\" protobuf:\"varint,1,opt,name=b\"`", want: `Spec: the field a is gone (r/v1/types.go:14 in HEAD); keep it, and say in its comment that it is deprecated|Spec.B: the new field b has the protobuf number 1, which a had (r/v1/types.go:14 in HEAD); numbers are never used again: take the next that is free`},

	// What may be left out.
	{name: "became required", old: "// +optional\nA string `json:\"a\"`", new: "A string `json:\"a\"`", want: `Spec.A: it is required now; leave it optional, or require it in a new version`},
	{name: "became optional", old: "A string `json:\"a\"`", new: "A string `json:\"a,omitempty\"`"},
	{name: "no longer null", old: "// +nullable\nA string `json:\"a\"`", new: "A string `json:\"a\"`", want: `Spec.A: it may no longer be null; keep +nullable`},
	{name: "default changed", old: "// +default=1\nA int32 `json:\"a\"`", new: "// +default=2\nA int32 `json:\"a\"`", want: `Spec.A: the default is 2, and was 1; keep +default=1`},
	{name: "default gone", old: "// +default=1\nA int32 `json:\"a,omitempty\"`", new: "A int32 `json:\"a,omitempty\"`", want: `Spec.A: the default 1 is gone; keep +default=1`},
	{name: "default added", old: "A int32 `json:\"a,omitempty\"`", new: "// +default=1\nA int32 `json:\"a,omitempty\"`", want: `Spec.A: it has the default 1, and had none; a new default changes what objects without the field mean: set it in a new version`},
	{name: "default added to what was required", old: "A int32 `json:\"a\"`", new: "// +default=1\nA int32 `json:\"a\"`"},

	// Validation.
	{name: "maximum smaller", old: "// +kubebuilder:validation:Maximum=10\nA int32 `json:\"a\"`", new: "// +kubebuilder:validation:Maximum=9\nA int32 `json:\"a\"`", want: `Spec.A: maximum is 9, and was 10; what was valid must stay valid: keep 10`},
	{name: "maximum larger", old: "// +kubebuilder:validation:Maximum=10\nA int32 `json:\"a\"`", new: "// +k8s:maximum=11\nA int32 `json:\"a\"`"},
	{name: "maximum gone", old: "// +k8s:maximum=10\nA int32 `json:\"a\"`", new: "A int32 `json:\"a\"`"},
	{name: "minimum larger", old: "// +k8s:minimum=1\nA int32 `json:\"a\"`", new: "// +k8s:minimum=2\nA int32 `json:\"a\"`", want: `Spec.A: minimum is 2, and was 1; what was valid must stay valid: keep 1`},
	{name: "minimum new", old: "A int32 `json:\"a\"`", new: "// +k8s:minimum=2\nA int32 `json:\"a\"`", want: `Spec.A: it is restricted now: minimum 2; what was valid must stay valid: restrict it in a new version`},
	{name: "exclusive bound", old: "// +kubebuilder:validation:ExclusiveMaximum=false\nA int32 `json:\"a\"`", new: "// +kubebuilder:validation:ExclusiveMaximum=true\nA int32 `json:\"a\"`", want: `Spec.A: exclusiveMaximum is true, and was false; what was valid must stay valid: keep false`},
	{name: "multipleOf", old: "// +kubebuilder:validation:MultipleOf=2\nA int32 `json:\"a\"`", new: "// +kubebuilder:validation:MultipleOf=4\nA int32 `json:\"a\"`", want: `Spec.A: multipleOf is 4, and was 2; what was valid must stay valid: keep 2`},
	{name: "multipleOf looser", old: "// +kubebuilder:validation:MultipleOf=4\nA int32 `json:\"a\"`", new: "// +kubebuilder:validation:MultipleOf=2\nA int32 `json:\"a\"`"},
	{name: "maxLength smaller", old: "// +k8s:maxLength=10\nA string `json:\"a\"`", new: "// +k8s:maxLength=5\nA string `json:\"a\"`", want: `Spec.A: maxLength is 5, and was 10; what was valid must stay valid: keep 10`},
	{name: "limit of the type", old: "A Text `json:\"a\"`\n}\n\n// +k8s:maxLength=10\ntype Text string\n\ntype Other struct {", new: "A Text `json:\"a\"`\n}\n\n// +k8s:maxLength=8\ntype Text string\n\ntype Other struct {", want: `Spec.A: maxLength is 8, and was 10; what was valid must stay valid: keep 10`},
	{name: "limit of the items", old: "// +k8s:eachVal=+k8s:maxLength=10\nA []string `json:\"a\"`", new: "// +k8s:eachVal=+k8s:maxLength=9\nA []string `json:\"a\"`", want: `Spec.A: items.maxLength is 9, and was 10; what was valid must stay valid: keep 10`},
	{name: "minItems new", old: "A []string `json:\"a\"`", new: "// +kubebuilder:validation:MinItems=1\nA []string `json:\"a\"`", want: `Spec.A: it is restricted now: minItems 1; what was valid must stay valid: restrict it in a new version`},
	{name: "pattern new", old: "A string `json:\"a\"`", new: "// +kubebuilder:validation:Pattern=`^[a-z]+$`\nA string `json:\"a\"`", want: `Spec.A: it is restricted now: pattern ^[a-z]+$; what was valid must stay valid: restrict it in a new version`},
	{name: "pattern changed", old: "// +kubebuilder:validation:Pattern=`a`\nA string `json:\"a\"`", new: "// +kubebuilder:validation:Pattern=`b`\nA string `json:\"a\"`", want: `Spec.A: pattern is b, and was a; what was valid must stay valid: keep a`},
	{name: "format new", old: "A string `json:\"a\"`", new: "// +k8s:format=k8s-short-name\nA string `json:\"a\"`", want: `Spec.A: it is restricted now: format k8s-short-name; what was valid must stay valid: restrict it in a new version`},
	{name: "immutable new", old: "A string `json:\"a\"`", new: "// +k8s:immutable\nA string `json:\"a\"`", want: `Spec.A: it is restricted now: immutable; what was valid must stay valid: restrict it in a new version`},
	{name: "rule new", old: "A string `json:\"a\"`", new: "// +kubebuilder:validation:XValidation:rule=\"self != ''\",message=\"no\"\nA string `json:\"a\"`", want: `Spec.A: it has a new rule: self != ''; what was valid must stay valid: leave it out, or let it hold for changed values only`},
	{name: "value removed from an enum", old: "// +kubebuilder:validation:Enum=A;B\nA string `json:\"a\"`", new: "// +kubebuilder:validation:Enum=A;C\nA string `json:\"a\"`", want: `Spec.A: the value "B" is no longer allowed; keep it, and say in its comment that it is deprecated`},
	{name: "value added to an enum", old: "// +kubebuilder:validation:Enum=A;B\nA string `json:\"a\"`", new: "// +kubebuilder:validation:Enum=A;B;C\nA string `json:\"a\"`"},
	{name: "set closed", old: "A string `json:\"a\"`", new: "// +kubebuilder:validation:Enum=A;B\nA string `json:\"a\"`", want: `Spec.A: only "A", "B" are allowed now; what was valid must stay valid: close the set in a new version`},
	{name: "constant removed", old: "A Color `json:\"a\"`\n}\n\n// +enum\ntype Color string\n\nconst (\nRed Color = \"Red\"\nBlue Color = \"Blue\"\n)\n\ntype Other struct {", new: "A Color `json:\"a\"`\n}\n\n// +enum\ntype Color string\n\nconst Red Color = \"Red\"\n\ntype Other struct {", want: `Spec.A: the value "Blue" is no longer allowed; keep it, and say in its comment that it is deprecated`},
	{name: "set opened", old: "// +kubebuilder:validation:Enum=A;B\nA string `json:\"a\"`", new: "A string `json:\"a\"`"},
	{name: "rule on trial", old: "A string `json:\"a\"`", new: "// +k8s:alpha(since: \"1.37\")=+k8s:maxLength=5\nA string `json:\"a\"`"},
	{name: "rule no longer on trial", old: "// +k8s:alpha(since: \"1.37\")=+k8s:maxLength=5\nA string `json:\"a\"`", new: "// +k8s:maxLength=5\nA string `json:\"a\"`", want: `Spec.A: it is restricted now: maxLength 5; what was valid must stay valid: restrict it in a new version`},
	{name: "rule back on trial", old: "// +k8s:maxLength=5\nA string `json:\"a\"`", new: "// +k8s:alpha(since: \"1.37\")=+k8s:maxLength=5\nA string `json:\"a\"`"},
	{name: "rule under a condition new", old: "A string `json:\"a\"`", new: "// +k8s:ifEnabled(Strict)=+k8s:maxLength=5\nA string `json:\"a\"`", want: `Spec.A: for ifEnabled(Strict), it is restricted now: maxLength 5; what was valid must stay valid: restrict it in a new version`},
	{name: "rule under a condition smaller", old: "// +k8s:ifEnabled(Strict)=+k8s:maxLength=5\nA string `json:\"a\"`", new: "// +k8s:ifEnabled(Strict)=+k8s:maxLength=4\nA string `json:\"a\"`", want: `Spec.A: for ifEnabled(Strict), maxLength is 4, and was 5; what was valid must stay valid: keep 5`},
	{name: "rule under a condition only", old: "// +k8s:maxLength=5\nA string `json:\"a\"`", new: "// +k8s:ifEnabled(Strict)=+k8s:maxLength=5\nA string `json:\"a\"`"},
	{name: "rule under no condition any more", old: "// +k8s:ifEnabled(Strict)=+k8s:maxLength=5\nA string `json:\"a\"`", new: "// +k8s:maxLength=5\nA string `json:\"a\"`", want: `Spec.A: it is restricted now: maxLength 5; what was valid must stay valid: restrict it in a new version`},
	{name: "forbidden in a mode", old: "A string `json:\"a\"`", new: "// +k8s:ifMode(\"Off\")=+k8s:forbidden\nA string `json:\"a\"`", want: `Spec.A: for ifMode("Off"), it is restricted now: forbidden; what was valid must stay valid: restrict it in a new version`},
	{name: "subfield required", old: "A In `json:\"a\"`\n}\n\ntype In struct {\nB string `json:\"b,omitempty\"`", new: "// +k8s:subfield(b)=+k8s:required\nA In `json:\"a\"`\n}\n\ntype In struct {\nB string `json:\"b,omitempty\"`", want: `Spec.A: for subfield(b), it is restricted now: required; what was valid must stay valid: restrict it in a new version`},
	{name: "rule on an item smaller", old: "// +k8s:item(b: \"x\")=+k8s:subfield(c)=+k8s:maxLength=9\nA []In `json:\"a\"`\n}\n\ntype In struct {\nB string `json:\"b,omitempty\"`", new: "// +k8s:item(b: \"x\")=+k8s:subfield(c)=+k8s:maxLength=8\nA []In `json:\"a\"`\n}\n\ntype In struct {\nB string `json:\"b,omitempty\"`", want: `Spec.A: for item(b: "x") subfield(c), maxLength is 8, and was 9; what was valid must stay valid: keep 9`},
	{name: "rule on another item", old: "// +k8s:item(b: \"x\")=+k8s:immutable\nA []In `json:\"a\"`\n}\n\ntype In struct {\nB string `json:\"b,omitempty\"`", new: "// +k8s:item(b: \"y\")=+k8s:immutable\nA []In `json:\"a\"`\n}\n\ntype In struct {\nB string `json:\"b,omitempty\"`", want: `Spec.A: for item(b: "y"), it is restricted now: immutable; what was valid must stay valid: restrict it in a new version`},

	// Merging.
	{name: "list type changed", old: "// +listType=set\nA []string `json:\"a\"`", new: "// +listType=atomic\nA []string `json:\"a\"`", want: `Spec.A: the list is of type atomic now; before, set; keep +listType as it was`},
	{name: "list type said", old: "A []string `json:\"a\"`", new: "// +listType=atomic\nA []string `json:\"a\"`"},
	{name: "list keys changed", old: "// +listType=map\n// +listMapKey=b\nA []In `json:\"a\"`\n}\n\ntype In struct {\nB string `json:\"b\"`\nC string `json:\"c\"`", new: "// +listType=map\n// +listMapKey=b\n// +listMapKey=c\nA []In `json:\"a\"`\n}\n\ntype In struct {\nB string `json:\"b\"`\nC string `json:\"c\"`", want: `Spec.A: its items are told apart by b, c now; before, b; keep +listMapKey as it was`},
	{name: "map type changed", old: "A map[string]string `json:\"a\"`", new: "// +mapType=atomic\nA map[string]string `json:\"a\"`", want: `Spec.A: it merges as atomic now; before, granular; keep +mapType as it was`},
	{name: "patch strategy changed", old: "A []string `json:\"a\" patchStrategy:\"merge\"`", new: "A []string `json:\"a\"`", want: `Spec.A: patches treat it by replace now; before, merge; keep +patchStrategy as it was`},
	{name: "struct became atomic", old: "A In `json:\"a\"`\n}\n\ntype In struct {", new: "A In `json:\"a\"`\n}\n\n// +structType=atomic\ntype In struct {", want: `In: what is applied to it replaces it as a whole now, and was merged into it; keep +structType as it was`},

	// Resources.
	{name: "scope changed", newMarkers: "// +kubebuilder:resource:scope=Cluster", want: `Kind: the scope is Cluster, and was Namespaced; the scope of a kind can't change: make a new kind`},
	{name: "plural changed", newMarkers: "// +kubebuilder:resource:path=kindz", want: `Kind: the resource is called kindz, and was called kinds; say +kubebuilder:resource:path=kinds`},
	{name: "plural said", newMarkers: "// +kubebuilder:resource:path=kinds"},
	{name: "short name gone", oldMarkers: "// +kubebuilder:resource:shortName=k;kk", newMarkers: "// +kubebuilder:resource:shortName=k", want: `Kind: the short name kk is gone; keep it among shortName=`},
	{name: "no longer served", newMarkers: "// +kubebuilder:unservedversion", want: `Kind: the version is no longer served; take +kubebuilder:unservedversion away`},
	{name: "served now", oldMarkers: "// +kubebuilder:unservedversion"},
	{name: "status subresource gone", oldMarkers: "// +kubebuilder:subresource:status", want: `Kind: the status subresource is gone; keep +kubebuilder:subresource:status`},
	{name: "status subresource new", newMarkers: "// +kubebuilder:subresource:status", want: `Kind: the status has become a subresource: whoever writes it with the object no longer does; make it one in a new version`},
	{name: "scale subresource gone", oldMarkers: "// +kubebuilder:subresource:scale:specpath=.spec.a,statuspath=.spec.a", want: `Kind: the scale subresource is gone; keep +kubebuilder:subresource:scale`},
	{name: "subresource gone", oldMarkers: "// +typeplane:subresource:name=restart", want: `Kind: the subresource restart is gone; keep +typeplane:subresource:name=restart`},
	{name: "field no longer selectable", oldMarkers: "// +kubebuilder:selectablefield:JSONPath=.spec.a", want: `Kind: field selectors can no longer name spec.a; keep the tag, or say +typeplane:selectablefield:name=spec.a with the path that it has now`},
	{name: "field renamed for selectors", oldMarkers: "// +typeplane:selectablefield:name=spec.b,JSONPath=.spec.a", newMarkers: "// +typeplane:selectablefield:name=spec.c,JSONPath=.spec.a", want: `Kind: field selectors can no longer name spec.b; keep the tag, or say +typeplane:selectablefield:name=spec.b with the path that it has now`},
	{name: "field selectable by its old name", oldMarkers: "// +kubebuilder:selectablefield:JSONPath=.spec.a", newMarkers: "// +typeplane:selectablefield:name=spec.a,JSONPath=.spec.b"},
	{name: "column gone", oldMarkers: "// +kubebuilder:printcolumn:name=A,type=string,JSONPath=.spec.a"},
	{name: "kind is none now", newMarkers: "// +kubebuilder:skipversion", want: `r%d.example.com/v1: the version is gone (r/v1/types.go:2 in HEAD); keep serving it for as long as clients may use it`},
}

func types(i int, markers, fields string) string {
	return fmt.Sprintf(`// +groupName=r%d.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

%s
type Kind struct {
	metav1.TypeMeta   `+"`json:\",inline\"`"+`
	metav1.ObjectMeta `+"`json:\"metadata\"`"+`
	Spec              Spec `+"`json:\"spec\"`"+`
}

type Spec struct {
%s
}

var _ metav1.Time
`, i, markers, fields)
}

// TestRules makes all changes in one commit, and looks what is said about each.
func TestRules(t *testing.T) {
	t.Parallel()
	var old, now txtar.Archive
	for i, r := range rules {
		name := fmt.Sprintf("r%d/v1/types.go", i)
		old.Files = append(old.Files, txtar.File{Name: name, Data: []byte(types(i, r.oldMarkers, r.old))})
		now.Files = append(now.Files, txtar.File{Name: name, Data: []byte(types(i, r.newMarkers, r.new))})
	}
	dir := repository(t, &old)
	write(t, dir, &now)
	got := map[string][]string{}
	for _, p := range check(t, dir, "HEAD").Problems {
		where := p.Pos.Filename
		p.Pos.Filename = ""
		if where == "" { // a version that is gone has no place any more
			where = strings.Replace(p.Path, ".example.com/v1", "/v1/types.go", 1)
		}
		text := p.String()
		if p.Pos.IsValid() {
			_, text, _ = strings.Cut(text, ": ")
		}
		got[where] = append(got[where], strings.ReplaceAll(text, where+":", "r/v1/types.go:"))
	}
	for i, r := range rules {
		want := r.want
		if strings.Contains(want, "%d") {
			want = fmt.Sprintf(want, i)
		}
		if diff := cmp.Diff(want, strings.Join(got[fmt.Sprintf("r%d/v1/types.go", i)], "|")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", r.name, diff)
		}
	}
}

func check(t *testing.T, dir, ref string) breaking.Result {
	t.Helper()
	result, err := breaking.Check(breaking.Config{Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Invalid) > 0 {
		t.Fatal(result.Invalid)
	}
	return result
}

// repository is a module whose files are committed.
func repository(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	dir := gentest.Module(t, a)
	git(t, dir, "init", "--quiet")
	commit(t, dir)
	return dir
}

func commit(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "add", "--all")
	git(t, dir, "-c", "user.name=tester", "-c", "user.email=tester@example.com", "commit", "--quiet", "--message=state")
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func write(t *testing.T, dir string, a *txtar.Archive) {
	t.Helper()
	for _, f := range a.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
