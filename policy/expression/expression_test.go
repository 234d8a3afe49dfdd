package expression

import (
	"context"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/auth"
)

// parsed is a spec of YAML.
func parsed(t testing.TB, text string) *admissionregistrationv1.ValidatingAdmissionPolicySpec {
	t.Helper()
	spec := new(admissionregistrationv1.ValidatingAdmissionPolicySpec)
	if err := yaml.UnmarshalStrict([]byte(text), spec); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return spec
}

func input(t testing.TB) *Input {
	t.Helper()
	request := &admissionv1.AdmissionRequest{Operation: "UPDATE", Name: "w", Namespace: "ns"}
	request.UserInfo.Username = "jane"
	request.Object.Raw = []byte(`{"metadata":{"name":"w","labels":{"a":"b"}},"spec":{"n":3,"half":0.5,"list":["x","y","x"],"text":"` + strings.Repeat("a", 2000) + `","none":null}}`)
	request.OldObject.Raw = []byte(`{"spec":{"n":2}}`)
	in, err := NewInput(request)
	if err != nil {
		t.Fatal(err)
	}
	in.Namespace = map[string]any{"metadata": map[string]any{"name": "ns"}}
	return in.With(map[string]any{"max": int64(3)})
}

// outcome is what a policy with one validation says.
func outcome(t *testing.T, spec string) string {
	t.Helper()
	p, errs := Compile(parsed(t, spec), field.NewPath("spec"))
	if len(errs) > 0 {
		return errs.ToAggregate().Error()
	}
	r := p.Evaluate(t.Context(), input(t))
	var said []string
	for _, f := range r.Failures {
		said = append(said, fmt.Sprintf("no %d %s %s", f.Index, f.Reason, f.Message))
	}
	for _, f := range r.Errors {
		said = append(said, fmt.Sprintf("error %d %s", f.Index, f.Message))
	}
	for _, a := range r.Annotations {
		said = append(said, a.Key+"="+a.Value)
	}
	return strings.Join(append(said, r.AnnotationErrors...), "; ")
}

