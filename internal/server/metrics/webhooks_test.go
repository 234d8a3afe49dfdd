package metrics

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func TestWebhooks(t *testing.T) {
	registry := prometheus.NewRegistry()
	w := NewWebhooks(registry)
	for _, c := range []WebhookCall{
		{Code: 200},
		{Code: 403, Rejected: true, Reason: "no_error"},
		{Code: 503, Rejected: true, Reason: "calling_webhook_error"},
		{Code: 503, Rejected: true}, // the client has gone away
		{Code: 503, FailedOpen: true},
	} {
		c.Webhook, c.Step, c.Operation, c.Took = "x.example.com", "admit", "CREATE", time.Millisecond
		w.Observe(c)
		w = NewWebhooks(registry) // the two plug-ins count together
	}
	page := httptest.NewRecorder()
	Handler(registry).ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		`fail_open_count{name="x.example.com",type="admit"} 1`,
		`rejection_count{error_type="calling_webhook_error",name="x.example.com",operation="CREATE",rejection_code="503",type="admit"} 1`,
		`rejection_count{error_type="no_error",name="x.example.com",operation="CREATE",rejection_code="403",type="admit"} 1`,
		`request_total{code="200",name="x.example.com",operation="CREATE",rejected="false",type="admit"} 1`,
		`request_total{code="503",name="x.example.com",operation="CREATE",rejected="false",type="admit"} 1`,
		`request_total{code="503",name="x.example.com",operation="CREATE",rejected="true",type="admit"} 2`,
		`admission_duration_seconds_bucket{name="x.example.com",operation="CREATE",rejected="false",type="admit",le="0.005"} 2`,
		`admission_duration_seconds_count{name="x.example.com",operation="CREATE",rejected="true",type="admit"} 3`,
	} {
		if !strings.Contains(page.Body.String(), "\napiserver_admission_webhook_"+want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	if n := strings.Count(page.Body.String(), "\napiserver_admission_webhook_rejection_count{"); n != 2 {
		t.Errorf("%d reasons of refusals", n)
	}
}
