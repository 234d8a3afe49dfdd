package serve

import (
	"net/http"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/program"
)

// TestLimitFlagsReachTheServer: what is asked for shows in what the server does.
func TestLimitFlagsReachTheServer(t *testing.T) {
	i, client := running(t, func(o *program.Options) {
		o.Serving.MinRequestTimeout = 1
		o.Serving.CORSAllowedOrigins = []string{`^https://good\.example$`}
	})
	begun := time.Now()
	getBody(t, client, i.URL()+widgetsPath+"?watch=1")
	if took := time.Since(begun); took < time.Second || took > time.Minute {
		t.Errorf("--min-request-timeout: a watch took %v", took)
	}
	req, err := http.NewRequest(http.MethodGet, i.URL()+widgetsPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "https://good.example")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := resp.Header.Get("Access-Control-Allow-Origin"); got != "https://good.example" {
		t.Errorf("--cors-allowed-origins: %q", got)
	}
}
