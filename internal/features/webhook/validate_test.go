package webhook

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/rest"
)

// deny answers no.
func deny(result *metav1.Status) func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	return func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Result: result}
	}
}

func TestDenials(t *testing.T) {
	for _, tt := range []struct {
		result *metav1.Status
		code   int32
		reason metav1.StatusReason
		want   string
	}{
		{nil, 400, "", "without explanation"},
		{&metav1.Status{Message: "too red"}, 400, "", ": too red"},
		{&metav1.Status{Message: "too red", Code: 403, Reason: "Forbidden"}, 403, "Forbidden", ": too red"},
		{&metav1.Status{Reason: "TooRed", Code: 422}, 422, "TooRed", ": TooRed"},
		{&metav1.Status{Status: "Success", Code: 200}, 400, "", "without explanation"},
		{&metav1.Status{Code: 7000}, 500, "", "without explanation"},
		{&metav1.Status{Code: -1}, 400, "", "without explanation"},
	} {
		for _, policy := range []string{"Fail", "Ignore"} {
			hook := newRemote(t, deny(tt.result))
			w := newWorld(t, Config{})
			w.validate(validatingHook(t, hook, "v.example.com", "failurePolicy: "+policy))
			_, err := w.create(`{"metadata":{"name":"w"}}`)
			s := status(err)
			if s.Code != tt.code || s.Reason != tt.reason || s.Status != metav1.StatusFailure || s.Message != `admission webhook "v.example.com" denied the request`+map[bool]string{true: " " + tt.want, false: tt.want}[tt.want[0] != ':'] {
				t.Errorf("%+v: %+v", tt.result, s)
			}
			w.validate()
			w.mutate(mutatingHook(t, hook, "v.example.com", "failurePolicy: "+policy))
			if _, again := w.create(`{"metadata":{"name":"w"}}`); again == nil || again.Error() != err.Error() {
				t.Errorf("the mutating one: %v", again)
			}
		}
	}
}

// All are asked at once and awaited; the first no by their order counts.
func TestValidatingInParallel(t *testing.T) {
	w := newWorld(t, Config{})
	const n = 4
	var under atomic.Int32
	all := make(chan struct{})
	var hooks []*remote
	for i := range n {
		hooks = append(hooks, newRemote(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
			if under.Add(1) == n {
				close(all)
			}
			<-all // answers when all have been asked
			if i == 0 {
				return &admissionv1.AdmissionResponse{Allowed: true, Warnings: []string{"careful"}}
			}
			return &admissionv1.AdmissionResponse{Warnings: []string{fmt.Sprint(i)}, Result: &metav1.Status{Message: fmt.Sprint(i)}}
		}))
	}
	w.validate(validatingHook(t, hooks[0], "a.example.com", ""), validatingHook(t, hooks[1], "b.example.com", ""),
		validatingHook(t, hooks[2], "c.example.com", ""), validatingHook(t, hooks[3], "d.example.com", ""))
	_, err := w.create(`{"metadata":{"name":"w"}}`)
	wantStatus(t, err, 400, `admission webhook "b.example.com" denied the request: 1`)
	if want := []string{"careful", "1", "2", "3"}; !slices.Equal(w.warnings, want) {
		t.Errorf("warnings %q", w.warnings)
	}
}

func TestDryRun(t *testing.T) {
	for sideEffects, refused := range map[string]bool{"None": false, "NoneOnDryRun": false, "Some": true, "Unknown": true} {
		w, hook := newWorld(t, Config{}), newRemote(t, allow)
		more := "failurePolicy: Ignore\nsideEffects: " + sideEffects
		for _, set := range []func(){
			func() { w.validate(validatingHook(t, hook, "v.example.com", more)) },
			func() { w.validate(); w.mutate(mutatingHook(t, hook, "v.example.com", more)) },
		} {
			set()
			before := len(hook.seen())
			_, err := w.create(`{"metadata":{"name":"w"}}`, metav1.CreateOptions{DryRun: []string{"All"}})
			if refused {
				wantStatus(t, err, 400, `admission webhook "v.example.com" does not support dry run`)
			} else if err != nil {
				t.Error(err)
			}
			if called := len(hook.seen()) > before; called == refused {
				t.Errorf("%s: called %v", sideEffects, called)
			}
		}
	}
}

