package policy

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

// enforced is an enforcer with a policy p and a binding b.
func enforced(t *testing.T, spec, binds string) *enforcer {
	t.Helper()
	_, e := policied(t, spec, binds)
	return e
}

// policied is enforced with the policy.
func policied(t *testing.T, spec, binds string) (*admissionregistrationv1.ValidatingAdmissionPolicy, *enforcer) {
	t.Helper()
	p, b := new(admissionregistrationv1.ValidatingAdmissionPolicy), new(admissionregistrationv1.ValidatingAdmissionPolicyBinding)
	p.Name, p.UID, p.Generation, b.Name, b.Spec.PolicyName = "p", "1", 1, "b", "p"
	for text, into := range map[string]any{spec: &p.Spec, binds: &b.Spec} {
		if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if b.Spec.ValidationActions == nil {
		b.Spec.ValidationActions = []admissionregistrationv1.ValidationAction{"Deny"}
	}
	e := newEnforcer(reader{}, auth.Masters{}, slog.New(slog.DiscardHandler))
	e.setBindings([]binding{validatingBinding(b)})
	e.setPolicies([]source{validatingSource(p)})
	return p, e
}

// write is a request for a config map c in the namespace ns, with a label a: b.
func write(operation admission.Operation) *admission.Request {
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "ns", Labels: map[string]string{"a": "b"}}}
	r := &admission.Request{
		Operation: operation, Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"},
		Namespace: "ns", Name: "c", Object: obj, Old: obj,
	}
	switch operation {
	case admission.Create:
		r.Old = nil
	case admission.Delete:
		r.Object = nil
	}
	return r
}

const rules = "resourceRules: [{operations: [CREATE, DELETE], apiGroups: [''], apiVersions: [v1], resources: [configmaps]}]"

// What a policy is about, by its own words and by those of its binding.
func TestMatch(t *testing.T) {
	for constraints, want := range map[string]string{
		rules: "CREATE DELETE",
		"resourceRules: [{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*']}]":                                      "CREATE UPDATE DELETE",
		"resourceRules: [{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: [secrets]}]":                                  "",
		"resourceRules: [{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], resourceNames: [c, d]}]":               "CREATE UPDATE DELETE",
		"resourceRules: [{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], resourceNames: [d]}]":                  "",
		rules + "\nexcludeResourceRules: [{operations: [CREATE], apiGroups: ['*'], apiVersions: ['*'], resources: ['*']}]":                  "DELETE",
		rules + "\nexcludeResourceRules: [{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], resourceNames: [c]}]": "",
		rules + "\nobjectSelector: {matchLabels: {a: b}}":                                                                                   "CREATE DELETE",
		rules + "\nobjectSelector: {matchLabels: {a: c}}":                                                                                   "",
		rules + "\nnamespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ns}}":                                                     "CREATE DELETE",
		rules + "\nnamespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}":                                                  "",
	} {
		const everything = "resourceRules: [{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*']}]"
		inner := func(text string) string { return "{" + strings.ReplaceAll(text, "\n", ", ") + "}" }
		for where, e := range map[string]*enforcer{
			"policy":  enforced(t, "matchConstraints: "+inner(constraints)+"\nvalidations: [{expression: 'false'}]", "{}"),
			"binding": enforced(t, "matchConstraints: {"+everything+"}\nvalidations: [{expression: 'false'}]", "matchResources: "+inner(constraints)),
		} {
			var denied []string
			for _, operation := range []admission.Operation{admission.Create, admission.Update, admission.Delete} {
				r := write(operation)
				err := e.validate(t.Context(), r)
				if err != nil {
					denied = append(denied, string(operation))
				}
				if err != nil && !e.wants(r) {
					t.Errorf("%s %s: it is denied what it does not want to see", where, constraints)
				}
			}
			if got := strings.Join(denied, " "); got != want {
				t.Errorf("%s %s: %q, want %q", where, constraints, got, want)
			}
		}
	}
}

func TestNeverAboutPolicies(t *testing.T) {
	e := enforced(t, "matchConstraints: {resourceRules: [{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*']}]}\nvalidations: [{expression: 'false'}]", "{}")
	for _, kind := range []string{"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration"} {
		r := write(admission.Delete)
		r.Kind = admissionregistrationv1.SchemeGroupVersion.WithKind(kind)
		if e.wants(r) {
			t.Error(kind)
		}
	}
}

