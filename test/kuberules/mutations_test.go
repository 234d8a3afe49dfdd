package kuberules

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

// mutated are expressions of policies that mutate, by the resource that they are for. Those of
// JSON patches begin with a bracket.
var mutated = map[string][]string{
	"v1_pods": {
		"Object{}",
		"Object{metadata: Object.metadata{labels: {'a': 'b', 'team': null}}}",
		"Object{metadata: Object.metadata{labels: {?'x': object.metadata.?nothing, 'y': string(size(object.spec.containers))}}}",
		"Object{metadata: Object.metadata{finalizers: ['example.com/x']}}",
		"Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: 'u', name: 'n', kind: 'Pod', apiVersion: 'v1'}]}}",
		"Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, imagePullPolicy: 'Always'})}}",
		"Object{spec: Object.spec{containers: [Object.spec.containers{name: 'side', image: 'side:1'}] + []}}",
		"Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'first', image: 'i', restartPolicy: 'Always', env: [{'name': 'A', 'value': 'b'}, {'name': 'B', 'value': 'c'}]}]}}",
		"Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'p', image: 'i', ports: [Object.spec.initContainers.ports{containerPort: 80}, Object.spec.initContainers.ports{containerPort: 80, protocol: 'UDP'}]}]}}",
		"Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'p', image: 'i', args: ['a']}]}}",
		"Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'q', image: 'i', resources: Object.spec.initContainers.resources{limits: {'cpu': '1', 'memory': '1Gi'}}}]}}",
		"Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: 'a', operator: 'Exists'}]}}",
		"Object{spec: Object.spec{nodeSelector: {'a': 'b'}}}",
		"Object{spec: Object.spec{terminationGracePeriodSeconds: 7}}",
		"Object{spec: Object.spec{terminationGracePeriodSeconds: 7.5}}",
		"Object{spec: Object.spec{terminationGracePeriodSeconds: '7'}}",
		"Object{spec: Object.spec{hostNetwork: object.metadata.name == 'no'}}",
		"Object{spec: Object.spec{securityContext: Object.spec.securityContext{fsGroup: 4294967296}}}",
		"Object{spec: Object.spec{securityContext: Object.spec.securityContext{sysctls: [{'name': 'a', 'value': 'b'}]}}}",
		"Object{spec: Object.spec{readinessGates: [Object.spec.readinessGates{conditionType: 'example.com/x'}]}}",
		"Object{spec: Object.spec{volumes: [Object.spec.volumes{name: 'more', emptyDir: Object.spec.volumes.emptyDir{medium: 'Memory'}}]}}",
		"Object{spec: Object.spec{unknown: 1}}",
		"Object{spec: Object.wrong{}}",
		"Object{spec: Object.spec{containers: [Object.spec.containers{image: 'without a name'}]}}",
		"Object{spec: Object.spec{containers: [Object.spec.containers{name: 'a', image: 'x'}, Object.spec.containers{name: 'a', image: 'y'}]}}",
		"Object{metadata: object.metadata.name == 'x' ? Object.metadata{} : Object.metadata{annotations: {'a': 'b'}}}",
		"[]+[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}}]",
		"[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'a': 'b'}}, JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('x/y~z'), value: 'c'}]",
		"[JSONPatch{op: 'test', path: '/metadata/name', value: 'other'}, JSONPatch{op: 'remove', path: '/spec'}]",
		"[JSONPatch{op: 'add', path: '/spec/tolerations/-', value: Object.spec.tolerations{key: 'a', operator: 'Exists'}}]",
		"[JSONPatch{op: 'replace', path: '/spec/tolerations', value: [Object.spec.tolerations{key: 'a', operator: 'Exists'}, Object.spec.tolerations{key: 'b', operator: 'Exists'}]}]",
		"[JSONPatch{op: 'add', path: '/spec/terminationGracePeriodSeconds', value: 3}]",
		"[JSONPatch{op: 'add', path: '/spec/terminationGracePeriodSeconds', value: 'x'}]",
		"[JSONPatch{op: 'add', path: '/spec/hostNetwork', value: false}, JSONPatch{op: 'copy', from: '/metadata/name', path: '/spec/hostname'}]",
		"[JSONPatch{op: 'add', path: '/spec/containers/0/command', value: ['a', 'b'] + ['c']}]",
		"[JSONPatch{op: 'add', path: '/spec/containers/0/env', value: [{'name': 'A', 'value': 'b'}]}]",
		"[JSONPatch{op: 'add', path: '/spec/containers/99/image', value: 'x'}]",
		"[JSONPatch{op: 'add', path: '/spec/unknown', value: 'x'}]",
		"[JSONPatch{op: 'jump', path: '/spec'}]",
		"[JSONPatch{op: 'remove', path: '/spec/nothing'}]",
		"[JSONPatch{op: 'add', path: '/spec/nodeSelector', value: null}]",
		"object.spec.containers.map(c, JSONPatch{op: 'test', path: '/spec/containers/0/name', value: object.spec.containers[0].name})",
	},
	"apps_v1_deployments": {
		"Object{spec: Object.spec{replicas: object.spec.replicas + 1}}",
		"Object{spec: Object.spec{template: Object.spec.template{metadata: Object.spec.template.metadata{labels: {'a': 'b'}}, spec: Object.spec.template.spec{nodeName: 'n'}}}}",
		"Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}",
		"Object{spec: Object.spec{strategy: Object.spec.strategy{type: 'Recreate', rollingUpdate: null}}}",
		"[JSONPatch{op: 'replace', path: '/spec/strategy', value: Object.spec.strategy{type: 'Recreate'}}]",
	},
	"v1_configmaps": {
		"Object{data: Object.data{a: 'b'}}",
		"Object{data: {'a.b': 'c'}}",
		"Object{data: object.metadata.labels}",
		"Object{immutable: true, binaryData: {'x': 'eA=='}}",
		"Object{kind: 'Secret', apiVersion: 'v2'}",
		"[JSONPatch{op: 'add', path: '/data', value: object.data.transformMap(k, v, v + '!')}]",
	},
}

