package webhook

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage/memory"
)

// world is a kind that is served in three versions, and the plug-ins before it.
type world struct {
	t             *testing.T
	v1, beta, old rest.Resource
	chain         admission.Chain
	mutating      *Mutating
	validating    *Validating
	ctx           context.Context
	req           *rest.Request
	user          *auth.User

	mu          sync.Mutex // guards what follows
	calls       []Call
	warnings    []string
	annotations map[string]string
}

// newWorld serves widgets. Both plug-ins know that there are no webhooks.
func newWorld(t *testing.T, c Config) *world {
	t.Helper()
	w := &world{t: t, annotations: map[string]string{}}
	c.Observe = func(call Call) {
		w.mu.Lock()
		defer w.mu.Unlock()
		call.Took = 0
		w.calls = append(w.calls, call)
	}
	w.mutating, w.validating = NewMutating(c), NewValidating(c)
	w.mutating.Set(nil)
	w.validating.Set(nil)
	t.Cleanup(w.mutating.Close)
	t.Cleanup(w.validating.Close)
	w.chain.Set([]admission.Plugin{w.mutating.Plugin(), w.validating.Plugin()})
	scheme := widget.Scheme()
	resource := registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true,
		StorageVersion: widget.GV1, Versions: []schema.GroupVersion{widget.GV1, widget.GV1beta1, widget.GVOld},
	})
	options := registry.Options{Admission: &w.chain, Schemas: registry.NewSchemas(widget.OpenAPI())}
	form, err := resource.Form(scheme, options)
	if err != nil {
		t.Fatal(err)
	}
	served, err := resource.Serve(scheme, memory.New(memory.Config{Database: memory.NewDatabase(), Root: "/registry", Form: form}), options)
	if err != nil {
		t.Fatal(err)
	}
	w.v1, w.beta, w.old = served[0], served[1], served[2]
	w.user = &auth.User{Name: "jane", UID: "7", Groups: []string{"staff"}, Extra: map[string][]string{"scope": {"a", "b"}}}
	w.ctx = auth.WithUser(t.Context(), w.user)
	w.req = &rest.Request{Notes: rest.Notes{
		OnWarning:    func(text string) { w.warnings = append(w.warnings, text) },
		OnAnnotation: func(key, value string) { w.annotations[key] = value },
	}}
	return w
}

func (w *world) create(data string, opts ...metav1.CreateOptions) (*widget.V1, error) {
	return w.createIn(w.v1, widget.GV1, data, opts...)
}

func (w *world) createIn(r rest.Resource, gv schema.GroupVersion, data string, opts ...metav1.CreateOptions) (*widget.V1, error) {
	w.t.Helper()
	opts = append(opts, metav1.CreateOptions{})
	view, err := r.Create.Create(w.ctx, w.req, rest.Name{Namespace: "ns"}, parse(w.t, gv, data), opts[0])
	if err != nil {
		return nil, err
	}
	return read(w.t, view), nil
}

func (w *world) update(data string) (*widget.V1, error) {
	w.t.Helper()
	view, _, err := w.v1.Update.Update(w.ctx, w.req, rest.Name{Namespace: "ns", Name: "w"}, parse(w.t, widget.GV1, data), metav1.UpdateOptions{})
	if err != nil {
		return nil, err
	}
	return read(w.t, view), nil
}

func parse(t *testing.T, gv schema.GroupVersion, data string) runtime.Object {
	t.Helper()
	d, err := serializer.Decode(widget.Scheme(), []byte(data), serializer.JSON, gv.WithKind("Widget"))
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return d.Object
}

func read(t *testing.T, view rest.View) *widget.V1 {
	t.Helper()
	var b strings.Builder
	if err := view.WriteTo(&b, rest.Representation{MediaType: rest.JSON}); err != nil {
		t.Fatal(err)
	}
	out := new(widget.V1)
	if err := json.Unmarshal([]byte(b.String()), out); err != nil {
		t.Fatal(err)
	}
	return out
}

// remote is a webhook. answer makes what it says to a request; the uid is filled in.
type remote struct {
	*httptest.Server
	answer func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse

	mu          sync.Mutex // guards what follows
	requests    []*admissionv1.AdmissionRequest
	queries     []string
	protocols   []string
	connections map[net.Conn]bool
}

func newRemote(t *testing.T, answer func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse) *remote {
	t.Helper()
	r := &remote{answer: answer}
	r.start(t, r)
	return r
}

