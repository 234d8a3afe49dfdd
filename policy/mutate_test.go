package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/policy"
)

const (
	mutatingPolicies = group + "/mutatingadmissionpolicies"
	mutatingBindings = group + "/mutatingadmissionpolicybindings"
)

// mutating is a policy whose mutations are about config maps.
func mutating(name, more string, mutations ...string) string {
	return made(name, fmt.Sprintf(`, spec: {%s, reinvocationPolicy: Never, mutations: [%s]%s}`, onConfigMap, strings.Join(mutations, ", "), more))
}

// apply and patch are mutations.
func apply(expression string) string {
	return fmt.Sprintf("{patchType: ApplyConfiguration, applyConfiguration: {expression: %q}}", expression)
}

func patch(expression string) string {
	return fmt.Sprintf("{patchType: JSONPatch, jsonPatch: {expression: %q}}", expression)
}

// bind makes a policy hold.
func (c client) bind(name, policy, more string) {
	c.t.Helper()
	c.want(201, "", "POST", mutatingBindings, made(name, ", spec: {policyName: "+policy+more+"}"))
}

// data is what a config map has when it was sent with some.
func (c client) data(sent string) map[string]string {
	c.t.Helper()
	a := c.want(201, "", "POST", configMaps+"?dryRun=All", made("c", ", data: "+sent))
	var got struct{ Data map[string]string }
	if err := json.Unmarshal([]byte(a.text), &got); err != nil {
		c.t.Fatal(err)
	}
	return got.Data
}

// TestMutating: a policy changes what is written, each mutation what the one before has made.
func TestMutating(t *testing.T) {
	c := start(t)
	if text := c.ready(); !strings.Contains(text, "mutating-admission-policies ok") {
		t.Errorf("nobody waits for the policies: %s", text)
	}
	c.want(201, `"failurePolicy":"Fail"`, "POST", mutatingPolicies, mutating("p", `, variables: [{name: num, expression: "size(object.data)"}]`,
		apply("Object{metadata: Object.metadata{labels: {'n': string(variables.num)}}, data: Object.data{one: '1'}}"),
		patch("[JSONPatch{op: 'test', path: '/data/one', value: '1'}, JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('n.n/x'), value: string(variables.num)}]"),
		patch("[JSONPatch{op: 'test', path: '/data/one', value: '2'}, JSONPatch{op: 'remove', path: '/data/one'}]"),
		patch("has(object.data.drop) ? [JSONPatch{op: 'remove', path: '/data/drop'}, JSONPatch{op: 'copy', from: '/data/one', path: '/data/two'}] : []")))
	if got := c.data("{a: b}"); len(got) != 1 {
		t.Errorf("a policy without a binding changes %v", got)
	}
	c.bind("b", "p", "")
	c.until(201, `"labels":{"n":"1","n.n/x":"2"}`, configMaps, made("c", ", data: {a: b}"))
	if got, want := fmt.Sprint(c.data("{a: b, drop: x}")), "map[a:b one:1 two:1]"; got != want {
		t.Errorf("data is %s, want %s", got, want)
	}
	// What is stored, and by an update, too; nobody is asked about a deletion.
	c.want(201, "", "POST", configMaps, made("c", ", data: {a: b}"))
	c.want(200, `"one":"1"`, "PATCH", configMaps+"/c", "{data: {one: null}}")
	c.want(200, "", "DELETE", configMaps+"/c", "")
	c.want(200, "", "DELETE", mutatingBindings+"/b", "")
	c.until(201, `"data":{"a":"b"}}`, configMaps, made("c", ", data: {a: b}"))
}