func TestAnnotationsAndWarnings(t *testing.T) {
	w := newWorld(t, Config{})
	hook := newRemote(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Allowed: true, Warnings: []string{"old"}, AuditAnnotations: map[string]string{"seen": "yes", "bad/key": "x", "": "x"}}
	})
	w.mutate(mutatingHook(t, hook, "m.example.com", ""))
	w.validate(validatingHook(t, hook, "v.example.com", ""))
	if _, err := w.create(`{"metadata":{"name":"w"}}`); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(w.warnings, []string{"old", "old"}) {
		t.Errorf("%q", w.warnings)
	}
	want := map[string]string{
		"m.example.com/seen": "yes", "v.example.com/seen": "yes",
		"mutation.webhook.admission.k8s.io/round_0_index_0": `{"configuration":"c","webhook":"m.example.com","mutated":false}`,
	}
	if fmt.Sprint(w.annotations) != fmt.Sprint(want) {
		t.Errorf("%q", w.annotations)
	}
}

func TestCalls(t *testing.T) {
	dead := newRemote(t, allow)
	dead.Close()
	for _, tt := range []struct {
		hook   *remote
		policy string
		want   Call
	}{
		{newRemote(t, allow), "Fail", Call{Code: 200}},
		{newRemote(t, deny(&metav1.Status{Code: 403})), "Fail", Call{Code: 403, Rejected: true, Reason: noError}},
		{newRemote(t, deny(&metav1.Status{Code: 999})), "Ignore", Call{Code: 600, Rejected: true, Reason: noError}},
		{dead, "Fail", Call{Code: 503, Rejected: true, Reason: callingError}},
		{dead, "Ignore", Call{Code: 503, FailedOpen: true}},
	} {
		w := newWorld(t, Config{})
		w.mutate(mutatingHook(t, tt.hook, "m.example.com", "failurePolicy: "+tt.policy))
		w.create(`{"metadata":{"name":"w"}}`)
		w.mutate()
		w.validate(validatingHook(t, tt.hook, "v.example.com", "failurePolicy: "+tt.policy))
		w.create(`{"metadata":{"name":"w2"}}`)
		tt.want.Operation = "CREATE"
		m, v := tt.want, tt.want
		m.Webhook, m.Step, v.Webhook, v.Step = "m.example.com", "admit", "v.example.com", "validating"
		if fmt.Sprint(w.calls) != fmt.Sprint([]Call{m, v}) {
			t.Errorf("%+v\nwant %+v", w.calls, []Call{m, v})
		}
		for key, name := range map[string]string{"failed-open.mutation.webhook.admission.k8s.io/round_0_index_0": "m.example.com", "failed-open.validating.webhook.admission.k8s.io/round_0_index_0": "v.example.com"} {
			if (w.annotations[key] == name) != tt.want.FailedOpen {
				t.Errorf("%s: %q", key, w.annotations[key])
			}
		}
	}
	w := newWorld(t, Config{})
	w.mutate(mutatingHook(t, newRemote(t, patching(`[{"op":"remove","path":"/none"}]`)), "m.example.com", ""))
	w.create(`{"metadata":{"name":"w"}}`)
	if want := []Call{{Webhook: "m.example.com", Step: "admit", Operation: "CREATE", Rejected: true, Reason: internalError}}; fmt.Sprint(w.calls) != fmt.Sprint(want) {
		t.Errorf("%+v", w.calls)
	}
}

// Until the configurations are known, clients wait and the server itself does not.
func TestNotKnownYet(t *testing.T) {
	w := newWorld(t, Config{})
	v := NewValidating(Config{})
	w.chain.Set([]admission.Plugin{v.Plugin()})
	if v.Ready(t.Context()) == nil {
		t.Error("it is ready")
	}
	user := w.ctx
	w.ctx = context.Background()
	if _, err := w.create(`{"metadata":{"name":"own"}}`); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(user, 100*time.Millisecond)
	defer cancel()
	w.ctx = ctx
	_, err := w.create(`{"metadata":{"name":"w"}}`)
	wantStatus(t, err, 403, "the configurations of webhooks are not known yet")
	w.ctx = user
	hook := newRemote(t, deny(nil))
	refused := make(chan error)
	go func() {
		_, err := w.create(`{"metadata":{"name":"w"}}`)
		refused <- err
	}()
	w.validating = v
	w.validate(validatingHook(t, hook, "v.example.com", ""))
	if err := <-refused; err == nil || !strings.Contains(err.Error(), "denied the request") {
		t.Error(err)
	}
	if err := v.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	v.Close()
}

// What the server does by itself is done by somebody, too.
func TestServerUser(t *testing.T) {
	w, hook := newWorld(t, Config{}), newRemote(t, allow)
	w.validate(validatingHook(t, hook, "v.example.com", ""))
	view, err := w.v1.Create.Create(context.Background(), new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, w.v1.GroupVersion, `{"metadata":{"name":"w"}}`), metav1.CreateOptions{})
	if err != nil || view == nil {
		t.Fatal(err)
	}
	if u := hook.seen()[0].UserInfo; u.Username != "system:apiserver" || fmt.Sprint(u.Groups) != "[system:masters system:authenticated]" {
		t.Errorf("%+v", u)
	}
}
