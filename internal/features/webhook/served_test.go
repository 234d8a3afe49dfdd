package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/features/servertest"
)

// webhook is one for config maps: those that are called bad it refuses, the others get a datum if
// it may change them.
type webhook struct {
	*httptest.Server
	mu    sync.Mutex // guards what follows
	names []string
	token string
}

func newWebhook(t *testing.T) *webhook {
	t.Helper()
	w := new(webhook)
	w.Server = httptest.NewTLSServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *webhook) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	var review admissionv1.AdmissionReview
	json.NewDecoder(req.Body).Decode(&review)
	w.mu.Lock()
	w.names = append(w.names, review.Request.Name)
	w.token = req.Header.Get("Authorization")
	w.mu.Unlock()
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: !strings.HasPrefix(review.Request.Name, "bad"), Warnings: []string{"seen"}}
	if req.URL.Path == "/mutate" {
		patch := admissionv1.PatchTypeJSONPatch
		review.Response.Allowed, review.Response.PatchType, review.Response.Patch = true, &patch, []byte(`[{"op":"add","path":"/data","value":{"k":"v"}}]`)
	}
	json.NewEncoder(rw).Encode(review)
}

// configuration is a JSON configuration of the kind; more are fields of the webhook.
func (w *webhook) configuration(kind, path, more string) string {
	ca, _ := json.Marshal(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.Certificate().Raw}))
	return fmt.Sprintf(`{"kind":%q,"apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"c"},"webhooks":[{"name":"x.example.com","sideEffects":"None","admissionReviewVersions":["v1"],
		"rules":[{"operations":["CREATE"],"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]}],"clientConfig":{"url":"%s%s","caBundle":%s}%s}]}`, kind, w.URL, path, ca, more)
}

const (
	validatingPath = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
	mutatingPath   = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
	configMaps     = "/api/v1/namespaces/default/configmaps"
)

// TestWebhooks: configurations are in effect when they have been seen, and until they are gone.
func TestWebhooks(t *testing.T) {
	c, hook := servertest.Start(t), newWebhook(t)
	c.Until(200, "mutating-webhooks ok", "/readyz?verbose=1")
	c.Want(201, "x.example.com", "POST", mutatingPath, hook.configuration("MutatingWebhookConfiguration", "/mutate", ""))
	c.Want(201, "x.example.com", "POST", validatingPath, hook.configuration("ValidatingWebhookConfiguration", "/validate", ""))
	made := 0
	create := func(name string) (int, string) {
		made++
		return c.Do("POST", configMaps, fmt.Sprintf(`{"metadata":{"name":"%s%d"}}`, name, made))
	}
	await := func(what string, done func(code int, answer string) bool, name string) {
		t.Helper()
		servertest.Eventually(t, what, func() bool { return done(create(name)) })
	}
	await("nothing is refused", func(code int, answer string) bool {
		return code == 400 && strings.Contains(answer, `admission webhook \"x.example.com\" denied the request`)
	}, "bad")
	await("nothing is changed", func(code int, answer string) bool { return code == 201 && strings.Contains(answer, `"k":"v"`) }, "good")

	// Only namespaces with the label are asked about.
	c.Want(200, `"level"`, "PATCH", validatingPath+"/c", `{"webhooks":[`+webhookOf(t, hook.configuration("ValidatingWebhookConfiguration", "/validate", `,"namespaceSelector":{"matchLabels":{"level":"high"}}`))+`]}`)
	await("the selector has no effect", func(code int, _ string) bool { return code == 201 }, "bad")
	c.Want(200, `"level":"high"`, "PATCH", "/api/v1/namespaces/default", `{"metadata":{"labels":{"level":"high"}}}`)
	await("the label has no effect", func(code int, _ string) bool { return code == 400 }, "bad")

	c.Want(200, "Success", "DELETE", mutatingPath+"/c", "")
	c.Want(200, "Success", "DELETE", validatingPath+"/c", "")
	await("it is still refused", func(code int, _ string) bool { return code == 201 }, "bad")
	await("it is still changed", func(_ int, answer string) bool { return !strings.Contains(answer, `"k":"v"`) }, "good")
	for _, metric := range []string{"request_total", "rejection_count", "admission_duration_seconds_count"} {
		c.Want(200, "apiserver_admission_webhook_"+metric+`{`, "GET", "/metrics", "")
	}
}

