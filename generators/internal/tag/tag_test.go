package tag_test

import (
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/tag"

	"github.com/google/go-cmp/cmp"
)

func TestArguments(t *testing.T) {
	for _, tc := range []struct {
		line string
		want []tag.Argument
		bad  bool
	}{
		{line: "", want: nil},
		{line: "=5", want: []tag.Argument{{Value: "5"}}},
		{line: `:name="A, B",type=date,path=` + "`.a[?(@.x==\"y\")]`", want: []tag.Argument{
			{Key: "name", Value: "A, B"}, {Key: "type", Value: "date"}, {Key: "path", Value: `.a[?(@.x=="y")]`},
		}},
		{line: ":names={a,b},short=x;y,flag", want: []tag.Argument{
			{Key: "names", Value: "{a,b}"}, {Key: "short", Value: "x;y"}, {Key: "flag"},
		}},
		{line: `:short="x";"y",path="p;q",rule="self != \"a;b\"",text="\u00e4\\d"`, want: []tag.Argument{
			{Key: "short", Value: `"x";"y"`}, {Key: "path", Value: "p;q"}, {Key: "rule", Value: `self != "a;b"`}, {Key: "text", Value: `ä\d`},
		}},
		{line: `:text="\d",short=` + "`x`;`y`", want: []tag.Argument{{Key: "text", Value: `\d`}, {Key: "short", Value: "`x`;`y`"}}},
		{line: `:name="open`, bad: true},
		{line: ":=x", bad: true},
	} {
		got, err := tag.ParseArguments(tc.line)
		if tc.bad {
			if err == nil {
				t.Errorf("%s: no error, got %v", tc.line, got)
			}
			continue
		}
		if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tc.line, err, diff)
		}
	}
}

