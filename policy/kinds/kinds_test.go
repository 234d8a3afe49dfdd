package kinds

import (
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	v1 "github.com/typeplane/typeplane/policy/kinds/v1"
)

// check compares problems with parts of their texts, divided by |.
func check(t *testing.T, what string, errs field.ErrorList, want string) {
	t.Helper()
	var wants []string
	if want != "" {
		wants = strings.Split(want, "|")
	}
	text := ""
	for _, err := range errs {
		text += err.Error() + "\n"
	}
	if len(errs) != len(wants) {
		t.Errorf("%s:\n%swant %q", what, text, wants)
	}
	for _, w := range wants {
		if !strings.Contains(text, w) {
			t.Errorf("%s:\n%swant %s", what, text, w)
		}
	}
}

func read(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

const (
	rule  = "{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [pods]}"
	about = "matchConstraints: {resourceRules: [" + rule + "]}"
)

func TestMutatingPolicies(t *testing.T) {
	const rest = "\nreinvocationPolicy: Never\n"
	mutation := func(m string) string { return about + rest + "mutations: [" + m + "]" }
	const fine = "{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}"
	for spec, want := range map[string]string{
		mutation(fine): "",
		mutation("{patchType: JSONPatch, jsonPatch: {expression: \"[JSONPatch{op: 'add', path: '/a', value: [1]}]\"}}"): "",
		mutation(fine) + "\nvariables: [{name: a, expression: 'Object{}'}]":                                             "spec.variables[0].expression: Invalid value",
		"{}": "spec.matchConstraints: Required|spec.mutations: Required value: mutations must contain at least one item|spec.reinvocationPolicy: Required",
		about + "\nreinvocationPolicy: Often\nmutations: [" + fine + "]": `spec.reinvocationPolicy: Unsupported value: "Often"`,
		"matchConstraints: {resourceRules: [{operations: [CREATE, DELETE], apiGroups: [''], apiVersions: [v1], resources: [pods]}]}" + rest + "mutations: [" + fine + "]": `spec.matchConstraints.resourceRules[0].operations[1]: Unsupported value: "DELETE"`,
		mutation("{}"):                              "spec.mutations[0].patchType: Required",
		mutation("{patchType: Merge}"):              `spec.mutations[0].patchType: Unsupported value: "Merge"`,
		mutation("{patchType: JSONPatch}"):          "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch",
		mutation("{patchType: ApplyConfiguration}"): "spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration",
		mutation("{patchType: JSONPatch, applyConfiguration: {expression: 'Object{}'}, jsonPatch: {expression: ' '}}"):   "spec.mutations[0].jsonPatch.expression: Required|spec.mutations[0].applyConfiguration: Invalid value",
		mutation("{patchType: ApplyConfiguration, jsonPatch: {expression: 'a'}, applyConfiguration: {expression: ' '}}"): "spec.mutations[0].applyConfiguration.expression: Required|spec.mutations[0].jsonPatch: Invalid value",
		mutation("{patchType: ApplyConfiguration, applyConfiguration: {expression: 'true'}}"):                            "spec.mutations[0].applyConfiguration.expression: Invalid value: \"true\": must evaluate to Object",
		mutation("{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{'}}"):                         "spec.mutations[0].applyConfiguration.expression: Invalid value: \"Object{\": compilation failed",
		mutation("{patchType: JSONPatch, jsonPatch: {expression: '[1]'}}"):                                               "spec.mutations[0].jsonPatch.expression: Invalid value: \"[1]\": must evaluate to list(JSONPatch)",
		mutation("{patchType: JSONPatch, jsonPatch: {expression: \"[JSONPatch{op: 1}]\"}}"):                              "expected type of field 'op' is 'string' but provided type is 'int'",
		mutation("{patchType: JSONPatch, jsonPatch: {expression: \"[JSONPatch{where: 'x'}]\"}}"):                         "spec.mutations[0].jsonPatch.expression: Invalid value",
		mutation(strings.Repeat(fine+", ", maxMutations) + fine):                                                         "spec.mutations: Too many: 101: must have at most 100 items",
	} {
		p := new(v1.MutatingAdmissionPolicy)
		read(t, spec, &p.Spec)
		v1.SetObjectDefaults_MutatingAdmissionPolicy(p)
		check(t, spec, MutatingAdmissionPolicyStrategy{}.Validate(t.Context(), p), want)
		if errs := (MutatingAdmissionPolicyStrategy{}).ValidateUpdate(t.Context(), p, p); len(errs) > 0 {
			t.Errorf("%s: unchanged: %v", spec, errs)
		}
	}
}

func TestMutatingBindings(t *testing.T) {
	for spec, want := range map[string]string{
		"policyName: p":                 "",
		"{}":                            "spec.policyName: Required value",
		"policyName: P":                 "spec.policyName: Invalid value",
		"{policyName: p, paramRef: {}}": "spec.paramRef: Required value|spec.paramRef.parameterNotFoundAction: Required",
		"{policyName: p, matchResources: {resourceRules: [{operations: [DELETE], apiGroups: [''], apiVersions: [v1], resources: [pods]}]}}": `spec.matchResources.resourceRules[0].operations[0]: Unsupported value: "DELETE"`,
	} {
		b := new(v1.MutatingAdmissionPolicyBinding)
		read(t, spec, &b.Spec)
		v1.SetObjectDefaults_MutatingAdmissionPolicyBinding(b)
		check(t, spec, MutatingAdmissionPolicyBindingStrategy{}.Validate(t.Context(), b), want)
	}
}

func TestPolicies(t *testing.T) {
	with := func(more string) string { return about + "\nvalidations: [{expression: 'true'}]\n" + more }
	validation := func(v string) string { return about + "\nvalidations: [" + v + "]" }
	for spec, want := range map[string]string{
		with(""):          "",
		"validations: []": "spec.matchConstraints: Required value|spec.validations: Required value: validations or auditAnnotations must be set|spec.auditAnnotations: Required value",
		"matchConstraints: {}\nvalidations: [{expression: 'true'}]":        "spec.matchConstraints.resourceRules: Required value",
		about + "\nauditAnnotations: [{key: a, valueExpression: \"'x'\"}]": "",
		with("failurePolicy: Ask"):                                         `spec.failurePolicy: Unsupported value: "Ask"`,
		with("paramKind: {}"):                                              "spec.paramKind.apiVersion: Required value|spec.paramKind.kind: Required value",
		with("paramKind: {apiVersion: a/b/c, kind: a.b}"):                  "spec.paramKind.apiVersion: Invalid value|spec.paramKind.kind: Invalid value",
		"validations: [{expression: 'true'}]\nmatchConstraints: {matchPolicy: Some, namespaceSelector: {matchLabels: {a: '-'}}, resourceRules: [{resourceNames: [a, a, '']}]}": `matchPolicy: Unsupported value: "Some"|namespaceSelector.matchLabels: Invalid value|` +
			"resourceRules[0].operations: Required value|resourceRules[0].apiGroups: Required|resourceRules[0].apiVersions: Required|resourceRules[0].resources: Required|resourceNames[1]: Duplicate value|resourceNames[2]: Required value",
		with("matchConditions: [{name: a, expression: ''}, {name: a, expression: 'true'}]"):                                          `matchConditions[0].expression: Required value|matchConditions[1].name: Duplicate value: "a"`,
		with("variables: [{expression: '1'}, {name: a-b, expression: '1'}, {name: c, expression: '1'}, {name: c, expression: ' '}]"): "variables[0].name: Required value|variables[1].name: Invalid value|variables[3].name: Duplicate value|variables[3].expression: Required value",
		validation("{expression: ' '}"):                                          "validations[0].expression: Required value",
		validation("{expression: 'true', message: ' ', messageExpression: ' '}"): "messageExpression: Invalid value|message: Invalid value: \" \": message must be non-empty if specified",
		validation(`{expression: "true", message: "a\nb"}`):                      "message must not contain line breaks",
		validation(`{expression: "true\n&& true"}`):                              "message must be specified if expression contains line breaks",
		validation("{expression: 'true', reason: Gone}"):                         `validations[0].reason: Unsupported value: "Gone"`,
		with("auditAnnotations: [{valueExpression: \"'x'\"}, {key: 'a/b', valueExpression: ''}, {key: c, valueExpression: \"'x'\"}, {key: c, valueExpression: \"'x'\"}]"): "auditAnnotations[0].key: Invalid value|auditAnnotations[1].key: Invalid value|auditAnnotations[1].valueExpression: Required value|auditAnnotations[3].key: Duplicate value",
		with("auditAnnotations: [" + strings.Repeat("{key: c, valueExpression: x}, ", 21) + "]"):                                                                          "auditAnnotations: Too many" + strings.Repeat("|Duplicate value", 20),
		with("variables: [" + strings.Repeat("{name: c, expression: x}, ", 301) + "]"):                                                                                    "variables: Too many" + strings.Repeat("|Duplicate value", 99),
		validation(strings.Repeat("{expression: 'true'}, ", 1001)):                                                                                                        "spec.validations: Too many",
		// Expressions are compiled when there is nothing else.
		validation("{expression: 'object.'}, {expression: '1'}"):                  "spec.validations[0].expression: Invalid value: \"object.\": compilation failed: ERROR|spec.validations[1].expression: Invalid value: \"1\": must evaluate to bool",
		with("auditAnnotations: [{key: a, valueExpression: authorizer.path(1)}]"): "found no matching overload for 'path'",
	} {
		p := new(admissionregistrationv1.ValidatingAdmissionPolicy)
		p.Name = "p.example.com"
		read(t, spec, &p.Spec)
		v1.SetObjectDefaults_ValidatingAdmissionPolicy(p)
		check(t, spec, ValidatingAdmissionPolicyStrategy{}.Validate(t.Context(), p), want)
		// What is there already may stay, and can be labelled.
		old := p.DeepCopy()
		p.Labels = map[string]string{"a": "b"}
		check(t, spec, ValidatingAdmissionPolicyStrategy{}.ValidateUpdate(t.Context(), p, old), "")
		old.Spec.Variables = append(old.Spec.Variables, admissionregistrationv1.Variable{Name: "another"})
		check(t, spec, ValidatingAdmissionPolicyStrategy{}.ValidateUpdate(t.Context(), p, old), want)
	}
}

func TestBindings(t *testing.T) {
	const good = "policyName: p\nvalidationActions: [Deny]\n"
	for spec, want := range map[string]string{
		good: "",
		"{}": "spec.policyName: Required value|spec.validationActions: Required value",
		"policyName: P_\nvalidationActions: [Deny, Warn, Warn, Ask]": `spec.policyName: Invalid value|validationActions[2]: Duplicate value|validationActions[3]: Unsupported value: "Ask"|must not contain both Deny and Warn`,
		good + "paramRef: {}": "paramRef: Required value: one of name or selector|parameterNotFoundAction: Required value",
		good + "paramRef: {name: a, selector: {}, parameterNotFoundAction: Ask}":                                                                       `paramRef.name: Forbidden|paramRef.selector: Forbidden|parameterNotFoundAction: Unsupported value: "Ask"`,
		good + "paramRef: {selector: {matchLabels: {a: '-'}}, parameterNotFoundAction: Allow}":                                                         "paramRef.selector.matchLabels: Invalid value",
		good + "matchResources: {objectSelector: {matchLabels: {a: '-'}}, excludeResourceRules: [" + strings.Replace(rule, "CREATE", "READ", 1) + "]}": `objectSelector.matchLabels: Invalid value|excludeResourceRules[0].operations[0]: Unsupported value: "READ"`,
	} {
		b := new(admissionregistrationv1.ValidatingAdmissionPolicyBinding)
		read(t, spec, &b.Spec)
		v1.SetObjectDefaults_ValidatingAdmissionPolicyBinding(b)
		tags := v1.Validate_ValidatingAdmissionPolicyBinding(t.Context(), operation.Operation{Type: operation.Create}, nil, b, nil)
		check(t, spec, append(tags, ValidatingAdmissionPolicyBindingStrategy{}.Validate(t.Context(), b)...), want)
	}
}

func TestCells(t *testing.T) {
	b := new(admissionregistrationv1.ValidatingAdmissionPolicyBinding)
	for ref, want := range map[string]string{"null": "<unset>", "{name: a}": "a", "{name: a, namespace: b}": "b/a", "{selector: {matchLabels: {a: b}}}": "a=b"} {
		b.Spec.ParamRef = nil
		read(t, ref, &b.Spec.ParamRef)
		if got := (ValidatingAdmissionPolicyBindingStrategy{}).Cells(b)[1]; got != want {
			t.Errorf("%s: %v, want %s", ref, got, want)
		}
	}
	p := new(admissionregistrationv1.ValidatingAdmissionPolicy)
	read(t, "{paramKind: {apiVersion: a/v1, kind: K}}", &p.Spec)
	if got := (ValidatingAdmissionPolicyStrategy{}).Cells(p)[1]; got != "a/v1/K" {
		t.Errorf("%v", got)
	}
}
