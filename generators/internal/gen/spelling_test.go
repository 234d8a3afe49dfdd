package gen

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/load"

	"golang.org/x/tools/txtar"
)

// spelling is a marker where few look for it, or written as few think of.
type spelling struct {
	want effect
	name string
	// mark stands for MARK in what follows: doc.go, the head of types.go, the comment of a kind,
	// the fields of its spec, and what else there is.
	mark                        string
	doc, file, kind, spec, rest string
}

var spellings = []spelling{
	{want: warned, name: "third block above a kind", mark: "+kubebuilder:resource:scope=Cluster", kind: "// MARK\n\n// between\n\n// Thing is.\n"},
	{want: acts, name: "second block above a kind, two blanks", mark: "+kubebuilder:resource:scope=Cluster", kind: "// MARK\n\n\n// Thing is.\n"},
	{want: acts, name: "block comment", mark: "+kubebuilder:resource:scope=Cluster", kind: "/*\nMARK\n*/\n"},
	{want: warned, name: "third block above a field", mark: "+kubebuilder:validation:Minimum=1", spec: "\tB int `json:\"b\"`\n\n\t// MARK\n\n\t// between\n\n\t// A is.\n\tA int `json:\"a\"`\n"},
	{want: warned, name: "in an empty struct", mark: "+kubebuilder:validation:Minimum=1", spec: "\tA E `json:\"a\"`\n", rest: "type E struct {\n\t// MARK\n}\n"},
	{want: acts, name: "no blank", mark: "+kubebuilder:validation:Minimum=1", spec: "\t//MARK\n\tA int `json:\"a\"`\n"},
	{want: acts, name: "tab", mark: "+kubebuilder:validation:Minimum=1", spec: "\t//\tMARK\n\tA int `json:\"a\"`\n"},
	{want: acts, name: "nbsp", mark: "+kubebuilder:validation:Minimum=1", spec: "\t//\u00a0MARK\n\tA int `json:\"a\"`\n"},
	{want: acts, name: "nbsp behind", mark: "+kubebuilder:validation:Minimum=1\u00a0", spec: "\t// MARK\n\tA int `json:\"a\"`\n"},
	{want: acts, name: "zero width space", mark: "+kubebuilder:validation:Minimum=1", spec: "\t// \u200bMARK\n\tA int `json:\"a\"`\n"},
	{want: refused, name: "blank behind the plus", mark: "+ kubebuilder:validation:Minimum=1", spec: "\t// MARK\n\tA int `json:\"a\"`\n"},
	{want: refused, name: "blank behind the plus, plain", mark: "+ optional", spec: "\t// MARK\n\tA int `json:\"a\"`\n"},
	{want: refused, name: "two plus signs", mark: "++kubebuilder:validation:Minimum=1", spec: "\t// MARK\n\tA int `json:\"a\"`\n"},
	{want: refused, name: "blanks around =", mark: "+kubebuilder:validation:Minimum = 1", spec: "\t// MARK\n\tA int `json:\"a\"`\n"},
	{want: refused, name: "capital plain", mark: "+Optional", spec: "\t// MARK\n\tA int `json:\"a\"`\n"},
	{want: refused, name: "capital family", mark: "+Kubebuilder:Validation:Minimum=1", spec: "\t// MARK\n\tA int `json:\"a\"`\n"},
	{want: refused, name: "two in a line", mark: "+kubebuilder:validation:Minimum=1 +kubebuilder:validation:Maximum=4", spec: "\t// MARK\n\tA int `json:\"a\"`\n"},
	{want: refused, name: "two in a line, plain", mark: "+optional +nullable", spec: "\t// MARK\n\tA *int `json:\"a\"`\n"},
	{want: refused, name: "several lines raw", mark: "+kubebuilder:validation:XValidation:rule=`self > 1 ||\n\t// self < -1`", spec: "\t// MARK\n\tA int `json:\"a\"`\n"},
	{want: refused, name: "trailing behind {", mark: "+kubebuilder:validation:MinProperties=1", spec: "\tA T `json:\"a\"`\n", rest: "type T struct { // MARK\n\tB int `json:\"b\"`\n}\n"},
	{want: warned, name: "below a type", mark: "+kubebuilder:validation:Minimum=1", spec: "\tA T `json:\"a\"`\n", rest: "type T int\n// MARK\n"},
	{want: warned, name: "group, above type (", mark: "+kubebuilder:validation:Minimum=1", spec: "\tA T `json:\"a\"`\n", rest: "// MARK\ntype (\n\tT int\n)\n"},
	{want: warned, name: "group, block apart above type (", mark: "+kubebuilder:validation:Minimum=1", spec: "\tA T `json:\"a\"`\n", rest: "// MARK\n\n// Group.\ntype (\n\t// T is.\n\tT int\n\tU int\n)\n"},
	{want: acts, name: "group, inside apart", mark: "+kubebuilder:validation:Minimum=1", spec: "\tA T `json:\"a\"`\n", rest: "type (\n\t// MARK\n\n\t// T is.\n\tT int\n)\n"},
	{want: warned, name: "group, third block inside", mark: "+kubebuilder:validation:Minimum=1", spec: "\tA T `json:\"a\"`\n", rest: "type (\n\tU int\n\n\t// MARK\n\n\t// x\n\n\t// T is.\n\tT int\n)\n"},
	{want: warned, name: "group, at its end", mark: "+kubebuilder:validation:Minimum=1", spec: "\tA T `json:\"a\"`\n", rest: "type (\n\tT int\n\t// MARK\n)\n"},
	{want: warned, name: "enum on const block", mark: "+enum", spec: "\tA T `json:\"a\"`\n", rest: "type T string\n\n// MARK\nconst (\n\tX T = \"x\"\n)\n"},
	{want: warned, name: "exclude apart", mark: "+k8s:enumExclude", spec: "\tA T `json:\"a\"`\n", rest: "// +k8s:enum\ntype T string\n\n// MARK\n\n// X is.\nconst X T = \"x\"\nconst Y T = \"y\"\n"},
	{want: acts, name: "exclude of two names", mark: "+k8s:enumExclude", spec: "\tA T `json:\"a\"`\n", rest: "// +k8s:enum\ntype T string\n\nconst (\n\t// MARK\n\tX, Z T = \"x\", \"z\"\n\tY T = \"y\"\n)\n"},
	{want: acts, name: "above import", mark: "+kubebuilder:validation:Optional", file: "package v1\n\n// MARK\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n", spec: "\tA T `json:\"a\"`\n", rest: "type T string\n"},
	{want: acts, name: "above package with build tag", mark: "+kubebuilder:validation:Optional", file: "//go:build !never\n\n// MARK\n\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n", spec: "\tA T `json:\"a\"`\n", rest: "type T string\n"},
	{want: acts, name: "below the package clause", mark: "+kubebuilder:validation:Optional", file: "package v1\n\n// MARK\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n", spec: "\tA T `json:\"a\"`\n", rest: "type T string\n"},
	{want: acts, name: "at the end of the file", mark: "+kubebuilder:validation:Optional", spec: "\tA T `json:\"a\"`\n", rest: "type T string\n\n// MARK\n"},
	{want: acts, name: "doc behind the clause", mark: "+kubebuilder:validation:Optional", doc: "// +groupName=CELL.example.com\npackage v1 // MARK\n", spec: "\tA T `json:\"a\"`\n", rest: "type T string\n"},
	{want: acts, name: "doc as block", mark: "+kubebuilder:validation:Optional", doc: "/*\nPackage v1 is.\n\nMARK\n+groupName=CELL.example.com\n*/\npackage v1\n", spec: "\tA T `json:\"a\"`\n", rest: "type T string\n"},
	{want: acts, name: "in an embedded instance", mark: "+kubebuilder:validation:Minimum=1", spec: "\tT[int] `json:\",inline\"`\n", rest: "type T[A any] struct {\n\t// MARK\n\tB int `json:\"b\"`\n\tC A `json:\"c\"`\n}\n"},
	{want: acts, name: "above a generic list", mark: "+kubebuilder:validation:MinItems=1", spec: "\tA T[int] `json:\"a\"`\n", rest: "// MARK\ntype T[A any] []A\n"},
	{want: acts, name: "named of generic", mark: "+kubebuilder:validation:MinItems=1", spec: "\tA U `json:\"a\"`\n", rest: "// MARK\ntype T[A any] []A\n\ntype U T[int]\n"},
	{want: acts, name: "alias of named", mark: "+kubebuilder:validation:Minimum=1", spec: "\tA U `json:\"a\"`\n", rest: "// MARK\ntype T int\n\ntype U = T\n"},
	{want: refused, name: "on an alias", mark: "+kubebuilder:validation:Minimum=1", spec: "\tA U `json:\"a\"`\n", rest: "type T int\n\n// MARK\ntype U = T\n"},
	{want: refused, name: "on an alias of a basic type", mark: "+kubebuilder:validation:Minimum=1", spec: "\tA U `json:\"a\"`\n", rest: "// MARK\ntype U = int\n"},
	{want: acts, name: "on a pointer of named of list", mark: "+kubebuilder:validation:Minimum=1", spec: "\tA *[]*T `json:\"a,omitempty\"`\n", rest: "// MARK\ntype T int\n"},
	{want: refused, name: "second default", mark: "+default=2", spec: "\t// +default=1\n\t// MARK\n\tA int `json:\"a,omitempty\"`\n"},
	{want: refused, name: "second scope", mark: "+kubebuilder:resource:scope=Cluster", kind: "// +kubebuilder:resource:scope=Namespaced\n// MARK\n"},
	{want: acts, name: "quoted with comma", mark: "+kubebuilder:printcolumn:name=\"a, b\",type=string,JSONPath=\".spec.a\"", kind: "// MARK\n", spec: "\tA string `json:\"a\"`\n"},
	{want: warned, name: "on an interface method", mark: "+optional", spec: "\tA int `json:\"a\"`\n", rest: "type I interface {\n\t// MARK\n\tM()\n}\n"},
	{want: refused, name: "on an unexported field", mark: "+kubebuilder:validation:Minimum=1", spec: "\t// MARK\n\ta int\n"},
	{want: acts, name: "CRLF raw", mark: "+kubebuilder:validation:Pattern=`^a$`", spec: "\t// MARK\r\n\tA string `json:\"a\"`\r\n"},
	{want: acts, name: "CRLF in block", mark: "+kubebuilder:validation:Minimum=1", spec: "\t/*\r\n\tMARK\r\n\t*/\r\n\tA int `json:\"a\"`\r\n"},
	{want: acts, name: "BOM", mark: "+kubebuilder:validation:Optional", doc: "\ufeff// MARK\n// +groupName=CELL.example.com\npackage v1\n", spec: "\tA int `json:\"a\"`\n"},
	{want: acts, name: "nolint below", mark: "+kubebuilder:validation:Minimum=1", spec: "\t// MARK\n\t//nolint:all\n\tA int `json:\"a\"`\n"},
	{want: warned, name: "two kinds between", mark: "+kubebuilder:resource:scope=Cluster", kind: "// MARK\n\ntype Z int\n\n"},
}

