package tag_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/tag"

	"github.com/google/go-cmp/cmp"
)

func TestValues(t *testing.T) {
	lines := []string{
		"Book is a kind.", "+groupName=a.b", "  +k8s:deepcopy-gen=package,register", "+optional",
		"+k8s:ifEnabled(Gate)=+k8s:maximum=5", "+optionally=x", "+groupName=", `+default={"a": "b=c"} `,
	}
	for name, want := range map[string][]string{
		"groupName":        {"a.b", ""},
		"k8s:deepcopy-gen": {"package,register"},
		"optional":         {""},
		"k8s:ifEnabled":    {"+k8s:maximum=5"},
		"default":          {`{"a": "b=c"}`},
		"k8s:maximum":      nil,
	} {
		if diff := cmp.Diff(want, tag.Values(lines, name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if value, ok := tag.Last(lines, "groupName"); value != "" || !ok {
		t.Errorf("last groupName: %q, %v", value, ok)
	}
}

func TestArguments(t *testing.T) {
	for _, tc := range []struct {
		line string
		want []tag.Argument
		bad  bool
	}{
		{line: "+k:column", want: nil},
		{line: "+k:column=5", want: []tag.Argument{{Value: "5"}}},
		{line: `+k:column:name="A, B",type=date,path=` + "`.a[?(@.x==\"y\")]`", want: []tag.Argument{
			{Key: "name", Value: "A, B"}, {Key: "type", Value: "date"}, {Key: "path", Value: `.a[?(@.x=="y")]`},
		}},
		{line: "+k:column:names={a,b},short=x;y,flag", want: []tag.Argument{
			{Key: "names", Value: "{a,b}"}, {Key: "short", Value: "x;y"}, {Key: "flag"},
		}},
		{line: `+k:column:name="open`, bad: true},
		{line: "+k:column:=x", bad: true},
	} {
		got, err := tag.Arguments([]string{"text", tc.line, "+k:columns=1"}, "k:column")
		if tc.bad {
			if err == nil {
				t.Errorf("%s: no error, got %v", tc.line, got)
			}
			continue
		}
		if diff := cmp.Diff([][]tag.Argument{tc.want}, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tc.line, err, diff)
		}
	}
}

func TestList(t *testing.T) {
	for value, want := range map[string][]string{
		"a;b": {"a", "b"}, "{a,b}": {"a", "b"}, `{"a,b",c}`: {"a,b", "c"}, "a": {"a"}, "": nil, "{}": nil,
	} {
		if diff := cmp.Diff(want, tag.List(value)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
	}
}

func TestCheck(t *testing.T) {
	table := tag.NewTable([]tag.Definition{{Name: "typeplane:apiserver", Scope: tag.Package}})
	for _, tc := range []struct {
		line          string
		at            tag.Scope
		message, cure string
	}{
		{line: "no tag", at: tag.Type},
		{line: "+ plus", at: tag.Type},
		{line: "+othertool:x", at: tag.Type},
		{line: "+optional", at: tag.Type},
		{line: "+typeplane:apiserver", at: tag.Package},
		{line: "+kubebuilder:printcolumn:name=a,JSONPath=.b", at: tag.Type},
		{line: "+k8s:validation:cel[0]:rule>self", at: tag.Field},
		{line: "+k8s:openapi-gen=x-kubernetes-a:b", at: tag.Field},
		{line: "+k8s:deepcopy-gen=true", at: tag.Anywhere},
		{"+k8s:deepcopygen=true", tag.Type, "+k8s:deepcopygen is not a tag", "did you mean +k8s:deepcopy-gen?"},
		{"+typeplane:apiservr", tag.Package, "+typeplane:apiservr is not a tag", "did you mean +typeplane:apiserver?"},
		{"+k8s:zzzzzzzzzzzzzzzzzzzzzz", tag.Type, "+k8s:zzzzzzzzzzzzzzzzzzzzzz is not a tag", ""},
		{"+typeplane:apiserver", tag.Type, "+typeplane:apiserver has no effect on a type", "it belongs on a package"},
		{"+k8s:subfield(a)=+k8s:optional", tag.Func, "+k8s:subfield has no effect on a function", "it belongs on a type or field"},
	} {
		if message, cure := table.Check(tc.line, tc.at); message != tc.message || cure != tc.cure {
			t.Errorf("%s on a %s: got %q, %q; want %q, %q", tc.line, tc.at, message, cure, tc.message, tc.cure)
		}
	}
}

func TestTableIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range tag.Common {
		if d.Doc == "" || seen[d.Name] {
			t.Errorf("%s: is there twice or has no description", d.Name)
		}
		seen[d.Name] = true
	}
}