// TestMutatingErrors: what can't be carried out refuses the write, unless the policy says that it
// is ignored. The other mutations are carried out then.
func TestMutatingErrors(t *testing.T) {
	c := start(t)
	c.ready()
	c.want(201, "", "POST", mutatingPolicies, mutating("p", "", apply("Object{}")))
	c.bind("b", "p", "")
	for mutation, says := range map[string]string{
		apply("Object{spec: Object.spec{}}"): ".spec: field not declared in schema",
		apply("Object{metadata: Object.metadata{finalizers: ['example.com/x'], ownerReferences: [{'uid': 'u'}], managedFields: [{'manager': 'x'}]}}"): "may not mutate atomic arrays, maps or structs: .metadata.managedFields",
		apply("Object{metadata: Object.meta{}}"):                                                     `type mismatch: unexpected type name \"Object.meta\", expected \"Object.metadata\"`,
		apply("Object{data: Object.data{a: object.missing}}"):                                        "no such key: missing",
		apply("Object{data: Object.data{a: 1}}"):                                                     ".data.a: expected string",
		apply("Object{data: Object.data{a: duration('1s')}}"):                                        "can't be written as JSON",
		patch("[JSONPatch{op: 'add', path: '/nothing/here', value: 1}]"):                             "JSON Patch: ",
		patch("[JSONPatch{op: 'move', path: '/data/a'}]"):                                            "JSON Patch: operation 0",
		patch("[JSONPatch{op: 'add', path: '/data', value: Object.spec{x: Object.wrong{}}}]"):        "type mismatch",
		patch("[JSONPatch{op: 'add', path: '/unknown', value: 'x'}]"):                                "unknown",
		patch("[JSONPatch{op: 'replace', path: '/metadata/name', value: object.metadata.name + 1}]"): "no such overload",
	} {
		c.want(200, "", "PATCH", mutatingPolicies+"/p", "{spec: {failurePolicy: Fail, mutations: ["+mutation+"]}}")
		c.until(422, "denied request", configMaps, made("c", ", data: {a: b}"))
		a := c.do("POST", configMaps+"?dryRun=All", made("c", ", data: {a: b}"))
		if !strings.Contains(a.text, says) || !strings.Contains(a.text, "policy 'p' with binding 'b' denied request: ") {
			t.Errorf("%s: %s\nwant %s", mutation, a.text, says)
		}
		c.want(200, "", "PATCH", mutatingPolicies+"/p", "{spec: {failurePolicy: Ignore, mutations: ["+mutation+", "+apply("Object{data: Object.data{after: 'x'}}")+"]}}")
		c.until(201, `"after":"x"`, configMaps, made("c", ", data: {a: b}"))
		c.want(200, "", "PATCH", mutatingPolicies+"/p", "{spec: {mutations: ["+apply("Object{}")+"]}}")
		c.until(201, `"data":{"a":"b"}}`, configMaps, made("c", ", data: {a: b}"))
	}
	c.want(200, "", "PATCH", mutatingPolicies+"/p", "{spec: {failurePolicy: Fail, paramKind: {apiVersion: example.com/v1, kind: Missing}}}")
	c.want(200, "", "PATCH", mutatingBindings+"/b", "{spec: {paramRef: {name: x, parameterNotFoundAction: Deny}}}")
	c.until(403, "policy 'p' with binding 'b' denied request: failed to configure binding: paramKind Missing of example.com/v1 is not served", configMaps, made("c", ""))
}

// TestMutatingParams: a policy changes an object once for each parameter.
func TestMutatingParams(t *testing.T) {
	c := start(t)
	c.ready()
	for _, name := range []string{"x", "z"} {
		c.want(201, "", "POST", "/api/v1/namespaces/default/secrets", made(name, ", stringData: {v: "+name+"}"))
		c.want(200, "", "PATCH", "/api/v1/namespaces/default/secrets/"+name, "{metadata: {labels: {params: 'yes'}}}")
	}
	c.want(201, "", "POST", mutatingPolicies, mutating("p", ", paramKind: {apiVersion: v1, kind: Secret}, matchConditions: [{name: m, expression: \"params.metadata.name != 'z' || object.data.a == 'all'\"}]",
		patch("[JSONPatch{op: 'add', path: '/data/' + params.metadata.name, value: params.data.v}]")))
	c.bind("b", "p", ", paramRef: {selector: {matchLabels: {params: 'yes'}}, parameterNotFoundAction: Deny}")
	c.until(201, `"x":"eA=="`, configMaps, made("c", ", data: {a: b}"))
	if got, want := fmt.Sprint(c.data("{a: b}")), "map[a:b x:eA==]"; got != want {
		t.Errorf("data is %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(c.data("{a: all}")), "map[a:all x:eA== z:eg==]"; got != want {
		t.Errorf("data is %s, want %s", got, want)
	}
}

// TestReinvocation: who allows it sees what comes after, once more.
func TestReinvocation(t *testing.T) {
	c := start(t)
	c.ready()
	count := patch("[JSONPatch{op: 'add', path: '/data/count', value: string(has(object.data.count) ? int(object.data.count) + 1 : 1)}]")
	c.want(201, "", "POST", mutatingPolicies, mutating("a", "", count))
	c.bind("a", "a", "")
	c.until(201, `"count":"1"`, configMaps, made("c", ", data: {a: b}"))
	c.want(200, "", "PATCH", mutatingPolicies+"/a", "{spec: {reinvocationPolicy: IfNeeded}}")
	// Its own change is no reason to ask it again.
	c.want(201, "", "POST", mutatingPolicies, mutating("z", "", apply("Object{data: Object.data{last: 'x'}}")))
	c.bind("z", "z", "")
	c.until(201, `"count":"2","last":"x"`, configMaps, made("c", ", data: {a: b}"))
	// What changes nothing is no reason either.
	c.want(201, `"count":"1","last":"x"`, "POST", configMaps+"?dryRun=All", made("c", ", data: {a: b, last: x}"))
}

// TestMutatingPlugin: it can be disabled by its name.
func TestMutatingPlugin(t *testing.T) {
	c := start(t, func(o *typeplane.Options) { o.Admission.Disable = []string{policy.MutatingName} })
	if text := c.ready(); strings.Contains(text, "/mutating-admission-policies") {
		t.Errorf("a plug-in that is off is waited for: %s", text)
	}
}