func TestList(t *testing.T) {
	for value, want := range map[string][]string{
		"a;b": {"a", "b"}, "{a,b}": {"a", "b"}, `{"a,b",c}`: {"a,b", "c"}, "a": {"a"}, "": nil, "{}": nil,
		`"a";"b;c"`: {"a", "b;c"}, "`a`;`b`": {"a", "b"},
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
		{line: "+options", at: tag.Field},
		{line: "+optinal", at: tag.Anywhere},
		{line: "+typeplane:apiserver", at: tag.Package},
		{line: "+kubebuilder:printcolumn:name=a,JSONPath=.b", at: tag.Type},
		{line: "+k8s:validation:cel[0]:rule>self", at: tag.Field},
		{line: "+k8s:openapi-gen=x-kubernetes-a:b", at: tag.Field},
		{line: "+k8s:deepcopy-gen=true", at: tag.Anywhere},
		{line: "+k8s:maxLength=63 # as in DNS", at: tag.Field},
		{line: `+k8s:format="k8s-short-name"`, at: tag.Field},
		{line: `+k8s:item(type: "a=b)")=+k8s:beta(since: "1.37")=+k8s:zeroOrOneOfMember(union: "x")`, at: tag.Field},
		{line: "+k8s:validation:properties:name:items:maxLength=5", at: tag.Field},
		{line: "+kubebuilder:validation:items:XValidation:rule=\"self != 'a,b'\",message=no", at: tag.Field},
		{line: "+kubebuilder:default:={a: 1}", at: tag.Field},
		{line: "+kubebuilder:validation:Required", at: tag.Package},
		{line: "+kubebuilder:scaffold:imports", at: tag.Func},
		{"+k8s:deepcopygen=true", tag.Type, "+k8s:deepcopygen is not a tag", "did you mean +k8s:deepcopy-gen?"},
		{"+typeplane:apiservr", tag.Package, "+typeplane:apiservr is not a tag", "did you mean +typeplane:apiserver?"},
		{"+k8s:zzzzzzzzzzzzzzzzzzzzzz", tag.Type, "+k8s:zzzzzzzzzzzzzzzzzzzzzz is not a tag", "gen tags lists all there are"},
		{"+kubebuider:validation:Minimum=1", tag.Field, "+kubebuider:validation:Minimum is not a tag", "did you mean +kubebuilder:validation:Minimum?"},
		{"+optinal", tag.Field, "+optinal is not a tag", "did you mean +optional?"},
		{"+defualt=1", tag.Field, "+defualt is not a tag", "did you mean +default?"},
		{"+genclient:nonNamespace", tag.Type, "+genclient:nonNamespace is not a tag", "did you mean +genclient:nonNamespaced?"},
		{"+k8s:validation:maxLenght=1", tag.Field, "+k8s:validation:maxLenght is not a tag", "did you mean +k8s:validation:maxLength?"},
		{"+kubebuilder:validation:items:MaxLenght=1", tag.Field, "+kubebuilder:validation:items:MaxLenght is not a tag", "did you mean +kubebuilder:validation:MaxLength?"},
		{"+k8s:eachVal=+k8s:maxLenght=5", tag.Field, "+k8s:maxLenght is not a tag", "did you mean +k8s:maxLength?"},
		{"+k8s:eachVal=+k8s:ifEnabled(A)=+k8s:maxLength=five", tag.Field, `+k8s:maxLength: want an integer, found "five"`, "write it like +k8s:maxLength=63"},
		{"+k8s:eachVal=maxLength", tag.Field, `+k8s:eachVal: want another tag behind the equals sign, found "maxLength"`, "write it like +k8s:eachVal=+k8s:maxLength=63"},
		{"+typeplane:apiserver", tag.Type, "+typeplane:apiserver has no effect on a type", "it belongs on a package"},
		{"+k8s:subfield(a)=+k8s:optional", tag.Func, "+k8s:subfield has no effect on a function", "it belongs on a type or field"},
		{"+k8s:subfield=+k8s:optional", tag.Field, "+k8s:subfield: arguments are missing: (field)", "write it like +k8s:subfield(name)=+k8s:optional"},
		{"+k8s:maxLength(a)=5", tag.Field, "+k8s:maxLength: it takes no arguments, found (a)", "write it like +k8s:maxLength=63"},
		{"+k8s:required=yes", tag.Field, `+k8s:required: it takes no value, found "yes"`, "take the value off"},
		{"+k8s:deepcopy-gen:nonpointer-interfaces", tag.Type, `+k8s:deepcopy-gen:nonpointer-interfaces: want true or false, found ""`, "write it like +k8s:deepcopy-gen:nonpointer-interfaces=true"},
		{"+kubebuilder:validation:UniqueItems=maybe", tag.Field, `+kubebuilder:validation:UniqueItems: want true, false or no value, found "maybe"`, ""},
		{"+kubebuilder:validation:Minimum=low", tag.Field, `+kubebuilder:validation:Minimum: want a number, found "low"`, "write it like +kubebuilder:validation:Minimum=0"},
		{"+k8s:listType=atomc", tag.Field, `+k8s:listType: "atomc" is not among its words`, "did you mean atomic?"},
		{"+k8s:listType=everything", tag.Field, `+k8s:listType: "everything" is not among its words`, "write atomic, set or map"},
		{"+k8s:defaulter-gen-input=../v1", tag.Package, `+k8s:defaulter-gen-input: want a whole import path, found "../v1"`, "write it like +k8s:defaulter-gen-input=example.com/api/v1"},
		{"+kubebuilder:printcolumn:nme=A,JSONPath=.b", tag.Type, "+kubebuilder:printcolumn: it has no nme=", "did you mean name=?"},
		{`+kubebuilder:resource:path="a`, tag.Type, `+kubebuilder:resource: a quote " is not closed`, "write it like +kubebuilder:resource:path=shelves,shortName=sh,scope=Cluster"},
	} {
		fault, _ := table.Check(tc.line, tc.at)
		if fault.Message != tc.message || fault.Cure != tc.cure {
			t.Errorf("%s on a %s: got %q, %q; want %q, %q", tc.line, tc.at, fault.Message, fault.Cure, tc.message, tc.cure)
		}
	}
}

func TestFaultSaysWhere(t *testing.T) {
	line := " +k8s:eachVal=+k8s:eachKey=+k8s:mxLength=5"
	fault, _ := tag.NewTable().Check(line, tag.Field)
	if rest := line[fault.Offset:]; rest != "+k8s:mxLength=5" || !fault.Unknown || fault.Value {
		t.Errorf("%q, %+v", rest, fault)
	}
}

// Every example is a tag that the table finds right, on the first place that the tag may have.
func TestExamplesAreRight(t *testing.T) {
	table := tag.NewTable()
	for _, d := range table.Definitions() {
		if d.Example == "" {
			continue
		}
		if found, ok := table.Find(tag.NameOf(d.Example)); !ok || found.Name != d.Name && !strings.HasPrefix(d.Example, "+"+d.Name) {
			t.Errorf("%s: the example %s is one of %s", d.Name, d.Example, found.Name)
		}
		if fault, wrong := table.Check(d.Example, d.Scope&-d.Scope); wrong {
			t.Errorf("%s: %s; %s", d.Name, fault.Message, fault.Cure)
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