func TestEvaluate(t *testing.T) {
	const params = "paramKind: {apiVersion: v1, kind: P}, "
	one := func(expression string) string {
		return fmt.Sprintf("{%svalidations: [{expression: %q}]}", params, expression)
	}
	for spec, want := range map[string]string{
		// What there is to ask about.
		one("object.spec.n == 3 && oldObject.spec.n == 2"): "",
		one("object.spec.n > 2.5"):                         "",
		one("object.spec.half < 1"):                        "",
		one("object.spec.none == null"):                    "",
		one("has(object.metadata.labels.a) && !has(object.spec.missing) && !has(object.metadata.annotations)"):                                                                 "",
		one("object.?spec.?missing.orValue(7) == 7"):                                                                                                                           "",
		one("request.operation == 'UPDATE' && request.userInfo.username == 'jane' && request.subResource == ''"):                                                               "",
		one("!has(request.object) && !has(request.uid)"):                                                                                                                       "",
		one("namespaceObject.metadata.name == request.namespace"):                                                                                                              "",
		one("object.spec.n <= params.max"):                                                                                                                                     "",
		one("sets.contains(object.spec.list, ['x']) && object.spec.list.exists_one(e, e == 'y')"):                                                                              "",
		one("'a,b'.split(',').join('-') == 'a-b' && 'aXa'.replace('X', 'b') == 'aba' && 'AB'.lowerAscii() == 'ab' && 'a'.matches('^[a-c]$')"):                                  "",
		one("'%s %d'.format(['a', 3]) == 'a 3' && 'abc'.substring(1) == 'bc' && ' a '.trim() == 'a'"):                                                                          "",
		one("object.spec.list + ['z'] == ['x', 'y', 'x', 'z'] && 'a' + 'b' == 'ab' && timestamp('2026-01-01T00:00:00Z') + duration('1h') < timestamp('2026-01-02T00:00:00Z')"): "",
		// What is said.
		one(" object.spec.n < 3 "): "no 0 Invalid failed expression: object.spec.n < 3",
		"{validations: [{expression: 'false', message: ' a ', reason: Forbidden}, {expression: 'true'}, {expression: 'false', message: c}]}": "no 0 Forbidden a; no 2 Invalid c",
		`{validations: [{expression: 'false', message: m, messageExpression: "'n is ' + string(object.spec.n)"}]}`:                           "no 0 Invalid n is 3",
		`{validations: [{expression: 'false', message: m, messageExpression: "object.missing + 'x' "}]}`:                                     "no 0 Invalid m",
		`{validations: [{expression: 'false', message: m, messageExpression: "'a\\nb'"}]}`:                                                   "no 0 Invalid m",
		one("object.missing.deeper"):         "spec.validations[0].expression: Invalid value: \"object.missing.deeper\": must evaluate to bool",
		one("object.missing.deeper == 1"):    "error 0 expression 'object.missing.deeper == 1' resulted in error: no such key: missing",
		one("object.spec.n.startsWith('a')"): "error 0 expression 'object.spec.n.startsWith('a')' resulted in error: no such overload",
		// Variables are evaluated when they are needed.
		"{variables: [{name: a, expression: 1 / (object.spec.n - 3)}], validations: [{expression: 'false && variables.a > 0', message: m}]}":         "no 0 Invalid m",
		"{variables: [{name: a, expression: 1 / (object.spec.n - 3)}], validations: [{expression: variables.a > 0}]}":                                "error 0 variable a: expression '1 / (object.spec.n - 3)' resulted in error: division by zero",
		"{variables: [{name: a, expression: 'object.spec'}, {name: b, expression: 'variables.a.n'}], validations: [{expression: variables.b == 3}]}": "",
		"{variables: [{name: a, expression: variables.b}, {name: b, expression: '1'}], validations: [{expression: 'true'}]}":                         "has to be declared before it is used",
		"{variables: [{name: a, expression: \"'x'\"}], validations: [{expression: variables.a > 1}]}":                                                "found no matching overload for '_>_' applied to '(string, int)'",
		// Conditions.
		"{matchConditions: [{name: c, expression: 'false'}], validations: [{expression: 'false'}]}":                                       "",
		"{matchConditions: [{name: c, expression: object.x == 1}], validations: [{expression: 'false'}]}":                                 "error -1 match condition 'c': expression 'object.x == 1' resulted in error: no such key: x",
		"{matchConditions: [{name: c, expression: object.x == 1}, {name: d, expression: 'false'}], validations: [{expression: 'false'}]}": "",
		// Annotations.
		`{auditAnnotations: [{key: a, valueExpression: "'n ' + string(object.spec.n)"}, {key: b, valueExpression: 'null'}, {key: c, valueExpression: "' '"}]}`: "a=n 3",
		"{auditAnnotations: [{key: a, valueExpression: object.spec.n}]}":                                                                                       "resulted in unsupported return type: int",
		// What is refused.
		one("object."):  "spec.validations[0].expression: Invalid value: \"object.\": compilation failed: ERROR: <input>:1:8: Syntax error",
		one("foo == 1"): "undeclared reference to 'foo'",
		one("authorizer.group('a').check('b').allowed()"):                                      "found no matching overload for 'check'",
		"{validations: [{expression: params.a == 1}]}":                                         "undeclared reference to 'params'",
		one("'a'.matches('(')"):                                                                "invalid matches argument",
		"{validations: [{expression: 'true', messageExpression: '1'}]}":                        "spec.validations[0].messageExpression: Invalid value: \"1\": must evaluate to string",
		"{matchConditions: [{name: a, expression: '1'}], validations: [{expression: 'true'}]}": "spec.matchConditions[0].expression: Invalid value: \"1\": must evaluate to bool",
	} {
		got := outcome(t, spec)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", spec, got, want)
		}
	}
}

