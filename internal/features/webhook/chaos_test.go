package webhook

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// disasters are ways to be no webhook. What is called failing with Fail is only noted with Ignore.
var disasters = []struct {
	name    string
	handler http.HandlerFunc
	change  func(*admissionregistrationv1.WebhookClientConfig)
	want    string
}{
	{name: "dead", change: func(c *admissionregistrationv1.WebhookClientConfig) { c.URL = &nobody }, want: "connection refused"},
	{name: "slow", handler: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, want: "context deadline exceeded"},
	{name: "slow body", handler: func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, want: "context deadline exceeded"},
	{name: "wrong certificate", handler: text("{}"), change: func(c *admissionregistrationv1.WebhookClientConfig) { c.CABundle = otherCA }, want: "certificate signed by unknown authority"},
	{name: "no certificate in the bundle", handler: text("{}"), change: func(c *admissionregistrationv1.WebhookClientConfig) { c.CABundle = []byte("x") }, want: "could not get REST client: the caBundle has no certificate in PEM"},
	{name: "certificate of another host", handler: text("{}"), change: func(c *admissionregistrationv1.WebhookClientConfig) {
		u := strings.Replace(*c.URL, "127.0.0.1", "localhost", 1)
		c.URL = &u
	}, want: "certificate is valid for"},
	{name: "plain HTTP", handler: text("{}"), change: func(c *admissionregistrationv1.WebhookClientConfig) {
		u := strings.Replace(*c.URL, "https", "http", 1)
		c.URL = &u
	}, want: "the URL of the webhook is none of https"},
	{name: "huge answer", handler: func(w http.ResponseWriter, _ *http.Request) {
		for range 2 * maxAnswer / len(megabyte) {
			if _, err := w.Write(megabyte); err != nil {
				return
			}
		}
	}, want: "its answer is greater than 3145728 bytes"},
	{name: "endless answer", handler: func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(megabyte); err != nil {
				return
			}
		}
	}, want: "its answer is greater than 3145728 bytes"},
	{name: "huge header", handler: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 1<<20))
	}, want: "failed to call webhook"},
	{name: "redirect", handler: func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://127.0.0.1:1/", http.StatusTemporaryRedirect)
	}, want: "it answered with the HTTP status 307; redirects are not followed"},
	{name: "not found", handler: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "secret", 404) }, want: "it answered with the HTTP status 404"},
	{name: "crash", handler: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, want: "failed to call webhook"},
	{name: "no JSON", handler: text("<html>secret</html>"), want: "it is no AdmissionReview: invalid character '<'"},
	{name: "nothing", handler: text(""), want: "it is no AdmissionReview"},
	{name: "null", handler: text("null"), want: "webhook response was absent"},
	{name: "other JSON", handler: text("[1]"), want: "it is no AdmissionReview"},
	{name: "deep JSON", handler: text(strings.Repeat("[", 100_000)), want: "it is no AdmissionReview"},
	{name: "no response", handler: text(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`), want: "webhook response was absent"},
	{name: "wrong uid", handler: text(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"x","allowed":true}}`), want: `, got "x"`},
	{name: "other kind", handler: respond(`{"kind":"Review","apiVersion":"admission.k8s.io/v1","response":{"uid":"UID","allowed":true}}`), want: "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1, Kind=Review"},
	{name: "other version", handler: respond(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","response":{"uid":"UID","allowed":true}}`), want: "got admission.k8s.io/v1beta1, Kind=AdmissionReview"},
	{name: "garbage as a patch", handler: respond(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"UID","allowed":true,"patchType":"JSONPatch","patch":"Z2FyYmFnZQ=="}}`), want: "validating webhook may not return response.patch|received undecodable patch in webhook response"},
	{name: "other patch", handler: respond(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"UID","allowed":true,"patchType":"MergePatch","patch":"e30="}}`), want: `validating webhook may not return response.patch|unsupported patch type "MergePatch"`},
}

var (
	megabyte = bytes.Repeat([]byte(" "), 1<<20)
	otherCA  []byte                  // signs nobody's certificate
	nobody   = "https://127.0.0.1:1" // a port where nobody listens
)

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, s) }
}

// respond fills in the uid of the question.
func respond(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, after, _ := strings.Cut(string(body), `"uid":"`)
		uid, _, _ := strings.Cut(after, `"`)
		io.WriteString(w, strings.ReplaceAll(s, "UID", uid))
	}
}