// webhookOf is the first webhook of a configuration.
func webhookOf(t *testing.T, configuration string) string {
	t.Helper()
	var c struct{ Webhooks []json.RawMessage }
	if err := json.Unmarshal([]byte(configuration), &c); err != nil {
		t.Fatal(err)
	}
	return string(c.Webhooks[0])
}

// TestWebhooksOfWebhooks: a webhook for everything that nobody answers for does not keep its
// configuration from being removed.
func TestWebhooksOfWebhooks(t *testing.T) {
	c, hook := servertest.Start(t), newWebhook(t)
	hook.Close()
	all := strings.NewReplacer(`"CREATE"`, `"*"`, `[""]`, `["*"]`, `["v1"],"resources"`, `["*"],"resources"`, `"configmaps"`, `"*/*"`)
	c.Want(201, "x.example.com", "POST", validatingPath, all.Replace(hook.configuration("ValidatingWebhookConfiguration", "/validate", "")))
	servertest.Eventually(t, "nothing fails", func() bool {
		code, answer := c.Do("POST", configMaps, `{"metadata":{"generateName":"n"}}`)
		return code == 500 && strings.Contains(answer, `Internal error occurred: failed calling webhook \"x.example.com\": failed to call webhook: Post`)
	})
	c.Want(201, "x.example.com", "POST", mutatingPath, hook.configuration("MutatingWebhookConfiguration", "/mutate", ""))
	c.Want(200, "Success", "DELETE", mutatingPath+"/c", "")
	// Nor from asking who somebody is, and what he may do.
	c.Want(201, `"username"`, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", `{}`)
	c.Want(201, `"allowed":true`, "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", `{"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}`)
	c.Want(500, "failed calling webhook", "POST", servertest.Namespaces+"/default/serviceaccounts/default/token", `{}`)
	c.Want(200, "Success", "DELETE", validatingPath+"/c", "")
}

// TestWebhooksOfTokens: a request for a token is changed and judged as serviceaccounts/token.
func TestWebhooksOfTokens(t *testing.T) {
	c := servertest.Start(t)
	var mu sync.Mutex
	asked := map[string]string{}
	hook := &webhook{}
	hook.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var review admissionv1.AdmissionReview
		json.NewDecoder(req.Body).Decode(&review)
		r := review.Request
		mu.Lock()
		asked[req.URL.Path] = fmt.Sprintf("%s %s/%s %s %s %s", r.Operation, r.Resource.Resource, r.SubResource, r.Kind.Kind, r.Name, r.Object.Raw)
		mu.Unlock()
		review.Response = &admissionv1.AdmissionResponse{UID: r.UID, Allowed: req.URL.Path == "/mutate" || !bytes.Contains(r.Object.Raw, []byte("forbidden"))}
		if req.URL.Path == "/mutate" && !bytes.Contains(r.Object.Raw, []byte("forbidden")) {
			patch := admissionv1.PatchTypeJSONPatch
			review.Response.PatchType, review.Response.Patch = &patch, []byte(`[{"op":"add","path":"/spec/audiences","value":["vault"]}]`)
		}
		json.NewEncoder(w).Encode(review)
	}))
	t.Cleanup(hook.Close)
	const accounts = servertest.Namespaces + "/default/serviceaccounts"
	c.Until(200, "uid", accounts+"/default")
	only := strings.NewReplacer(`"configmaps"`, `"serviceaccounts/token"`)
	c.Want(201, "x.example.com", "POST", mutatingPath, only.Replace(hook.configuration("MutatingWebhookConfiguration", "/mutate", "")))
	c.Want(201, "x.example.com", "POST", validatingPath, only.Replace(hook.configuration("ValidatingWebhookConfiguration", "/validate", "")))
	servertest.Eventually(t, "nobody judges", func() bool {
		code, _ := c.Do("POST", accounts+"/default/token", `{"spec":{"audiences":["forbidden"]}}`)
		return code == 400
	})
	servertest.Eventually(t, "nobody changes and judges", func() bool {
		code, answer := c.Do("POST", accounts+"/default/token", `{}`)
		mu.Lock()
		defer mu.Unlock()
		return code == 201 && strings.Contains(answer, `"audiences":["vault"]`) && strings.Contains(asked["/validate"], "vault")
	})
	mu.Lock()
	defer mu.Unlock()
	for path, want := range map[string][]string{
		"/mutate":   {"CREATE serviceaccounts/token TokenRequest default ", `"expirationSeconds":3600`},
		"/validate": {"CREATE serviceaccounts/token TokenRequest default ", `"expirationSeconds":3600`, `"audiences":["vault"]`, `"name":"default"`},
	} {
		for _, part := range want {
			if !strings.Contains(asked[path], part) {
				t.Errorf("%s was asked about %s, want %s", path, asked[path], part)
			}
		}
	}
	c.Want(400, "does not match the namespace", "POST", accounts+"/default/token", `{"metadata":{"namespace":"other"}}`)
}

