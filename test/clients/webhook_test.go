package clients

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type autoscaler = autoscalingv2.HorizontalPodAutoscaler

// limits are the webhooks of a controller: autoscalers get a label, and have few replicas.
type limits struct{}

const (
	labelled = "test.example.com/seen"
	keep     = "test.example.com/keep"
	most     = 10
)

func (limits) Default(_ context.Context, a *autoscaler) error {
	metav1.SetMetaDataLabel(&a.ObjectMeta, labelled, "by-"+a.Spec.ScaleTargetRef.Name)
	return nil
}

func (l limits) ValidateCreate(_ context.Context, a *autoscaler) (admission.Warnings, error) {
	if a.Spec.MaxReplicas > most {
		return nil, apierrors.NewInvalid(autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler").GroupKind(), a.Name,
			field.ErrorList{field.Invalid(field.NewPath("spec", "maxReplicas"), a.Spec.MaxReplicas, "too many")})
	}
	if a.Spec.MaxReplicas == most {
		return admission.Warnings{"that is the most"}, nil
	}
	return nil, nil
}

func (l limits) ValidateUpdate(ctx context.Context, old, a *autoscaler) (admission.Warnings, error) {
	if a.Spec.MaxReplicas < old.Spec.MaxReplicas {
		return nil, fmt.Errorf("from %d to %d", old.Spec.MaxReplicas, a.Spec.MaxReplicas)
	}
	return l.ValidateCreate(ctx, a)
}

func (limits) ValidateDelete(_ context.Context, a *autoscaler) (admission.Warnings, error) {
	if a.Annotations[keep] != "" {
		return nil, apierrors.NewForbidden(autoscalingv2.Resource("horizontalpodautoscalers"), a.Name, fmt.Errorf("it is to be kept"))
	}
	return nil, nil
}

// front is where controller-runtime's webhooks are served. It may behave badly instead.
type front struct {
	webhook.Server
	https *httptest.Server
	badly atomic.Pointer[http.HandlerFunc]
}

// Start is called by the manager, and returns when it ends. The listener is there from the
// beginning.
func (*front) Start(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

func (f *front) serve(w http.ResponseWriter, r *http.Request) {
	if badly := f.badly.Load(); badly != nil {
		(*badly)(w, r)
		return
	}
	f.WebhookMux().ServeHTTP(w, r)
}

// behave sets how it answers; nil: well.
func (f *front) behave(badly http.HandlerFunc) {
	if badly == nil {
		f.badly.Store(nil)
		return
	}
	f.badly.Store(&badly)
}

// runWebhooks runs a manager that serves the webhooks.
func runWebhooks(t *testing.T, s *server) *front {
	t.Helper()
	f := &front{Server: webhook.NewServer(webhook.Options{})}
	f.https = httptest.NewUnstartedServer(http.HandlerFunc(f.serve))
	f.https.Config.ErrorLog = log.New(io.Discard, "", 0)
	f.https.EnableHTTP2 = true
	f.https.StartTLS()
	manager, err := ctrl.NewManager(s.config, ctrl.Options{WebhookServer: f, Metrics: metricsserver.Options{BindAddress: "0"}})
	must(t, err)
	must(t, ctrl.NewWebhookManagedBy(manager, &autoscaler{}).WithDefaulter(limits{}).WithValidator(limits{}).Complete())
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := manager.Start(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		stop()
		wg.Wait()
		f.https.Close()
	})
	return f
}

// The paths at which controller-runtime serves them.
const (
	mutatePath   = "/mutate-autoscaling-v2-horizontalpodautoscaler"
	validatePath = "/validate-autoscaling-v2-horizontalpodautoscaler"
)

// at is a clientConfig.
func (f *front) at(path string) admissionregistrationv1.WebhookClientConfig {
	url := f.https.URL + path
	return admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.https.Certificate().Raw})}
}

// aboutAutoscalers is what the webhooks want to see: autoscaling/v2, whatever version a client
// writes.
func aboutAutoscalers(operations ...admissionregistrationv1.OperationType) []admissionregistrationv1.RuleWithOperations {
	return []admissionregistrationv1.RuleWithOperations{{Operations: operations, Rule: admissionregistrationv1.Rule{
		APIGroups: []string{"autoscaling"}, APIVersions: []string{"v2"}, Resources: []string{"horizontalpodautoscalers"},
	}}}
}

func pointer[T any](value T) *T { return &value }

func newAutoscaler(name string, replicas int32) *autoscaler {
	return &autoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Kind: "ReplicationController", Name: "web", APIVersion: "v1"}, MaxReplicas: replicas,
		},
	}
}