func TestDisasters(t *testing.T) {
	otherCA = newCA(t).pem
	for _, d := range disasters {
		t.Run(d.name, func(t *testing.T) {
			hook := newRaw(t, d.handler)
			at := hook.at()
			if d.change != nil {
				d.change(&at)
			}
			before := goroutines()
			for i, policy := range []string{"Fail", "Ignore"} {
				w := newWorld(t, Config{})
				more := "timeoutSeconds: 30\nfailurePolicy: " + policy
				v, m := validatingHook(t, hook, "x.example.com", more), mutatingHook(t, hook, "x.example.com", more)
				v.ClientConfig, m.ClientConfig = at, at
				wantV, wantM, both := strings.Cut(d.want, "|")
				if !both {
					wantM = wantV
				}
				w.validate(v)
				hurry(d.name, &w.validating.webhooks)
				_, err := w.create(`{"metadata":{"name":"v"}}`)
				judge(t, err, i == 1, wantV)
				w.validate()
				w.mutate(m)
				hurry(d.name, &w.mutating.webhooks)
				_, err = w.create(`{"metadata":{"name":"m"}}`)
				judge(t, err, i == 1, wantM)
				w.mutating.Close()
				w.validating.Close()
			}
			hook.Close()
			eventually(t, "no goroutine is left", func() bool { return goroutines() <= before })
			eventually(t, "no connection is left", func() bool { return hook.open() == 0 })
		})
	}
}

// hurry gives the slow less time than whole seconds.
func hurry(name string, w *webhooks) {
	if strings.HasPrefix(name, "slow") {
		(*w.hooks.Load())[0].timeout = 50 * time.Millisecond
	}
}

func judge(t *testing.T, err error, ignored bool, want string) {
	t.Helper()
	if ignored {
		if err != nil {
			t.Errorf("it is not ignored: %v", err)
		}
		return
	}
	wantStatus(t, err, 500, want)
	if err != nil && (!strings.HasPrefix(err.Error(), `Internal error occurred: failed calling webhook "x.example.com": `) || strings.Contains(err.Error(), "secret")) {
		t.Errorf("%v", err)
	}
}

// goroutines counts those that call webhooks or hold a connection to one.
func goroutines() int {
	buf := make([]byte, 4<<20)
	n := 0
	for g := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(g, "net/http.(*persistConn)") || strings.Contains(g, "http2clientConnReadLoop") || strings.Contains(g, "http2ClientConn") || strings.Contains(g, "internal/features/webhook.(*connection)") {
			n++
		}
	}
	return n
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !condition() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: not after a minute", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// A request that has no time left does not go on because its webhooks are ignored.
func TestDeadlineOfTheRequest(t *testing.T) {
	hanging := newRaw(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for _, set := range []func(*world){
		func(w *world) { w.validate(validatingHook(t, hanging, "x.example.com", "failurePolicy: Ignore")) },
		func(w *world) { w.mutate(mutatingHook(t, hanging, "x.example.com", "failurePolicy: Ignore")) },
	} {
		w := newWorld(t, Config{})
		set(w)
		ctx, cancel := context.WithTimeout(w.ctx, 50*time.Millisecond)
		w.ctx = ctx
		_, err := w.create(`{"metadata":{"name":"w"}}`)
		wantStatus(t, err, 504, "request did not complete within requested timeout")
		cancel()
	}
}

// A patch over which the library panics, or that would grow without end, ends its request only.
func TestHostilePatches(t *testing.T) {
	double := `{"op":"add","path":"/metadata/annotations","value":{"a":"` + strings.Repeat("x", 1000) + `"}}`
	for i := range 30 {
		double += fmt.Sprintf(`,{"op":"copy","from":"/metadata/annotations","path":"/metadata/annotations/x%d"}`, i)
	}
	for _, patch := range []string{
		"[" + double + "]",
		`[{"op":"move","from":"/spec","path":"/spec/options"}]`,
		`[{"op":"copy","from":"","path":"/spec/options"}]`,
		`[{"op":"add","path":"/metadata/finalizers/999999999999","value":"x"}]`,
		`[{"op":"remove","path":"/metadata/labels/-1"}]`,
		`[{"op":"replace","path":"","value":7}]`,
	} {
		w := newWorld(t, Config{})
		w.mutate(mutatingHook(t, newRemote(t, patching(patch)), "m.example.com", "failurePolicy: Ignore"))
		if _, err := w.create(`{"metadata":{"name":"w"}}`); status(err).Code != 500 {
			t.Errorf("%.80s: %v", patch, err)
		}
	}
}

// A panic in what asks is an answer that is missing.
func TestPanicWhileAsking(t *testing.T) {
	w := newWorld(t, Config{Credentials: func(string) Credential {
		return Credential{Token: func() (string, error) { panic("no token") }}
	}})
	hook := newRemote(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse { return nil })
	w.validate(validatingHook(t, hook, "x.example.com", ""))
	_, err := w.create(`{"metadata":{"name":"w"}}`)
	wantStatus(t, err, 500, "it has panicked: no token")
}