// takenHere are those that our server carries out, and a kube-apiserver does not, with the reason.
var takenHere = map[string]string{
	"Object{metadata: Object.metadata{labels: {'a': 'b', 'team': null}}}":                                                                                                                          sameTypes,
	"Object{metadata: Object.metadata{labels: {?'x': object.metadata.?nothing, 'y': string(size(object.spec.containers))}}}":                                                                       sameTypes,
	"Object{spec: Object.spec{strategy: Object.spec.strategy{type: 'Recreate', rollingUpdate: null}}}":                                                                                             unwritable,
	"Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'first', image: 'i', restartPolicy: 'Always', env: [{'name': 'A', 'value': 'b'}, {'name': 'B', 'value': 'c'}]}]}}": unwritable,
}

const (
	sameTypes  = "the values of a map may be of several types"
	unwritable = "a kube-apiserver can't write a null, or a map in a list, as JSON"
)

// TestMutations compares what policies make of objects with what those of a kube-apiserver make of
// them. What the original has made is sent to our server where no policy holds.
func TestMutations(t *testing.T) {
	s := start(t, kubernetesProgram)
	for _, name := range []string{inNamespace, "elsewhere"} {
		s.must("POST", "/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
	}
	p := ourPolicy{s, 0}
	p.install()
	all := slices.Concat(kinds, kindsOfKubernetes)
	for _, file := range slices.Sorted(maps.Keys(mutated)) {
		i := slices.IndexFunc(all, func(k kind) bool {
			return strings.TrimPrefix(k.Group+"_", "_")+k.Version+"_"+k.resource == file
		})
		doc := read(t, "testdata/"+file+".yaml")
		for _, expression := range mutated[file] {
			p.compare(t, all[i], doc, expression)
		}
	}
}

// ourPolicy is the one policy of our server, of which there have been some.
type ourPolicy struct {
	*server
	count int
}

const (
	policies = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies"
	bindings = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings"
)

// policy is one of a mutation.
func policy(name, resource string, mutation map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"reinvocationPolicy": "Never", "mutations": []any{mutation},
			"matchConstraints": map[string]any{
				"namespaceSelector": map[string]any{"matchLabels": map[string]any{"kubernetes.io/metadata.name": inNamespace}},
				"resourceRules":     []any{map[string]any{"operations": []any{"CREATE"}, "apiGroups": []any{"*"}, "apiVersions": []any{"*"}, "resources": []any{resource}}},
			},
		},
	}
}

// mutationBy is one by an expression.
func mutationBy(expression string) map[string]any {
	if strings.HasSuffix(expression, "}") {
		return map[string]any{"patchType": "ApplyConfiguration", "applyConfiguration": map[string]any{"expression": expression}}
	}
	return map[string]any{"patchType": "JSONPatch", "jsonPatch": map[string]any{"expression": expression}}
}

// install makes two policies: the one that is compared, and one by which is seen that the server
// knows the other.
func (p *ourPolicy) install() {
	for _, name := range []string{"compared", "seen"} {
		p.must("POST", policies, policy(name, "nothing", mutationBy("Object{}")))
		p.must("POST", bindings, map[string]any{
			"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"policyName": name},
		})
	}
}

