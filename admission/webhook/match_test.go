package webhook

import (
	"context"
	"errors"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/admission"
)

// servedIn are Forms that only know versions.
type servedIn []admission.Version

func (f servedIn) Versions() []admission.Version { return f }
func (servedIn) Encode(apiruntime.Object, admission.Version) ([]byte, error) {
	return nil, errors.New("not asked")
}
func (servedIn) Decode([]byte, admission.Version) (apiruntime.Object, error) {
	return nil, errors.New("not asked")
}

func pods(group, version string) admission.Version {
	gv := schema.GroupVersion{Group: group, Version: version}
	return admission.Version{Resource: gv.WithResource("pods"), Kind: gv.WithKind("Pod")}
}

func TestRules(t *testing.T) {
	// A pod is served as v1, and as v1beta1 of another group.
	pod := admission.Request{Operation: admission.Create, Resource: pods("", "v1").Resource, Kind: pods("", "v1").Kind, Namespace: "ns", Name: "p", Forms: servedIn{pods("", "v1"), pods("old.example.com", "v1beta1")}}
	status := pod
	status.Operation, status.Subresource = admission.Update, "status"
	node := admission.Request{Operation: admission.Delete, Resource: schema.GroupVersionResource{Version: "v1", Resource: "nodes"}, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Node"}, Name: "n"}
	namespace := admission.Request{Operation: admission.Create, Resource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, Name: "ns"}
	connect := pod
	connect.Operation, connect.Subresource = admission.Connect, "log"
	requests := []struct {
		name string
		r    *admission.Request
	}{{"pod", &pod}, {"status", &status}, {"node", &node}, {"namespace", &namespace}, {"connect", &connect}}

	const all = "operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], "
	for _, tt := range []struct {
		rules string
		exact bool
		want  []string
	}{
		{rules: all + "resources: ['*/*']", want: []string{"pod", "status", "node", "namespace", "connect"}},
		{rules: all + "resources: ['*']", want: []string{"pod", "node", "namespace"}},
		{rules: all + "resources: [pods]", want: []string{"pod"}},
		{rules: all + "resources: ['pods/*']", want: []string{"pod", "status", "connect"}},
		{rules: all + "resources: [pods/status]", want: []string{"status"}},
		{rules: all + "resources: ['*/status']", want: []string{"status"}},
		{rules: all + "resources: [nodes, pods/log]", want: []string{"node", "connect"}},
		{rules: all + "resources: [po]"},
		{rules: all + "resources: ['*/*'], scope: '*'", want: []string{"pod", "status", "node", "namespace", "connect"}},
		{rules: all + "resources: ['*/*'], scope: Namespaced", want: []string{"pod", "status", "connect"}},
		{rules: all + "resources: ['*/*'], scope: Cluster", want: []string{"node", "namespace"}},
		{rules: "operations: [CREATE], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*']", want: []string{"pod", "namespace"}},
		{rules: "operations: [UPDATE, CONNECT], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*']", want: []string{"status", "connect"}},
		{rules: "operations: ['*'], apiGroups: [''], apiVersions: [v1], resources: ['*/*']", want: []string{"pod", "status", "node", "namespace", "connect"}},
		{rules: "operations: ['*'], apiGroups: [apps], apiVersions: [v1], resources: ['*/*']"},
		{rules: "operations: ['*'], apiGroups: [''], apiVersions: [v2], resources: ['*/*']"},
		// The same object in another version, of another group.
		{rules: "operations: ['*'], apiGroups: [old.example.com], apiVersions: [v1beta1], resources: [pods]", want: []string{"pod as v1beta1"}},
		{rules: "operations: ['*'], apiGroups: [old.example.com], apiVersions: ['*'], resources: ['*/*']", want: []string{"pod as v1beta1", "status as v1beta1", "connect as v1beta1"}},
		{rules: "operations: ['*'], apiGroups: [old.example.com], apiVersions: ['*'], resources: ['*/*']", exact: true},
		{rules: "operations: ['*'], apiGroups: [''], apiVersions: [v1beta1], resources: [pods]"},
		{rules: ""},
	} {
		h := &hook{exact: tt.exact}
		if tt.rules != "" {
			var rule admissionregistrationv1.RuleWithOperations
			if err := yaml.UnmarshalStrict([]byte("{"+tt.rules+"}"), &rule); err != nil {
				t.Fatal(err)
			}
			h.rules = append(h.rules, rule)
		}
		var got []string
		for _, r := range requests {
			v, ok := h.version(r.r)
			if ok && v.Resource == r.r.Resource && v.Kind == r.r.Kind {
				got = append(got, r.name)
			} else if ok {
				got = append(got, r.name+" as "+v.Kind.Version)
			}
		}
		if !equal(got, tt.want) {
			t.Errorf("%s exact=%v: %q, want %q", tt.rules, tt.exact, got, tt.want)
		}
	}
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// The version of the request comes before others, whichever rule names it.
func TestRulesPreferTheVersionOfTheRequest(t *testing.T) {
	rule := func(group, version string) admissionregistrationv1.RuleWithOperations {
		return admissionregistrationv1.RuleWithOperations{Operations: []admissionregistrationv1.OperationType{"*"}, Rule: admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{version}, Resources: []string{"pods"}}}
	}
	h := &hook{rules: []admissionregistrationv1.RuleWithOperations{rule("c", "v3"), rule("b", "v2"), rule("a", "v1")}}
	r := &admission.Request{Operation: admission.Create, Resource: pods("a", "v1").Resource, Kind: pods("a", "v1").Kind, Forms: servedIn{pods("a", "v1"), pods("b", "v2"), pods("c", "v3")}}
	if v, _ := h.version(r); v != pods("a", "v1") {
		t.Errorf("%v", v)
	}
	h.rules = h.rules[:2]
	if v, _ := h.version(r); v != pods("c", "v3") {
		t.Errorf("the first rule counts, not the first version: %v", v)
	}
}

func TestExempt(t *testing.T) {
	for kind, want := range map[string]bool{
		"ValidatingWebhookConfiguration": true, "MutatingWebhookConfiguration": true, "ValidatingAdmissionPolicy": true,
		"ValidatingAdmissionPolicyBinding": true, "MutatingAdmissionPolicy": true, "MutatingAdmissionPolicyBinding": true, "Other": false,
	} {
		r := &admission.Request{Kind: schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: kind}}
		if exempt(r) != want {
			t.Errorf("%s: %v", kind, !want)
		}
		r.Kind.Group = "example.com"
		if exempt(r) {
			t.Errorf("%s of another group is exempt", kind)
		}
	}
	m := NewMutating(Config{})
	if m.wants(&admission.Request{Kind: schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"}}) {
		t.Error("a plug-in that knows nothing yet wants to see configurations")
	}
}

func TestSelectors(t *testing.T) {
	labelled := func(l map[string]string) apiruntime.Object {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Labels: l}}
	}
	red, blue := map[string]string{"c": "red"}, map[string]string{"c": "blue"}
	namespaces := func(_ context.Context, name string) (map[string]string, error) {
		switch name {
		case "red":
			return red, nil
		case "blue":
			return blue, nil
		case "broken":
			return nil, errors.New("no database")
		}
		return nil, apierrors.NewNotFound(namespaceResource, name)
	}
	namespace := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	for _, tt := range []struct {
		name               string
		namespaces, object string
		r                  admission.Request
		want               bool
		code               int32
	}{
		{name: "no selector", r: admission.Request{Namespace: "red"}, want: true},
		{name: "namespace", namespaces: "c=red", r: admission.Request{Namespace: "red"}, want: true},
		{name: "other namespace", namespaces: "c=red", r: admission.Request{Namespace: "blue"}},
		{name: "missing namespace", namespaces: "c=red", r: admission.Request{Namespace: "gone"}, code: 404},
		{name: "missing namespace without selector", r: admission.Request{Namespace: "gone"}, want: true},
		{name: "namespace that can't be read", namespaces: "c=red", r: admission.Request{Namespace: "broken"}, code: 500},
		{name: "cluster scope", namespaces: "c=red", r: admission.Request{Name: "n"}, want: true},
		{name: "namespace as it will be", namespaces: "c=red", r: admission.Request{Resource: namespace, Name: "blue", Object: labelled(red)}, want: true},
		{name: "namespace as it was", namespaces: "c=red", r: admission.Request{Resource: namespace, Name: "red", Object: labelled(blue), Old: labelled(red)}},
		{name: "namespace that goes", namespaces: "c=red", r: admission.Request{Resource: namespace, Name: "blue", Old: labelled(red)}, want: true},
		{name: "part of a namespace", namespaces: "c=red", r: admission.Request{Resource: namespace, Subresource: "status", Name: "blue", Object: labelled(red)}},
		{name: "object", object: "c=red", r: admission.Request{Object: labelled(red)}, want: true},
		{name: "old object", object: "c=red", r: admission.Request{Object: labelled(blue), Old: labelled(red)}, want: true},
		{name: "deleted object", object: "c=red", r: admission.Request{Old: labelled(red)}, want: true},
		{name: "neither", object: "c=red", r: admission.Request{Object: labelled(blue), Old: labelled(nil)}},
		{name: "no labels at all", object: "!c", r: admission.Request{Object: &metav1.GetOptions{}}},
		{name: "an object without labels", object: "!c", r: admission.Request{Object: labelled(nil)}, want: true},
		{name: "object of a missing namespace that is not selected", object: "c=red", namespaces: "c=red", r: admission.Request{Namespace: "gone", Object: labelled(blue)}},
	} {
		m := NewMutating(Config{Namespaces: namespaces})
		parsed := func(text string) *metav1.LabelSelector {
			s, err := metav1.ParseToLabelSelector(text)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		h := m.compile(spec{ValidatingWebhook: admissionregistrationv1.ValidatingWebhook{NamespaceSelector: parsed(tt.namespaces), ObjectSelector: parsed(tt.object)}}, map[place]*connection{})
		got, err := m.selects(t.Context(), h, &tt.r)
		if got != tt.want || status(err).Code != tt.code {
			t.Errorf("%s: %v %v", tt.name, got, err)
		}
	}
	// Where there are no namespaces, they have names all the same.
	m := NewMutating(Config{})
	h := m.compile(spec{ValidatingWebhook: admissionregistrationv1.ValidatingWebhook{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{nameLabel: "ns"}}}}, map[place]*connection{})
	if ok, err := m.selects(t.Context(), h, &admission.Request{Namespace: "ns"}); !ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}