// TestWebhooks: a manager with a defaulting and a validating webhook over its Go types.
func TestWebhooks(t *testing.T) {
	s, ctx := start(t, "cluster"), t.Context()
	f := runWebhooks(t, s)
	heard := new(warnings)
	c, err := client.New(s.with(func(config *rest.Config) { config.WarningHandler = heard }), client.Options{Scheme: scheme.Scheme})
	must(t, err)
	must(t, c.Create(ctx, &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "limits"},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "default.limits.example.com", ClientConfig: f.at(mutatePath), Rules: aboutAutoscalers("CREATE", "UPDATE"), TimeoutSeconds: timeoutOf(""),
			SideEffects: pointer(admissionregistrationv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
		}},
	}))
	must(t, c.Create(ctx, &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "limits"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "limits.example.com", ClientConfig: f.at(validatePath), Rules: aboutAutoscalers("CREATE", "UPDATE", "DELETE"), TimeoutSeconds: timeoutOf(""),
			SideEffects: pointer(admissionregistrationv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
		}},
	}))
	eventually(t, "the webhooks are asked", func() bool {
		few, many := newAutoscaler("few", 1), newAutoscaler("many", most+1)
		return c.Create(ctx, few, client.DryRunAll) == nil && few.Labels[labelled] == "by-web" && c.Create(ctx, many, client.DryRunAll) != nil
	})

	// What a webhook says is what the client hears.
	err = c.Create(ctx, newAutoscaler("a", most+1))
	const want = `admission webhook "limits.example.com" denied the request: HorizontalPodAutoscaler.autoscaling "a" is invalid: spec.maxReplicas: Invalid value: 11: too many`
	if !apierrors.IsInvalid(err) || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	must(t, c.Create(ctx, newAutoscaler("a", most)))
	if got := heard.all(); len(got) != 1 || got[0] != "that is the most" {
		t.Errorf("warnings: %q", got)
	}

	// An older version is the same object to them.
	old := &autoscalingv1.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "default"},
		Spec:       autoscalingv1.HorizontalPodAutoscalerSpec{ScaleTargetRef: autoscalingv1.CrossVersionObjectReference{Kind: "ReplicationController", Name: "old", APIVersion: "v1"}, MaxReplicas: most + 1},
	}
	if err := c.Create(ctx, old); !apierrors.IsInvalid(err) {
		t.Errorf("in v1: %v", err)
	}
	old.Spec.MaxReplicas = 5
	must(t, c.Create(ctx, old))
	if old.Labels[labelled] != "by-old" {
		t.Errorf("in v1: %v", old.Labels)
	}

	// The old object is shown, too; a patch is an update.
	old.Spec.MaxReplicas = 4
	if err := c.Update(ctx, old); err == nil || !strings.Contains(err.Error(), `admission webhook "limits.example.com" denied the request: from 5 to 4`) {
		t.Errorf("%v", err)
	}
	var b autoscaler
	must(t, c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "b"}, &b))
	before := b.DeepCopy()
	b.Spec.ScaleTargetRef.Name, b.Annotations = "new", map[string]string{keep: "yes"}
	must(t, c.Patch(ctx, &b, client.MergeFrom(before)))
	if b.Labels[labelled] != "by-new" {
		t.Errorf("patched: %v", b.Labels)
	}
	if err := c.Delete(ctx, &b); !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "it is to be kept") {
		t.Errorf("%v", err)
	}
	if err := c.DeleteAllOf(ctx, &autoscaler{}, client.InNamespace("default")); !apierrors.IsForbidden(err) {
		t.Errorf("%v", err)
	}
}