// newRaw is a webhook that answers as it likes.
func newRaw(t *testing.T, handler http.HandlerFunc) *remote {
	t.Helper()
	r := &remote{}
	r.start(t, handler)
	return r
}

func (r *remote) start(t *testing.T, handler http.Handler) {
	r.connections = map[net.Conn]bool{}
	r.Server = httptest.NewUnstartedServer(handler)
	r.Config.ErrorLog = log.New(io.Discard, "", 0)
	r.Config.ConnState = func(c net.Conn, state http.ConnState) {
		r.mu.Lock()
		defer r.mu.Unlock()
		switch state {
		case http.StateNew:
			r.connections[c] = true
		case http.StateClosed, http.StateHijacked:
			delete(r.connections, c)
		}
	}
	r.EnableHTTP2 = true
	r.StartTLS()
	t.Cleanup(r.Close)
}

func (r *remote) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(req.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(w, "no review", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.requests = append(r.requests, review.Request)
	r.queries = append(r.queries, req.URL.RawQuery)
	r.protocols = append(r.protocols, req.Proto)
	r.mu.Unlock()
	response := r.answer(review.Request)
	if response != nil && response.UID == "" {
		response.UID = review.Request.UID
	}
	// Many webhooks say nothing of what it is, and net/http guesses text/plain.
	json.NewEncoder(w).Encode(admissionv1.AdmissionReview{TypeMeta: review.TypeMeta, Response: response})
}

// open is how many connections there are.
func (r *remote) open() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.connections)
}

// seen returns the requests so far.
func (r *remote) seen() []*admissionv1.AdmissionRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*admissionv1.AdmissionRequest(nil), r.requests...)
}

func (r *remote) ca() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})
}

// at is a clientConfig.
func (r *remote) at() admissionregistrationv1.WebhookClientConfig {
	u := r.URL + "/hook"
	return admissionregistrationv1.WebhookClientConfig{URL: &u, CABundle: r.ca()}
}

func allow(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	return &admissionv1.AdmissionResponse{Allowed: true}
}

// patching answers with a JSON patch.
func patching(patch string) func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	return func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		json := admissionv1.PatchTypeJSONPatch
		return &admissionv1.AdmissionResponse{Allowed: true, Patch: []byte(patch), PatchType: &json}
	}
}

// hookYAML is a webhook that wants everything; more overrides.
func hookYAML(t *testing.T, name, more string, into any) {
	t.Helper()
	text := "name: " + name + `
rules: [{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*']}]
failurePolicy: Fail
matchPolicy: Equivalent
sideEffects: None
timeoutSeconds: 10
admissionReviewVersions: [v1]
`
	if more != "" {
		merged := map[string]any{}
		for _, part := range []string{text, more} {
			if err := yaml.Unmarshal([]byte(part), &merged); err != nil {
				t.Fatalf("%v in %s", err, part)
			}
		}
		data, err := yaml.Marshal(merged)
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

func mutatingHook(t *testing.T, r *remote, name, more string) admissionregistrationv1.MutatingWebhook {
	t.Helper()
	var h admissionregistrationv1.MutatingWebhook
	hookYAML(t, name, more, &h)
	h.ClientConfig = r.at()
	return h
}

func validatingHook(t *testing.T, r *remote, name, more string) admissionregistrationv1.ValidatingWebhook {
	t.Helper()
	var h admissionregistrationv1.ValidatingWebhook
	hookYAML(t, name, more, &h)
	h.ClientConfig = r.at()
	return h
}

func (w *world) mutate(hooks ...admissionregistrationv1.MutatingWebhook) {
	w.mutating.Set([]*admissionregistrationv1.MutatingWebhookConfiguration{{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Webhooks: hooks}})
}

func (w *world) validate(hooks ...admissionregistrationv1.ValidatingWebhook) {
	w.validating.Set([]*admissionregistrationv1.ValidatingWebhookConfiguration{{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Webhooks: hooks}})
}

func status(err error) metav1.Status {
	var s apierrors.APIStatus
	if errors.As(err, &s) {
		return s.Status()
	}
	return metav1.Status{}
}

// wantStatus checks an error: its code and a part of its message.
func wantStatus(t *testing.T, err error, code int32, message string) {
	t.Helper()
	s := status(err)
	if s.Code != code || !strings.Contains(s.Message, message) {
		t.Errorf("%d %v\nwant %d %s", s.Code, err, code, message)
	}
}
