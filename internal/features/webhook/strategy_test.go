package webhook

import (
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	v1 "github.com/typeplane/typeplane/internal/features/webhook/v1"
	"github.com/typeplane/typeplane/registry/rest"
)

func TestWebhooks(t *testing.T) {
	const (
		named  = "name: a.example.com, sideEffects: None, admissionReviewVersions: [v1]"
		there  = "clientConfig: {url: 'https://a/b'}"
		always = "rules: [{operations: ['*'], apiGroups: [''], apiVersions: [v1], resources: [pods]}]"
	)
	rule := func(text string) string { return "{" + named + ", " + there + ", rules: [" + text + "]}" }
	at := func(text string) string { return "{" + named + ", clientConfig: " + text + "}" }
	for hook, want := range map[string]string{
		"{" + named + ", " + there + ", " + always + "}": "",
		"{" + there + "}": "webhooks[0].name: Required value|webhooks[0].sideEffects: Required value|webhooks[0].admissionReviewVersions: Required value",
		"{name: a, sideEffects: Some, admissionReviewVersions: [v2, v2], failurePolicy: Ask, timeoutSeconds: 31, " + there + "}": `webhooks[0].name: Invalid value: "a": should be a domain|webhooks[0].sideEffects: Unsupported value: "Some"|` +
			`admissionReviewVersions[1]: Invalid value: "v2": duplicate version|must include at least one of v1, v1beta1|webhooks[0].failurePolicy: Unsupported value: "Ask"|timeoutSeconds: Invalid value: 31`,
		at("{}"):                    "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
		at("{url: 'http://a?b#c'}"): "'https' is the only allowed URL scheme|fragments are not permitted|query parameters are not permitted",
		at("{service: {name: a}}"):  "webhooks[0].clientConfig.service.namespace: Required value",
		at("{service: {name: a, namespace: b, port: 70000, path: x}}"): "port is not valid|must start with a '/'",
		rule("{}"): "operations: Required value|apiGroups: Required value|apiVersions: Required value|resources: Required value",
		rule("{operations: ['*', CREATE], apiGroups: ['*', a], apiVersions: [''], resources: ['*', pods]}"):                       "must not specify other operations|must not specify other API groups|apiVersions[0]: Required value|must not specify other resources without subresources",
		rule("{operations: [READ], apiGroups: [''], apiVersions: [v1], resources: [pods/*, pods/status], scope: All}"):            `Unsupported value: "READ"|if 'pods/*' is present, must not specify pods/status|Unsupported value: "All"`,
		"{" + named + ", " + there + ", matchConditions: [{name: a, expression: ''}, {name: a, expression: x}, {expression: x}]}": `expression: Required value|name: Duplicate value: "a"|matchConditions[2].name: Required value`,
	} {
		c := new(admissionregistrationv1.ValidatingWebhookConfiguration)
		if err := yaml.UnmarshalStrict([]byte("webhooks: ["+hook+"]"), c); err != nil {
			t.Fatal(err)
		}
		v1.SetObjectDefaults_ValidatingWebhookConfiguration(c)
		errs := ValidatingWebhookConfigurationStrategy{}.Validate(t.Context(), c)
		var wants []string
		if want != "" {
			wants = strings.Split(want, "|")
		}
		text := ""
		for _, err := range errs {
			text += err.Error() + "\n"
		}
		if len(errs) != len(wants) {
			t.Errorf("%s:\n%swant %q", hook, text, wants)
		}
		for _, w := range wants {
			if !strings.Contains(text, w) {
				t.Errorf("%s:\n%swant %s", hook, text, w)
			}
		}
	}
}

// However much is wrong with what was sent, not much more is found than an answer lists.
func TestWebhookWarnings(t *testing.T) {
	for rule, want := range map[string]string{
		"{apiGroups: ['', authentication.k8s.io], resources: [pods, tokenreviews]}": "webhooks[0].rules[0]: tokenreviews.authentication.k8s.io is excluded from admission webhooks; this rule will have no effect",
		"{apiGroups: ['*'], resources: [tokenreviews]}":                             "",
		"{apiGroups: [''], resources: [tokenreviews]}":                              "",
	} {
		c := new(admissionregistrationv1.MutatingWebhookConfiguration)
		if err := yaml.UnmarshalStrict([]byte("{webhooks: [{rules: ["+rule+"]}]}"), c); err != nil {
			t.Fatal(err)
		}
		if got := (MutatingWebhookConfigurationStrategy{}).WarningsOnUpdate(t.Context(), c, c); strings.Join(got, "|") != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}

func TestManyViolations(t *testing.T) {
	texts := make([]string, 10*rest.MaxViolations)
	conditions := make([]admissionregistrationv1.MatchCondition, len(texts))
	hook := admissionregistrationv1.MutatingWebhook{AdmissionReviewVersions: texts, MatchConditions: conditions, Rules: []admissionregistrationv1.RuleWithOperations{{
		Operations: make([]admissionregistrationv1.OperationType, len(texts)),
		Rule:       admissionregistrationv1.Rule{APIGroups: texts, APIVersions: texts, Resources: texts},
	}}}
	c := &admissionregistrationv1.MutatingWebhookConfiguration{Webhooks: []admissionregistrationv1.MutatingWebhook{hook, hook, hook}}
	if n := len(MutatingWebhookConfigurationStrategy{}.Validate(t.Context(), c)); n < rest.MaxViolations || n > len(texts) {
		t.Errorf("%d violations", n)
	}
}

func TestDefaults(t *testing.T) {
	c := &admissionregistrationv1.MutatingWebhookConfiguration{Webhooks: []admissionregistrationv1.MutatingWebhook{{
		ClientConfig: admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{}},
		Rules:        []admissionregistrationv1.RuleWithOperations{{}},
	}}}
	v1.SetObjectDefaults_MutatingWebhookConfiguration(c)
	w := c.Webhooks[0]
	if *w.FailurePolicy != "Fail" || *w.MatchPolicy != "Equivalent" || *w.TimeoutSeconds != 10 || *w.ReinvocationPolicy != "Never" ||
		*w.ClientConfig.Service.Port != 443 || *w.Rules[0].Scope != "*" || w.NamespaceSelector == nil || w.ObjectSelector == nil {
		t.Errorf("%+v", w)
	}
}

// A path says of a hundred of its steps what is wrong with them, not of a million.
func TestPathsAreBounded(t *testing.T) {
	path := "/a" + strings.Repeat("/", 1_000_000) + "b"
	errs := validateService(&admissionregistrationv1.ServiceReference{Name: "n", Namespace: "ns", Path: &path}, field.NewPath("service"))
	if len(errs) != rest.MaxViolations {
		t.Errorf("%d errors", len(errs))
	}
}