// TestBadWebhooks: what a webhook does instead of an answer fails the request, or is ignored, as
// its configuration says. The server goes on as before.
func TestBadWebhooks(t *testing.T) {
	s, ctx := start(t, "cluster"), t.Context()
	f := runWebhooks(t, s)
	c, err := client.New(s.config, client.Options{Scheme: scheme.Scheme})
	must(t, err)
	wrong := f.at(mutatePath)
	wrong.URL = pointer(strings.Replace(*wrong.URL, "127.0.0.1", "localhost", 1)) // of which the certificate says nothing
	mutating, validating := &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "bad"}}, &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "bad"}}
	for _, policy := range []admissionregistrationv1.FailurePolicyType{"Fail", "Ignore"} {
		for kind, at := range map[string]admissionregistrationv1.WebhookClientConfig{"wrong": wrong, "mutating": f.at(mutatePath), hasty + "mutating": f.at(mutatePath)} {
			mutating.Webhooks = append(mutating.Webhooks, admissionregistrationv1.MutatingWebhook{
				Name: strings.ToLower(string(policy)) + "." + kind + ".example.com", ClientConfig: at, Rules: aboutAutoscalers("CREATE"), FailurePolicy: pointer(policy),
				ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{kind: string(policy)}}, TimeoutSeconds: timeoutOf(kind),
				SideEffects: pointer(admissionregistrationv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
			})
		}
		for _, kind := range []string{"validating", hasty + "validating"} {
			validating.Webhooks = append(validating.Webhooks, admissionregistrationv1.ValidatingWebhook{
				Name: strings.ToLower(string(policy)) + "." + kind + ".example.com", ClientConfig: f.at(validatePath), Rules: aboutAutoscalers("CREATE"), FailurePolicy: pointer(policy),
				ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{kind: string(policy)}}, TimeoutSeconds: timeoutOf(kind),
				SideEffects: pointer(admissionregistrationv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
			})
		}
	}
	must(t, c.Create(ctx, mutating))
	must(t, c.Create(ctx, validating))
	made := 0
	create := func(kind, policy string) error {
		made++
		a := newAutoscaler(fmt.Sprintf("a%d", made), 1)
		a.Labels = map[string]string{kind: policy}
		return c.Create(ctx, a)
	}
	f.behave(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not now", http.StatusServiceUnavailable) })
	eventually(t, "the webhooks are asked", func() bool { return create("mutating", "Fail") != nil && create("validating", "Fail") != nil })

	for _, d := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
		sure   bool // it is an error even if failures are ignored
		hasty  bool // who waits for it need not wait for long
	}{
		{name: "slow", answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, want: "context deadline exceeded", hasty: true},
		{name: "dead", answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, want: "failed to call webhook"},
		{name: "huge", answer: func(w http.ResponseWriter, _ *http.Request) {
			for spaces := bytes.Repeat([]byte(" "), 1<<20); ; {
				if _, err := w.Write(spaces); err != nil {
					return
				}
			}
		}, want: "its answer is greater than 3145728 bytes"},
		{name: "redirect", answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, s.config.Host+"/version", http.StatusFound)
		}, want: "redirects are not followed"},
		{name: "garbage", answer: say("<html>"), want: "it is no AdmissionReview"},
		{name: "wrong uid", answer: say(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"x","allowed":true}}`), want: `got "x"`},
		{name: "patch that is none", answer: patch("garbage"), want: "received undecodable patch in webhook response|validating webhook may not return response.patch"},
		{name: "patch that does not fit", answer: patch(`[{"op":"add","path":"/spec/maxReplicas/x","value":1}]`), want: "does not fit the object|validating webhook may not return response.patch", sure: true},
	} {
		f.behave(d.answer)
		for i, kind := range []string{"mutating", "validating"} {
			want := strings.Split(d.want, "|")
			if d.hasty {
				kind = hasty + kind
			}
			if err := create(kind, "Fail"); !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), want[min(i, len(want)-1)]) {
				t.Errorf("%s, %s, Fail: %v", d.name, kind, err)
			}
			sure := d.sure && kind == "mutating"
			if err := create(kind, "Ignore"); (err != nil) != sure {
				t.Errorf("%s, %s, Ignore: %v", d.name, kind, err)
			}
		}
	}
	f.behave(nil)
	if err := create("wrong", "Fail"); !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), "certificate is valid for") {
		t.Errorf("a certificate of another name: %v", err)
	}
	must(t, create("wrong", "Ignore"))
	must(t, create("mutating", "Fail"))
	must(t, create("validating", "Fail"))

	// A webhook that hangs holds the end of the server up for its own time, and its request gets an
	// answer.
	entered := make(chan struct{}, 1)
	f.behave(func(_ http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-r.Context().Done()
	})
	answered := make(chan error, 1)
	go func() { answered <- create(hasty+"validating", "Fail") }()
	<-entered
	must(t, s.Cmd.Process.Signal(syscall.SIGTERM))
	if err := <-answered; !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), "context deadline exceeded") {
		t.Errorf("while the server ends: %v", err)
	}
	<-s.Ended()
	if code := s.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, s.Output())
	}
}

// hasty begins the kinds of webhooks that have a second for their answer, instead of as long as
// there is.
const hasty = "hasty-"

func timeoutOf(kind string) *int32 {
	if strings.HasPrefix(kind, hasty) {
		return pointer(int32(1))
	}
	return pointer(int32(30))
}

// say answers with a text.
func say(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
}

// patch answers with a yes and a patch.
func patch(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer := admission.HandlerFunc(func(context.Context, admission.Request) admission.Response {
			return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{Allowed: true, PatchType: pointer(admissionv1.PatchTypeJSONPatch), Patch: []byte(text)}}
		})
		(&admission.Webhook{Handler: answer}).ServeHTTP(w, r)
	}
}

// warnings are what the server tells a client beside its answers.
type warnings struct {
	mu   sync.Mutex // guards text
	text []string
}

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, text)
}

func (w *warnings) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text
}