// What is answered, and with which code.
func TestDenials(t *testing.T) {
	const about = "matchConstraints: {" + rules + "}\n"
	for spec, want := range map[string]struct {
		code int32
		says string
	}{
		"validations: [{expression: 'true'}]":                                                        {},
		"validations: [{expression: 'false'}]":                                                       {422, "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: false"},
		"validations: [{expression: 'false', reason: Unauthorized}]":                                 {401, "failed expression"},
		"validations: [{expression: 'false', reason: Forbidden}]":                                    {403, "failed expression"},
		"validations: [{expression: 'false', reason: RequestEntityTooLarge}]":                        {413, "failed expression"},
		"validations: [{expression: 'object.x == 1'}, {expression: 'false', reason: Forbidden}]":     {422, "no such key: x"},
		"failurePolicy: Ignore\nvalidations: [{expression: 'object.x == 1'}]":                        {},
		"failurePolicy: Ignore\nvalidations: [{expression: 'object.x == 1'}, {expression: 'false'}]": {422, "failed expression: false"},
		"validations: [{expression: 'object.'}]":                                                     {422, "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: spec.validations[0].expression"},
		"failurePolicy: Ignore\nvalidations: [{expression: 'object.'}]":                              {},
		"auditAnnotations: [{key: a, valueExpression: object.x}]":                                    {422, "no such key: x"},
		"failurePolicy: Ignore\nauditAnnotations: [{key: a, valueExpression: object.x}]":             {},
		"matchConditions: [{name: m, expression: 'false'}]\nvalidations: [{expression: 'false'}]":    {},
		"matchConditions: [{name: m, expression: object.x}]\nvalidations: [{expression: 'true'}]":    {422, "must evaluate to bool"},
		"validations: [{expression: namespaceObject.metadata.name == 'ns' && oldObject == null}]":    {},
	} {
		err := enforced(t, about+spec, "{}").validate(t.Context(), write(admission.Create))
		var status apierrors.APIStatus
		if errors.As(err, &status) != (want.code != 0) {
			t.Errorf("%s: %v", spec, err)
		} else if err != nil && (status.Status().Code != want.code || !strings.Contains(err.Error(), want.says) || len(status.Status().Details.Causes) != 1) {
			t.Errorf("%s: %d %v, want %v", spec, status.Status().Code, err, want)
		}
	}
}

// A policy is compiled once, and again when its spec changes.
func TestCompiledOncePerGeneration(t *testing.T) {
	p, e := policied(t, "matchConstraints: {"+rules+"}\nvalidations: [{expression: 'false'}]", "{}")
	first := (*e.active.Load())[0].policy
	e.setBindings(e.bindings)
	labelled := p.DeepCopy()
	labelled.Labels = map[string]string{"a": "b"}
	e.setPolicies([]source{validatingSource(labelled)})
	if (*e.active.Load())[0].policy != first {
		t.Error("it is compiled again for nothing")
	}
	changed := labelled.DeepCopy()
	changed.Generation, changed.Spec.Validations[0].Expression = 2, "true"
	e.setPolicies([]source{validatingSource(changed)})
	if err := e.validate(t.Context(), write(admission.Create)); err != nil || len(e.compiled) != 1 {
		t.Errorf("%v %d", err, len(e.compiled))
	}
	other := changed.DeepCopy()
	other.UID, other.Spec.Validations[0].Expression = types.UID("2"), "false"
	e.setPolicies([]source{validatingSource(other)})
	if err := e.validate(t.Context(), write(admission.Create)); err == nil {
		t.Error("another policy of the same name and generation is taken for the first one")
	}
}

// Nobody writes past policies that are not known yet, but the server itself.
func TestUnknown(t *testing.T) {
	e := newEnforcer(reader{}, auth.Masters{}, slog.New(slog.DiscardHandler))
	if e.ready(t.Context()) == nil || !e.wants(write(admission.Create)) {
		t.Error("it is ready")
	}
	if err := e.validate(t.Context(), write(admission.Create)); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(auth.WithUser(t.Context(), &auth.User{Name: "jane"}))
	cancel()
	if err := e.validate(ctx, write(admission.Create)); !apierrors.IsForbidden(err) {
		t.Error(err)
	}
}

// What the audit log and the client get.
func TestAuditAndWarn(t *testing.T) {
	e := enforced(t, "matchConstraints: {"+rules+"}\nvalidations: [{expression: 'true'}, {expression: 'false', message: m}]\nauditAnnotations: [{key: k, valueExpression: object.metadata.name}]",
		"validationActions: [Warn, Audit]")
	annotations, warnings := map[string]string{}, []string{}
	created := write(admission.Create)
	created.Notes = &rest.Notes{
		OnAnnotation: func(key, value string) { annotations[key] = value },
		OnWarning:    func(text string) { warnings = append(warnings, text) },
	}
	if err := e.validate(t.Context(), created); err != nil {
		t.Error(err)
	}
	if want := []string{"Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': m"}; !slices.Equal(warnings, want) {
		t.Errorf("%q, want %q", warnings, want)
	}
	want := map[string]string{
		"p/k": "c",
		"validation.policy.admission.k8s.io/validation_failure": `[{"message":"m","policy":"p","binding":"b","expressionIndex":1,"validationActions":["Warn","Audit"]}]`,
	}
	if !maps.Equal(annotations, want) {
		t.Errorf("%q, want %q", annotations, want)
	}
	// For a secret it says that something was wrong with it, but not what.
	clear(annotations)
	created.Notes.Bodies = rest.BodiesSecret
	if err := e.validate(t.Context(), created); err != nil {
		t.Error(err)
	}
	if got, want := annotations[failureKey], `[{"message":"","policy":"p","binding":"b","expressionIndex":1,"validationActions":["Warn","Audit"]}]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
