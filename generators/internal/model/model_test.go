package model_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/model"
)

const layouts = `
-- v1/doc.go --
// Package v1 is a version.
// +groupName=example.com
// +versionName=v1beta1
package v1
-- v1/types.go --
package v1

// A comment that belongs to nothing.

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=wi;wid

// Widget is in the layout of kubebuilder.
// +kubebuilder:subresource:status
type Widget struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `

	// +kubebuilder:validation:Minimum:=400

	// Size has its marker apart.
	// +optional
	Size int ` + "`json:\"size,omitempty\"`" + `
	Free int // +optional
	Last int
}

// +far


// +near=a
// +near=b=c
type Far struct{}
`

func read(t *testing.T) (*model.Model, *model.Package) {
	t.Helper()
	report := &diag.Report{}
	set, err := load.Load(load.Config{Dir: gentest.Module(t, txtar.Parse([]byte(layouts))), Env: gentest.Env(), Patterns: []string{"./..."}, Report: report})
	if err != nil || len(report.Problems()) > 0 {
		t.Fatal(err, report.Problems())
	}
	return model.New(set), set.Packages[0]
}

func text(markers model.Markers) string {
	var out []string
	for mk := range markers.All() {
		out = append(out, mk.Text)
	}
	return strings.Join(out, " ")
}

func TestMarkers(t *testing.T) {
	m, pkg := read(t)
	widget, far := pkg.Types.Types["Widget"], pkg.Types.Types["Far"]
	for _, tc := range []struct {
		of   string
		got  model.Markers
		want string
	}{
		{"package", m.OfPackage(pkg), "+groupName=example.com +versionName=v1beta1"},
		{"type", m.OfType(widget), "+kubebuilder:object:root=true +kubebuilder:resource:scope=Cluster,shortName=wi;wid +kubebuilder:subresource:status"},
		{"field", m.OfField(widget, "Size"), "+kubebuilder:validation:Minimum=400 +optional"},
		{"comment behind a field", m.OfField(widget, "Free"), ""},
		{"comment behind the field before", m.OfField(widget, "Last"), ""},
		{"two blank lines", m.OfType(far), "+far +near=a +near=b=c"},
	} {
		if got := text(tc.got); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.of, got, tc.want)
		}
	}
	if group, version, ok := m.GroupVersion(pkg); group != "example.com" || version != "v1beta1" || !ok {
		t.Errorf("%s/%s %v", group, version, ok)
	}
	if got := m.OfType(far).Values("near"); fmt.Sprint(got) != "[a b=c]" {
		t.Errorf("values %q", got)
	}
	if got, err := m.OfType(widget).Arguments("kubebuilder:resource"); err != nil || fmt.Sprint(got) != "[[{scope Cluster} {shortName wi;wid}]]" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestClaims(t *testing.T) {
	m, pkg := read(t)
	far := pkg.Types.Types["Far"]
	m.Reading("one")
	m.OfType(far).Has("near")
	m.Reading("two")
	m.OfType(far).Last("near")
	var got []string
	for _, o := range m.Occurrences(pkg) {
		if o.Path == "Far" {
			got = append(got, o.Text+" "+strings.Join(o.Readers(), ","))
		}
	}
	if want := "+far |+near=a one,two|+near=b=c one,two"; strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}

func TestJSON(t *testing.T) {
	str, inner := types.String, &types.Type{Name: types.Name{Package: "p", Name: "Inner"}, Kind: types.Struct}
	for _, tc := range []struct {
		member types.Member
		name   string
		inline bool
	}{
		{types.Member{Name: "A", Type: str, Tags: `json:"a,omitempty"`}, "a", false},
		{types.Member{Name: "A", Type: str}, "A", false},
		{types.Member{Name: "a", Type: str}, "", false},
		{types.Member{Name: "A", Type: str, Tags: `json:"-"`}, "", false},
		{types.Member{Name: "A", Type: str, Tags: `json:"-,"`}, "-", false},
		{types.Member{Name: "A", Type: str, Tags: `json:"a,b\"c"`}, "a", false},
		{types.Member{Name: "A", Type: str, Tags: `json:"\"bad"`}, "A", false},
		{types.Member{Name: "Inner", Embedded: true, Type: inner}, "", true},
		{types.Member{Name: "Inner", Embedded: true, Type: types.PointerTo(inner), Tags: `json:",inline"`}, "", true},
		{types.Member{Name: "Inner", Embedded: true, Type: inner, Tags: `json:"inner"`}, "inner", false},
		{types.Member{Name: "Inner", Type: inner, Tags: `json:",inline"`}, "Inner", false},
		{types.Member{Name: "inner", Embedded: true, Type: inner}, "", true},
		{types.Member{Name: "text", Embedded: true, Type: str, Tags: `json:"text"`}, "", false},
	} {
		name, inline := model.JSONName(tc.member), model.Inlined(tc.member) != nil
		if name != tc.name || inline != tc.inline {
			t.Errorf("%s `%s`: %q, inline %v", tc.member.Name, tc.member.Tags, name, inline)
		}
	}
}
