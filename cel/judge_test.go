package cel_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/cel"
	"github.com/typeplane/typeplane/runtime/rules"
)

// thing has what is not in JSON as it is in Go.
type thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Common            `json:",inline"`

	When     string               `json:"when,omitempty"`
	At       metav1.Time          `json:"at,omitempty"`
	Names    []string             `json:"names,omitempty"`
	Ports    []port               `json:"ports,omitempty"`
	Data     []byte               `json:"data,omitempty"`
	Ratio    float64              `json:"ratio,omitempty"`
	Count    int                  `json:"count,omitempty"`
	Template runtime.RawExtension `json:"template,omitempty"`
	For      string               `json:"for,omitempty"`
	Next     *thing               `json:"next,omitempty"`
}

// Common stands beside the fields of the outer struct.
type Common struct {
	Size int `json:"size,omitempty"`
}

type port struct {
	Name   string `json:"name"`
	Number int    `json:"number"`
}

const pkg = "github.com/typeplane/typeplane/cel_test.thing."

// TestJudge: what rules say of values, new ones and changes.
func TestJudge(t *testing.T) {
	path := field.NewPath("spec")
	for _, tc := range []struct {
		rule     cel.Rule
		obj, old *thing
		want     string
	}{
		{rule: cel.Rule{Rule: "self.count == 1"}, obj: &thing{Count: 1}},
		{rule: cel.Rule{Rule: "self.count == 1"}, obj: nil},
		{rule: cel.Rule{Rule: " self.count == 1 "}, obj: &thing{Count: 2}, want: "spec: Invalid value: failed rule: self.count == 1"},
		{rule: cel.Rule{Rule: "self.count == 1", Message: "one"}, obj: &thing{Count: 2}, want: "spec: Invalid value: one"},
		{rule: cel.Rule{Rule: "self.count == 1", Message: "one", MessageExpression: "'not ' + string(self.count)"}, obj: &thing{Count: 2}, want: "spec: Invalid value: not 2"},
		{rule: cel.Rule{Rule: "self.count == 1", Message: "one", MessageExpression: "'not\\n' + string(self.count)"}, obj: &thing{Count: 2}, want: "spec: Invalid value: one"},
		{rule: cel.Rule{Rule: "self.count == 1", Message: "one", MessageExpression: "self.names[7]"}, obj: &thing{Count: 2}, want: "spec: Invalid value: one"},
		{rule: cel.Rule{Rule: "false", Message: "no", Reason: "FieldValueForbidden", FieldPath: "a.b"}, obj: &thing{}, want: "spec.a.b: Forbidden: no"},
		{rule: cel.Rule{Rule: "false", Message: "no", Reason: "FieldValueRequired"}, obj: &thing{}, want: "spec: Required value: no"},
		{rule: cel.Rule{Rule: "self.when == ''"}, obj: &thing{}, want: "spec: Invalid value: no such key: when evaluating rule: self.when == ''"},
		{rule: cel.Rule{Rule: "self.count / 0 == 1"}, obj: &thing{Count: 1}, want: "spec: Invalid value: division by zero evaluating rule: self.count / 0 == 1"},
		{rule: cel.Rule{Rule: "self.names > 1"}, obj: &thing{Names: []string{"a"}}, want: "spec: Invalid value: 'no such overload: _>_': call arguments did not match a supported operator, function or macro signature for rule: self.names > 1"},
		// What types are in CEL.
		{rule: cel.Rule{Rule: "self.at < timestamp('2027-01-01T00:00:00Z')"}, obj: &thing{At: metav1.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{rule: cel.Rule{Rule: "self.data == b'x'"}, obj: &thing{Data: []byte("x")}},
		{rule: cel.Rule{Rule: "self.ratio == 2.0 && type(self.ratio) == double"}, obj: &thing{Ratio: 2}},
		{rule: cel.Rule{Rule: "self.template.kind == 'Pod' && self.template.metadata.name == 'a'"}, obj: &thing{Template: runtime.RawExtension{Raw: []byte(`{"kind":"Pod","metadata":{"name":"a"}}`)}}},
		{rule: cel.Rule{Rule: "self.metadata.name == 'n' && self.size == 3"}, obj: &thing{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Common: Common{3}}},
		{rule: cel.Rule{Rule: "self.__for__ == 'me'"}, obj: &thing{For: "me"}},
		{rule: cel.Rule{Rule: "self.next.next.count == 3"}, obj: &thing{Next: &thing{Next: &thing{Count: 3}}}},
		{rule: cel.Rule{Rule: "self.when < timestamp('2027-01-01T00:00:00Z')", Fields: []cel.Field{{Of: pkg + "When", Format: "date-time"}}}, obj: &thing{When: "2026-01-01T00:00:00Z"}},
		{rule: cel.Rule{Rule: "self.names == ['b', 'a']", Fields: []cel.Field{{Of: pkg + "Names", ListType: "set"}}}, obj: &thing{Names: []string{"a", "b"}}},
		{rule: cel.Rule{Rule: "self.names == ['b', 'a']"}, obj: &thing{Names: []string{"a", "b"}}, want: "spec: Invalid value: failed rule: self.names == ['b', 'a']"},
		// Regular expressions.
		{rule: cel.Rule{Rule: "self.when.matches('^[a-z]{1,63}$') && self.when.matches('^[a-z]' + '{0,62}$')"}, obj: &thing{When: "soon"}},
		{rule: cel.Rule{Rule: "self.when.matches(self.names[0])"}, obj: &thing{When: "soon", Names: []string{"^o{3}$"}}, want: "spec: Invalid value: failed rule: self.when.matches(self.names[0])"},
		// Changes.
		{rule: cel.Rule{Rule: "self.count > oldSelf.count"}, obj: &thing{Count: 1}},
		{rule: cel.Rule{Rule: "self.count > oldSelf.count"}, obj: &thing{Count: 1}, old: &thing{Count: 2}, want: "spec: Invalid value: failed rule: self.count > oldSelf.count"},
		{rule: cel.Rule{Rule: "self.ports == oldSelf.ports", Fields: []cel.Field{{Of: pkg + "Ports", ListType: "map", MapKeys: []string{"name"}}}},
			obj: &thing{Ports: []port{{"a", 1}, {"b", 2}}}, old: &thing{Ports: []port{{"b", 2}, {"a", 1}}}},
		{rule: cel.Rule{Rule: "!oldSelf.hasValue() || oldSelf.value().count < self.count", OptionalOldSelf: true}, obj: &thing{Count: 1}},
		{rule: cel.Rule{Rule: "!oldSelf.hasValue() || oldSelf.value().count < self.count", OptionalOldSelf: true, Message: "less"}, obj: &thing{Count: 1}, old: &thing{Count: 2}, want: "spec: Invalid value: less"},
	} {
		op := operation.Operation{Type: operation.Create}
		if tc.old != nil {
			op.Type = operation.Update
		}
		got := ""
		if errs := cel.Judge(t.Context(), op, path, tc.obj, tc.old, cel.MustCompile[*thing](tc.rule)); len(errs) > 0 {
			got = errs.ToAggregate().Error()
		}
		if got != tc.want {
			t.Errorf("%s of %+v:\n got %s\nwant %s", tc.rule.Rule, tc.obj, got, tc.want)
		}
	}
}

// TestValues: a rule stands on values of any kind.
func TestValues(t *testing.T) {
	name, op := "10.0.0.1", operation.Operation{Type: operation.Create}
	if errs := cel.Judge(t.Context(), op, nil, &name, nil, cel.MustCompile[*string](cel.Rule{Rule: "ip(self).family() == 6"})); len(errs) != 1 || errs[0].BadValue != name {
		t.Errorf("%v", errs)
	}
	list := cel.MustCompile[[]string](cel.Rule{Rule: "sets.contains(self, ['a'])"})
	if errs := cel.Judge(t.Context(), op, nil, []string{"b", "a"}, nil, list); len(errs) != 0 {
		t.Errorf("%v", errs)
	}
	if errs := cel.Judge[[]string](t.Context(), op, nil, nil, nil, list); len(errs) != 0 {
		t.Errorf("a list that is not there: %v", errs)
	}
	labels := cel.MustCompile[map[string]int](cel.Rule{Rule: "self.all(k, self[k] > 0)"})
	if errs := cel.Judge(t.Context(), op, nil, map[string]int{"a": 1, "b": 0}, nil, labels); len(errs) != 1 {
		t.Errorf("%v", errs)
	}
}

// TestDocument: a rule sees what was sent, and the metadata of the object.
func TestDocument(t *testing.T) {
	sent := map[string]any{"count": int64(0), "when": ""}
	ctx := rules.WithDocument(t.Context(), func(*field.Path) (any, bool) { return sent, true })
	rule := cel.MustCompile[*thing](cel.Rule{Rule: "has(self.count) && self.when == '' && !has(self.names) && self.metadata.name == 'n'"})
	if errs := cel.Judge(ctx, operation.Operation{}, nil, &thing{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, nil, rule); len(errs) != 0 {
		t.Errorf("%v", errs)
	}
}

// TestBounds: a rule ends when it has cost too much, or when nobody waits for it any more.
func TestBounds(t *testing.T) {
	obj := &thing{Names: make([]string, 2000)}
	long := cel.MustCompile[*thing](cel.Rule{Rule: "self.names.all(a, self.names.all(b, self.names.all(c, a == b || b == c)))"})
	short := cel.MustCompile[*thing](cel.Rule{Rule: "self.names.all(a, a == '')"})
	said := func(ctx context.Context, p *cel.Program) string {
		if errs := cel.Judge(ctx, operation.Operation{}, nil, obj, nil, p); len(errs) > 0 {
			return errs.ToAggregate().Error()
		}
		return ""
	}
	if got := said(t.Context(), long); !strings.Contains(got, "cost limit exceeded") {
		t.Errorf("one rule: %s", got)
	}
	ctx := rules.WithBudget(t.Context(), 15_000)
	if first, second := said(ctx, short), said(ctx, short); first != "" || !strings.Contains(second, "running out of cost budget") {
		t.Errorf("rules of an object: %q, then %q", first, second)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if got := said(gone, long); !strings.Contains(got, "interrupted") {
		t.Errorf("nobody waits: %s", got)
	}
}

func TestMustCompile(t *testing.T) {
	for rule, want := range map[string]string{
		"nothing.is == 1": "undeclared reference", "self.count + ": "Syntax error", "1 + 1": "is of type int, and not bool",
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, want) {
					t.Errorf("%s: %s", rule, said)
				}
			}()
			cel.MustCompile[*thing](cel.Rule{Rule: rule})
		}()
	}
}
