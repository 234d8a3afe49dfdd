package clients

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/typeplane/typeplane/internal/drill"
)

// TestInwardWebhooks: whoever may write configurations of webhooks has the server call where it
// likes. It learns nothing by that: the server shows no credential, and follows no redirect to
// another server. It says nothing of an answer that is no review, and does not wait for itself.
func TestInwardWebhooks(t *testing.T) {
	const secret = "what only the inside may read"
	var credentials, redirected atomic.Int64
	behind := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { redirected.Add(1) }))
	t.Cleanup(behind.Close)
	inside := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" || len(r.TLS.PeerCertificates) > 0 {
			credentials.Add(1)
		}
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, behind.URL+"/behind", http.StatusTemporaryRedirect)
		default:
			w.Header().Set("X-Secret", secret)
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, secret)
		}
	}))
	inside.Config.ErrorLog = log.New(io.Discard, "", 0)
	inside.StartTLS()
	t.Cleanup(inside.Close)
	insideCA := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: inside.Certificate().Raw})

	s, ctx := start(t, "cluster"), t.Context()
	c, err := client.New(s.config, client.Options{Scheme: scheme.Scheme})
	must(t, err)
	own := s.config.Host + "/api/v1/namespaces/default/secrets"
	targets := []struct {
		name, url string
		ca        []byte
	}{
		{"itself", own, s.config.CAData},
		{"itself-again", s.config.Host + "/api/v1/namespaces/default/configmaps", s.config.CAData}, // which the webhook is about
		{"inside", inside.URL + "/latest/meta-data", insideCA},
		{"redirect", inside.URL + "/redirect", insideCA},
		{"nobody", "https://127.0.0.1:1/", insideCA},
	}
	configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "inward"}}
	for _, target := range targets {
		configuration.Webhooks = append(configuration.Webhooks, admissionregistrationv1.ValidatingWebhook{
			Name:           target.name + ".inward.example.com",
			ClientConfig:   admissionregistrationv1.WebhookClientConfig{URL: &target.url, CABundle: target.ca},
			ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"for": target.name}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{"CREATE"},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
			FailurePolicy: pointer(admissionregistrationv1.Fail), TimeoutSeconds: pointer(int32(3)),
			SideEffects: pointer(admissionregistrationv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
		})
	}
	must(t, c.Create(ctx, configuration))
	create := func(name string) error {
		return c.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-", Namespace: "default", Labels: map[string]string{"for": name}}})
	}
	eventually(t, "the webhooks are asked", func() bool { return create("nobody") != nil })

	slowest, shown := time.Duration(0), 0
	for _, target := range targets {
		began := time.Now()
		err := create(target.name)
		took := time.Since(began)
		slowest = max(slowest, took)
		if err == nil || !strings.Contains(err.Error(), `failed calling webhook "`+target.name) {
			t.Errorf("%s: %v", target.name, err)
			continue
		}
		// Of the server's own answer, its words to whoever has no credential would be one.
		for _, word := range []string{secret, "X-Secret", "Unauthorized", `"kind":"Status"`, "/behind"} {
			if strings.Contains(err.Error(), word) {
				shown++
				t.Errorf("%s: the error shows %q: %v", target.name, word, err)
			}
		}
		t.Logf("%s, after %v: %v", target.name, took.Round(time.Millisecond), err)
	}
	if n := credentials.Load(); n > 0 {
		t.Errorf("%d requests had a credential", n)
	}
	if n := redirected.Load(); n > 0 {
		t.Errorf("%d redirects were followed", n)
	}
	// Without TLS, which is how clouds tell their machines of themselves, there is no webhook.
	open := configuration.DeepCopy()
	open.ObjectMeta = metav1.ObjectMeta{Name: "open"}
	open.Webhooks = open.Webhooks[:1]
	open.Webhooks[0].ClientConfig.URL = pointer("http://169.254.169.254/")
	if err := c.Create(ctx, open); err == nil || !strings.Contains(err.Error(), "https") {
		t.Errorf("a URL without TLS: %v", err)
	}
	if err := create("nobody-asks"); err != nil {
		t.Errorf("beside them: %v", fmt.Errorf("create: %w", err))
	}
	drill.InwardWebhooks.Count("webhooks", len(targets))
	drill.InwardWebhooks.Count("credentials sent", int(credentials.Load()))
	drill.InwardWebhooks.Count("redirects followed", int(redirected.Load()))
	drill.InwardWebhooks.Count("answers shown", shown)
	drill.InwardWebhooks.Worst("refused", slowest)
}