// TestMatchConditions: without a language for them they are refused.
func TestMatchConditions(t *testing.T) {
	c, hook := servertest.Start(t), newWebhook(t)
	const conditions = `,"matchConditions":[{"name":"a","expression":"true"}]`
	for kind, path := range map[string]string{"ValidatingWebhookConfiguration": validatingPath, "MutatingWebhookConfiguration": mutatingPath} {
		c.Want(422, "webhooks[0].matchConditions: Forbidden: this server is built without the language of match conditions (CEL)", "POST", path, hook.configuration(kind, "/", conditions))
		c.Want(201, "x.example.com", "POST", path, hook.configuration(kind, "/", ""))
		c.Want(422, "webhooks[0].matchConditions: Forbidden", "PATCH", path+"/c", `{"webhooks":[`+webhookOf(t, hook.configuration(kind, "/", conditions))+`]}`)
	}
}

// TestWebhookCredentials: the configuration of the plug-in leads to the credential of a host.
func TestWebhookCredentials(t *testing.T) {
	hook, dir := newWebhook(t), t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	users := write("users", fmt.Sprintf("users: [{name: '%s', user: {token: s3cret}}]", strings.TrimPrefix(hook.URL, "https://")))
	config := func(plugin string) string {
		return write("admission", "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: [{name: ValidatingAdmissionWebhook, configuration: "+plugin+"}]")
	}
	with := func(file string) apitest.Option {
		return func(o *typeplane.Options) { o.Admission.ConfigFile = file }
	}
	c := servertest.Start(t, with(config("{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: "+users+"}")))
	c.Want(201, "x.example.com", "POST", validatingPath, hook.configuration("ValidatingWebhookConfiguration", "/validate", ""))
	made := 0
	servertest.Eventually(t, "nothing is refused", func() bool {
		made++
		code, _ := c.Do("POST", configMaps, fmt.Sprintf(`{"metadata":{"name":"bad%d"}}`, made))
		return code == 400
	})
	hook.mu.Lock()
	if hook.token != "Bearer s3cret" {
		t.Errorf("%q", hook.token)
	}
	hook.mu.Unlock()

	for text, want := range map[string]string{
		"{apiVersion: v1, kind: Config}":                                                                                           `it is a "v1 Config", want a WebhookAdmissionConfiguration`,
		"{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration}":                                            "kubeConfigFile: want a file",
		"{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: users}":                     `kubeConfigFile: "users" must be an absolute file path`,
		"{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: /none}":                     "kubeConfigFile: open /none",
		"{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: /none, staticManifests: x}": `unknown field "staticManifests"`,
	} {
		o := typeplane.NewOptions("plane")
		o.Store.DataDir, o.Store.InMemory, o.Serving.SecurePort = t.TempDir(), true, 0
		o.Admission.ConfigFile = config(text)
		err := typeplane.Run(context.Background(), typeplane.Server{Name: "plane", APIs: features.All()}, o, new(bytes.Buffer))
		if err == nil || !strings.Contains(err.Error(), "ValidatingAdmissionWebhook: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