// compare has both carry out one mutation.
func (p *ourPolicy) compare(t *testing.T, k kind, doc map[string]any, expression string) {
	what := k.Kind + ": " + expression
	if refused := p.set(k.resource, expression); refused != "" {
		if _, err := original(k, doc, expression); err == nil {
			t.Errorf("%s is refused as a policy, but does what it says: %s", what, refused)
		}
		return
	}
	ours, code := p.do("POST", k.path("")+"?dryRun=All", doc)
	made, err := original(k, doc, expression)
	if err != nil {
		refused := code >= 400 && strings.Contains(string(ours), "denied request: ")
		if known := takenHere[expression] != ""; refused == known {
			t.Errorf("%s: %d %s\nwant %v", what, code, ours, err)
		}
		return
	}
	unstructured.SetNestedField(made, "elsewhere", "metadata", "namespace")
	theirs, theirCode := p.do("POST", strings.Replace(k.path(""), inNamespace, "elsewhere", 1)+"?dryRun=All", made)
	if code != theirCode && !(code >= 400 && theirCode >= 400) {
		t.Errorf("%s: %d %s\nwant %d %s", what, code, ours, theirCode, theirs)
		return
	}
	if got, want := content(t, ours), content(t, theirs); code < 300 && got != want {
		t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

// content is what two answers have to have in common.
func content(t *testing.T, answer []byte) string {
	t.Helper()
	obj := map[string]any{}
	if err := json.Unmarshal(answer, &obj); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"uid", "creationTimestamp", "managedFields", "namespace"} {
		unstructured.RemoveNestedField(obj, "metadata", field)
	}
	return string(must(json.Marshal(obj)))
}

// set makes the policy one of an expression, and waits until the server knows it. refused is why it
// can't be one.
func (p *ourPolicy) set(resource, expression string) (refused string) {
	p.t.Helper()
	if out, code := p.do("PUT", policies+"/compared", policy("compared", resource, mutationBy(expression))); code >= 300 {
		return string(out)
	}
	p.count++
	mark := fmt.Sprintf("n%d", p.count)
	p.must("PUT", policies+"/seen", policy("seen", "secrets", mutationBy("Object{metadata: Object.metadata{labels: {'seen': '"+mark+"'}}}")))
	secret := map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"}}
	for end := time.Now().Add(hangs); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		made := p.must("POST", "/api/v1/namespaces/"+inNamespace+"/secrets?dryRun=All", secret)
		if seen, _, _ := unstructured.NestedString(made, "metadata", "labels", "seen"); seen == mark {
			return ""
		}
	}
	p.t.Fatalf("after %v the server does not know a policy", hangs)
	return ""
}

var typeConverter = applyconfigurations.NewTypeConverter(scheme.Scheme)

// original has the library of a kube-apiserver change an object.
func original(k kind, doc map[string]any, expression string) (map[string]any, error) {
	typed, _, err := scheme.Codecs.UniversalDeserializer().Decode(must(json.Marshal(doc)), nil, nil)
	if err != nil {
		return nil, err
	}
	scheme.Scheme.Default(typed)
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		return nil, err
	}
	options := plugincel.OptionalVariableDeclarations{HasAuthorizer: true, HasPatchTypes: true}
	var patcher patch.Patcher
	if strings.HasSuffix(expression, "}") {
		patcher = patch.NewApplyConfigurationPatcher(compiler.CompileMutatingEvaluator(&patch.ApplyConfigurationCondition{Expression: expression}, options, environment.NewExpressions))
	} else {
		patcher = patch.NewJSONPatcher(compiler.CompileMutatingEvaluator(&patch.JSONPatchCondition{Expression: expression}, options, environment.NewExpressions))
	}
	meta := doc["metadata"].(map[string]any)
	attributes := admission.NewAttributesRecord(typed, nil, k.GroupVersionKind, inNamespace, meta["name"].(string), k.GroupVersion().WithResource(k.resource), "", admission.Create, &metav1.CreateOptions{}, true, nil)
	versioned := &admission.VersionedAttributes{Attributes: attributes, VersionedKind: k.GroupVersionKind}
	versioned.VersionedObject.Set(typed)
	made, err := patcher.Patch(compiler.CreateContext(context.Background()), patch.Request{
		MatchedResource:     k.GroupVersion().WithResource(k.resource),
		VersionedAttributes: versioned,
		ObjectInterfaces:    admission.NewObjectInterfacesFromScheme(scheme.Scheme),
		TypeConverter:       typeConverter,
	}, celconfig.RuntimeCELCostBudget)
	if err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(made)
}