const spelledKind = `type Thing struct {
	metav1.TypeMeta   ~json:",inline"~
	metav1.ObjectMeta ~json:"metadata,omitempty"~

	Spec ThingSpec ~json:"spec"~
}

type ThingList struct {
	metav1.TypeMeta ~json:",inline"~
	metav1.ListMeta ~json:"metadata,omitempty"~

	Items []Thing ~json:"items"~
}

`

// folder is a server of a kind with a marker, or without.
func (s spelling) folder(id, mark string) *folder {
	put := func(text string) []byte { return []byte(strings.ReplaceAll(text, "MARK", mark)) }
	doc, head := s.doc, s.file
	if doc == "" {
		doc = "// +groupName=CELL.example.com\npackage v1\n"
	}
	if head == "" {
		head = "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n"
	}
	types := head + "\n" + s.kind + strings.ReplaceAll(spelledKind, "~", "`") + "type ThingSpec struct {\n" + s.spec + "}\n\n" + s.rest
	return &folder{id: id, files: []txtar.File{
		{Name: "main.go", Data: []byte("// +typeplane:apiserver\npackage main\n\nfunc main() {}\n")},
		{Name: "v1/doc.go", Data: put(doc)},
		{Name: "v1/types.go", Data: put(types)},
	}}
}

// description is what a schema repeats of a comment, also of a marker that is taken for prose.
var description = regexp.MustCompile(`"description": "(\\.|[^"\\])*",?`)

// TestSpellings compares what is printed for a kind with a marker and without it: no marker is lost
// in silence, wherever it stands and however it is written.
func TestSpellings(t *testing.T) {
	var folders []*folder
	for i, s := range spellings {
		folders = append(folders, s.folder(fmt.Sprintf("w%04d", i), s.mark), s.folder(fmt.Sprintf("o%04d", i), ""))
	}
	runFolders(t, new(load.Shared), folders, plugins())
	for i, s := range spellings {
		with, without := folders[2*i], folders[2*i+1]
		for _, f := range []*folder{with, without} {
			for name, text := range f.printed {
				f.printed[name] = description.ReplaceAllString(text, "")
			}
		}
		got := silent
		switch {
		case without.problems != nil:
			t.Fatalf("%s, without it: %v", s.name, without.problems)
		case with.problems != nil:
			got = refused
		case len(with.warnings) > len(without.warnings):
			got = warned
		case !same(with, without):
			got = acts
		}
		if got != s.want {
			t.Errorf("%s: %s, want %s: %s\n%v", s.name, got, s.want, s.mark, told(with))
		}
	}
}