func TestConditions(t *testing.T) {
	w := newWorld(t, Config{Conditions: func(conditions []admissionregistrationv1.MatchCondition, path *field.Path) (Match, field.ErrorList) {
		if conditions[0].Expression == "bad" {
			return nil, field.ErrorList{field.Invalid(path.Index(0).Child("expression"), "bad", "no")}
		}
		return func(_ context.Context, r *admissionv1.AdmissionRequest) (bool, error) {
			if conditions[0].Expression == "fails" {
				return false, errors.New("it fails")
			}
			return r.Name == conditions[0].Expression, nil
		}, nil
	}})
	hook := newRemote(t, allow)
	with := func(expression, more string) admissionregistrationv1.ValidatingWebhook {
		return validatingHook(t, hook, "v.example.com", "matchConditions: [{name: a, expression: "+expression+"}]\n"+more)
	}
	w.validate(with("w", ""))
	for _, name := range []string{"w", "x"} {
		if _, err := w.create(`{"metadata":{"name":"` + name + `"}}`); err != nil {
			t.Error(err)
		}
	}
	if seen := hook.seen(); len(seen) != 1 || seen[0].Name != "w" {
		t.Errorf("%d requests", len(seen))
	}
	for _, expression := range []string{"fails", "bad"} {
		w.validate(with(expression, ""))
		_, err := w.create(`{"metadata":{"name":"y"}}`)
		wantStatus(t, err, 403, `widgets.shop.example.com "y" is forbidden`)
		w.validate(with(expression, "failurePolicy: Ignore"))
		if _, err := w.create(`{"metadata":{"name":"` + expression + `"}}`); err != nil {
			t.Error(err)
		}
	}
	if n := len(hook.seen()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// A configuration whose conditions nobody can compile is refused, but for what was there before.
func TestConditionsOfConfigurations(t *testing.T) {
	with := func(expressions ...string) *admissionregistrationv1.ValidatingWebhookConfiguration {
		c := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		for _, e := range expressions {
			h := admissionregistrationv1.ValidatingWebhook{}
			if e != "" {
				h.MatchConditions = []admissionregistrationv1.MatchCondition{{Name: "a", Expression: e}}
			}
			c.Webhooks = append(c.Webhooks, h)
		}
		return c
	}
	simple := func(conditions []admissionregistrationv1.MatchCondition, path *field.Path) (Match, field.ErrorList) {
		if conditions[0].Expression == "bad" {
			return nil, field.ErrorList{field.Invalid(path.Index(0).Child("expression"), "bad", "no")}
		}
		return func(context.Context, *admissionv1.AdmissionRequest) (bool, error) { return true, nil }, nil
	}
	const unable = `webhooks[1].matchConditions: Forbidden: this server is built without the language of match conditions (CEL): leave them out, and match by rules and selectors`
	for _, tt := range []struct {
		name     string
		compile  Conditions
		new, old *admissionregistrationv1.ValidatingWebhookConfiguration
		want     string
	}{
		{name: "none", new: with("", "")},
		{name: "no language", new: with("", "good"), want: unable},
		{name: "it was there", new: with("", "good"), old: with("", "good")},
		{name: "it was elsewhere", new: with("", "good"), old: with("good"), want: unable},
		{name: "it changed", new: with("", "good"), old: with("", "better"), want: unable},
		{name: "good", compile: simple, new: with("good")},
		{name: "bad", compile: simple, new: with("good", "bad"), want: `webhooks[1].matchConditions[0].expression: Invalid value: "bad": no`},
	} {
		p := NewValidating(Config{Conditions: tt.compile}).Plugin()
		r := &admission.Request{Operation: admission.Create, Name: "c", Kind: schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingWebhookConfiguration"}, Object: tt.new}
		if tt.old != nil {
			r.Operation, r.Old = admission.Update, tt.old
		}
		if !p.Wants(r) {
			t.Errorf("%s: it is not asked", tt.name)
		}
		err := p.Validate(t.Context(), r)
		if tt.want == "" && err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.want != "" {
			wantStatus(t, err, 422, `ValidatingWebhookConfiguration.admissionregistration.k8s.io "c" is invalid: `+tt.want)
		}
	}
	if p := NewMutating(Config{}).Plugin(); p.Wants(&admission.Request{Operation: admission.Create, Kind: schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"}}) {
		t.Error("each plug-in is asked about configurations of its own")
	}
}