// What would take too long, or too much memory, is an error long before that.
func TestBounds(t *testing.T) {
	doubled := func(first, last string) string {
		spec := "{variables: [{name: v0, expression: \"" + first + "\"}"
		for i := 1; i < 60; i++ {
			spec += fmt.Sprintf(", {name: v%d, expression: variables.v%d + variables.v%d}", i, i-1, i-1)
		}
		return spec + "], validations: [{expression: \"" + last + "\"}]}"
	}
	const ten = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
	loops := "true"
	for i := range 9 {
		loops = fmt.Sprintf("%s.all(i%d, %s)", ten, i, loops)
	}
	for spec, want := range map[string]string{
		"{validations: [{expression: \"" + loops + "\"}]}":  "actual cost limit exceeded",
		doubled("object.spec.list", "'z' in variables.v59"): "the result of + is too large",
		doubled("'abc'", "variables.v59 == 'z'"):            "cost limit exceeded",
		doubled("object.spec.text", "variables.v59 == 'z'"): "cost limit exceeded",
		doubled("b'abc'", "variables.v59 == b'z'"):          "cost limit exceeded",
		`{validations: [{expression: "object.spec.text.replace('', object.spec.text).replace('', object.spec.text) == ''"}]}`:                                "the result of replace is too large",
		`{validations: [{expression: "object.spec.text.split('').map(c, c).join(object.spec.text + object.spec.text + object.spec.text) == ''"}]}`:           "the result of join is too large",
		`{validations: [{expression: "sets.equivalent((object.spec.text + object.spec.text).split(''), object.spec.text.split(''))"}]}`:                      "",
		`{validations: [{expression: "sets.equivalent((object.spec.text + object.spec.text).split(''), (object.spec.text + object.spec.text).split(''))"}]}`: "cost limit exceeded",
		`{validations: [{expression: "'%.999999999f'.format([1.0]) == ''"}]}`:                                                                                "precision",
		`{validations: [{expression: "object.spec.text.matches('((a{0,100}){0,100}){0,100}')"}]}`:                                                            "invalid repeat count",
		`{validations: [{expression: "object.spec.text.matches('(abcdefghijk){1000}')"}]}`:                                                                   "at most 10000 instructions",
		`{validations: [{expression: "object.spec.text.matches('(abcdefghijk)' + '{1000}')"}]}`:                                                              "at most 10000 instructions",
	} {
		got := outcome(t, spec)
		if !strings.Contains(got, want) {
			t.Errorf("%.200s:\n got %.300s\nwant %s", spec, got, want)
		}
	}
	// What all expressions cost together has an end, too.
	p, errs := Compile(parsed(t, "{validations: [{expression: '[1, 2, 3].all(a, a > 0)'}, {expression: '[1, 2, 3].all(a, a > 0)'}, {expression: 'true'}]}"), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if r := p.evaluate(t.Context(), input(t), 30); len(r.Errors) != 1 || r.Errors[0].Index != 2 || !strings.Contains(r.Errors[0].Message, "running out of cost budget") {
		t.Errorf("%+v", r)
	}
}

// An evaluation ends with the request.
func TestInterrupted(t *testing.T) {
	p, errs := Compile(parsed(t, "{validations: [{expression: \"object.spec.text.split('').all(c, c == 'a')\"}]}"), nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := p.Evaluate(ctx, input(t)); len(r.Errors) != 1 || !strings.Contains(r.Errors[0].Message, "operation interrupted") {
		t.Errorf("%+v", r)
	}
}

func TestConditions(t *testing.T) {
	request := &admissionv1.AdmissionRequest{Name: "w", Operation: "DELETE"}
	request.UserInfo.Groups = []string{auth.GroupMasters}
	request.OldObject.Raw = []byte(`{"spec":{"n":2}}`)
	for expression, want := range map[string]string{
		"object == null && oldObject.spec.n == 2":              "true",
		"request.operation == 'CREATE'":                        "false",
		"authorizer.requestResource.check('delete').allowed()": "true",
		"object.spec.n == 2":                                   "match condition 'a': expression 'object.spec.n == 2' resulted in error",
		"params == null":                                       "m[0].expression: Invalid value",
	} {
		got := ""
		match, errs := Conditions([]admissionregistrationv1.MatchCondition{{Name: "a", Expression: expression}}, field.NewPath("m"))
		if len(errs) > 0 {
			got = errs.ToAggregate().Error()
		} else if ok, err := match(t.Context(), request, auth.Masters{}); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(ok)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", expression, got, want)
		}
	}
}

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{"a": true, "_a1": true, "": false, "1a": false, "a-b": false, "in": false, "namespace": false} {
		if IsName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// Whatever is compiled ends, and nothing panics.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{
		"object.spec.n == 3", "object.spec.list.map(x, x + x).exists(y, y in object.spec.list)", "'%s %.3f'.format([object, 1.0]) == ''", "object.spec.text.replace('a', object.spec.text) == ''",
		"sets.intersects(object.spec.list, [1])", "object.?a.b.orValue(true)", "variables.v == 1", "params.max / 0 == 1", "authorizer", "[1, 2].all(a, [a].all(b, b > 0))", "string(object) == ''",
		"duration('1h') > duration(object.spec.text)", "{'a': object}.a == oldObject", "'a'.substring(5) == ''", "object.spec.text.matches(object.spec.text)", "-9223372036854775808 / -1 == 1",
	} {
		f.Add(seed)
	}
	in := input(f)
	f.Fuzz(func(t *testing.T, text string) {
		spec := &admissionregistrationv1.ValidatingAdmissionPolicySpec{
			ParamKind:   &admissionregistrationv1.ParamKind{},
			Variables:   []admissionregistrationv1.Variable{{Name: "v", Expression: text}},
			Validations: []admissionregistrationv1.Validation{{Expression: text, MessageExpression: text}, {Expression: "variables.v == 1"}},
		}
		annotated := &admissionregistrationv1.ValidatingAdmissionPolicySpec{AuditAnnotations: []admissionregistrationv1.AuditAnnotation{{Key: "a", ValueExpression: text}}}
		for _, spec := range []*admissionregistrationv1.ValidatingAdmissionPolicySpec{spec, annotated} {
			p, errs := Compile(spec, field.NewPath("spec"))
			if len(errs) > 0 {
				continue
			}
			r := p.Evaluate(t.Context(), in)
			for _, f := range r.Errors {
				r.AnnotationErrors = append(r.AnnotationErrors, f.Message)
			}
			for _, e := range r.AnnotationErrors {
				if strings.Contains(e, "panicked") || strings.Contains(e, "internal error") {
					t.Error(e)
				}
			}
		}
	})
}
