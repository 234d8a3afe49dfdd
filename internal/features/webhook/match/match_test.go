package match

import (
	"context"
	"errors"
	"slices"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/admission"
)

// servedIn is a Codec that only knows versions.
type servedIn []admission.Version

func (f servedIn) Versions() []admission.Version { return f }
func (servedIn) Encode(apiruntime.Object, admission.Version) ([]byte, error) {
	return nil, errors.New("not asked")
}
func (servedIn) Decode([]byte, admission.Version) (apiruntime.Object, error) {
	return nil, errors.New("not asked")
}

func (servedIn) Merge([]byte, map[string]any, admission.Version) ([]byte, error) {
	return nil, errors.New("not asked")
}

func pods(group, version string) admission.Version {
	gv := schema.GroupVersion{Group: group, Version: version}
	return admission.Version{Resource: gv.WithResource("pods"), Kind: gv.WithKind("Pod")}
}

func TestRules(t *testing.T) {
	// A pod is served as v1, and as v1beta1 of another group.
	pod := admission.Request{Operation: admission.Create, Resource: pods("", "v1").Resource, Kind: pods("", "v1").Kind, Namespace: "ns", Name: "p", Codec: servedIn{pods("", "v1"), pods("old.example.com", "v1beta1")}}
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
		var rules []admissionregistrationv1.RuleWithOperations
		if tt.rules != "" {
			var rule admissionregistrationv1.RuleWithOperations
			if err := yaml.UnmarshalStrict([]byte("{"+tt.rules+"}"), &rule); err != nil {
				t.Fatal(err)
			}
			rules = append(rules, rule)
		}
		var got []string
		for _, r := range requests {
			v, ok := Version(rules, tt.exact, r.r)
			if ok && v.Resource == r.r.Resource && v.Kind == r.r.Kind {
				got = append(got, r.name)
			} else if ok {
				got = append(got, r.name+" as "+v.Kind.Version)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s exact=%v: %q, want %q", tt.rules, tt.exact, got, tt.want)
		}
	}
}

// The version of the request comes before others, whichever rule names it.
func TestRulesPreferTheVersionOfTheRequest(t *testing.T) {
	rule := func(group, version string) admissionregistrationv1.RuleWithOperations {
		return admissionregistrationv1.RuleWithOperations{Operations: []admissionregistrationv1.OperationType{"*"}, Rule: admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{version}, Resources: []string{"pods"}}}
	}
	rules := []admissionregistrationv1.RuleWithOperations{rule("c", "v3"), rule("b", "v2"), rule("a", "v1")}
	r := &admission.Request{Operation: admission.Create, Resource: pods("a", "v1").Resource, Kind: pods("a", "v1").Kind, Codec: servedIn{pods("a", "v1"), pods("b", "v2"), pods("c", "v3")}}
	if v, _ := Version(rules, false, r); v != pods("a", "v1") {
		t.Errorf("%v", v)
	}
	rules = rules[:2]
	if v, _ := Version(rules, false, r); v != pods("c", "v3") {
		t.Errorf("the first rule counts, not the first version: %v", v)
	}
}

func TestExempt(t *testing.T) {
	for kind, want := range map[string]bool{
		"ValidatingWebhookConfiguration": true, "MutatingWebhookConfiguration": true, "ValidatingAdmissionPolicy": true,
		"ValidatingAdmissionPolicyBinding": true, "MutatingAdmissionPolicy": true, "MutatingAdmissionPolicyBinding": true, "Other": false,
	} {
		r := &admission.Request{Kind: schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: kind}}
		if Exempt(r) != want {
			t.Errorf("%s: %v", kind, !want)
		}
		r.Kind.Group = "example.com"
		if Exempt(r) {
			t.Errorf("%s of another group is exempt", kind)
		}
	}
	for resource, want := range map[string]bool{
		"tokenreviews.authentication.k8s.io": true, "selfsubjectreviews.authentication.k8s.io": true, "subjectaccessreviews.authorization.k8s.io": true,
		"localsubjectaccessreviews.authorization.k8s.io": true, "selfsubjectaccessreviews.authorization.k8s.io": true,
		"selfsubjectrulesreviews.authorization.k8s.io": true, "tokenreviews": false, "serviceaccounts": false,
	} {
		if Exempt(&admission.Request{Resource: schema.ParseGroupResource(resource).WithVersion("v1")}) != want {
			t.Errorf("%s: %v", resource, !want)
		}
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
		parsed := func(text string) *metav1.LabelSelector {
			s, err := metav1.ParseToLabelSelector(text)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		s, err := NewSelectors(parsed(tt.namespaces), parsed(tt.object))
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Select(t.Context(), &tt.r, namespaces)
		if got != tt.want || code(err) != tt.code {
			t.Errorf("%s: %v %v", tt.name, got, err)
		}
	}
	// Where there are no namespaces, they have names anyway.
	s, err := NewSelectors(&metav1.LabelSelector{MatchLabels: map[string]string{NameLabel: "ns"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := s.Select(t.Context(), &admission.Request{Namespace: "ns"}, nil); !ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	if _, err := NewSelectors(nil, &metav1.LabelSelector{MatchLabels: map[string]string{"a": "-"}}); err == nil {
		t.Error("a selector that can't be read is taken")
	}
}

// code is that of a status, 0 for no error.
func code(err error) int32 {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code
	}
	return 0
}
