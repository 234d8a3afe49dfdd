package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	libraryv1 "github.com/typeplane/typeplane/examples/library/api/v1"
)

// The webhooks of a world: one stamps each book with what it holds, one refuses what is forbidden.
const (
	stampAnnotation = "stamp"
	stampPath       = "/stamp"
	judgePath       = "/judge"
	neverTitle      = "never" // is refused always, to find out whether anybody is asked
	lastTitle       = "last " // begins the titles of the last writes, of which none is refused
)

// stampOf is what the first webhook writes on a book.
func stampOf(c Content) string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%+v", c)))
	return hex.EncodeToString(sum[:6])
}

// forbidden says what the second webhook refuses: green books don't climb.
func forbidden(before, after Content) bool {
	climbs := before.Shelf == "low" && after.Shelf == "high" && after.Group == "green"
	return after.Title == neverTitle || climbs && !strings.HasPrefix(after.Title, lastTitle)
}

// newHooks serves the webhooks.
func newHooks() *httptest.Server {
	mux := http.NewServeMux()
	mux.Handle(stampPath, reviewer(stamp))
	mux.Handle(judgePath, reviewer(judgeBook))
	s := httptest.NewUnstartedServer(mux)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // callers are killed
	s.StartTLS()
	return s
}

// reviewer answers reviews of books.
type reviewer func(before, after *Content, r *admissionv1.AdmissionResponse)

func (f reviewer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var review admissionv1.AdmissionReview
	err := json.NewDecoder(req.Body).Decode(&review)
	if err == nil && review.Request == nil {
		err = errors.New("no request")
	}
	var before, after *Content
	if err == nil {
		before, err = contentIn(review.Request.OldObject)
	}
	if err == nil {
		after, err = contentIn(review.Request.Object)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	f(before, after, review.Response)
	review.Request = nil
	w.Header().Set("Content-Type", asJSON)
	_ = json.NewEncoder(w).Encode(review) // who does not read it, gets no answer
}

// contentIn is what a book of a review holds, empty for none.
func contentIn(raw runtime.RawExtension) (*Content, error) {
	c, book := new(Content), new(libraryv1.Book)
	if len(raw.Raw) == 0 {
		return c, nil
	}
	if err := json.Unmarshal(raw.Raw, book); err != nil {
		return nil, err
	}
	object, err := objectOf(book)
	return &object.Content, err
}

func stamp(_, after *Content, r *admissionv1.AdmissionResponse) {
	typ := admissionv1.PatchTypeJSONPatch
	r.PatchType = &typ
	r.Patch = mustJSON([]map[string]string{{"op": "add", "path": "/metadata/annotations/" + stampAnnotation, "value": stampOf(*after)}})
}

func judgeBook(before, after *Content, r *admissionv1.AdmissionResponse) {
	if forbidden(*before, *after) {
		r.Allowed, r.Result = false, &metav1.Status{Message: "green books don't climb"}
	}
}

// install has the servers call the webhooks, and returns when each of them does.
func (w *world) install(ctx context.Context) error {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.hooks.Certificate().Raw})
	client := func(path string) admissionregistrationv1.WebhookClientConfig {
		url := w.hooks.URL + path
		return admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: ca}
	}
	rules := []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{strings.TrimSuffix(bookGroup, "/")}, APIVersions: []string{storedVersion}, Resources: []string{"books"}},
	}}
	none := admissionregistrationv1.SideEffectClassNone
	reviews := []string{"v1"}
	mutating := admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "stamp"}, Webhooks: []admissionregistrationv1.MutatingWebhook{{
		Name: "stamp.oracle.example.com", ClientConfig: client(stampPath), Rules: rules, SideEffects: &none, AdmissionReviewVersions: reviews}}}
	validating := admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "judge"}, Webhooks: []admissionregistrationv1.ValidatingWebhook{{
		Name: "judge.oracle.example.com", ClientConfig: client(judgePath), Rules: rules, SideEffects: &none, AdmissionReviewVersions: reviews}}}
	const configurations = "/apis/admissionregistration.k8s.io/v1/"
	for path, body := range map[string]any{"mutatingwebhookconfigurations": mutating, "validatingwebhookconfigurations": validating} {
		if a := w.servers[0].post(ctx, configurations+path, body); a.code != http.StatusCreated {
			return fmt.Errorf("create %s: %d %s", path, a.code, a.message)
		}
	}
	for _, s := range w.servers {
		if err := s.asksHooks(ctx); err != nil {
			return err
		}
	}
	return nil
}

// post creates an object.
func (e *entrance) post(ctx context.Context, path string, body any) answer {
	return e.do(ctx, request{method: http.MethodPost, path: path, contentType: asJSON, body: mustJSON(body)})
}

// asksHooks waits until a server asks both webhooks about a book.
func (s *server) asksHooks(ctx context.Context) error {
	try := func(title string) answer {
		r := newBookRequest(namespaces[0]+"/probe", Content{Token: "probe", Title: title})
		r.query = withQuery(nil, "dryRun", metav1.DryRunAll)
		return s.do(ctx, r)
	}
	for {
		stamped, judged := try("stamped"), try(neverTitle)
		book, err := decodeBook(stamped.data)
		if err == nil && book.Annotations[stampAnnotation] != "" && denied(judged.message) {
			return nil
		}
		if !pause(ctx, compactEvery) {
			return fmt.Errorf("server %d does not ask the webhooks: %s, %s: %w", s.number, stamped.message, judged.message, ctx.Err())
		}
	}
}

// denied says that a message is of the webhook that refuses.
func denied(message string) bool { return strings.Contains(message, "green books don't climb") }

func newBookRequest(key string, c Content) request {
	namespace, _, _ := strings.Cut(key, "/")
	return request{method: http.MethodPost, path: path(storedVersion, namespace), contentType: asJSON, body: mustJSON(newBook(storedVersion, key, c))}
}
