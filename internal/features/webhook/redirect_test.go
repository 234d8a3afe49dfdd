package webhook

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
)

// TestServeMux calls a webhook whose path has two slashes, as envtest of controller-runtime
// configures it. Go's ServeMux redirects to the clean path, where the webhook answers.
func TestServeMux(t *testing.T) {
	hook := &remote{answer: func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Allowed: true, Warnings: []string{"asked"}}
	}}
	mux := http.NewServeMux()
	mux.Handle("/failing", hook)
	hook.start(t, mux)
	v, m := validatingHook(t, hook, "v.example.com", ""), mutatingHook(t, hook, "m.example.com", "")
	at := hook.URL + "//failing"
	v.ClientConfig.URL, m.ClientConfig.URL = &at, &at
	w := newWorld(t, Config{})
	w.validate(v)
	w.mutate(m)
	if _, err := w.create(`{"metadata":{"name":"w"}}`); err != nil {
		t.Fatal(err)
	}
	if len(w.warnings) != 2 {
		t.Errorf("the webhooks warn: %q", w.warnings)
	}
	if len(hook.queries) != 2 || hook.queries[0] != "timeout=10s" || hook.seen()[1].Object.Raw == nil {
		t.Errorf("called with %q and %s", hook.queries, hook.seen()[1].Object.Raw)
	}
}

// TestRedirects: one redirect that keeps method, scheme, host and port is followed, no other one,
// and the error quotes no Location.
func TestRedirects(t *testing.T) {
	var elsewhere atomic.Int64
	other := newRaw(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	const here = "{here}"
	for name, tc := range map[string]struct {
		code     int
		location string
		followed bool
	}{
		"307":                     {307, "/to?timeout=5s", true},
		"308":                     {308, "/to", true},
		"relative":                {307, "to", true},
		"the whole URL":           {307, "https://" + here + "/to", true},
		"a fragment":              {307, "/to#there", true},
		"another host":            {307, other.URL + "/to", false},
		"another host, same path": {307, "//" + strings.TrimPrefix(other.URL, "https://") + "/to", false},
		"another name":            {307, "https://localhost:{port}/to", false},
		"the default port":        {307, "https://127.0.0.1/to", false},
		"without TLS":             {307, "http://" + here + "/to", false},
		"another scheme":          {307, "file:///to", false},
		"opaque":                  {307, "https:to", false},
		"userinfo":                {307, "https://me:secret@" + here + "/to", false},
		"a name alone":            {307, "https://me@" + here + "/to", false},
		"malformed":               {307, "https://%zz/to", false},
		"malformed port":          {307, "https://127.0.0.1:to/", false},
		"no Location":             {307, "", false},
		"301":                     {301, "/to", false},
		"302":                     {302, "/to", false},
		"303":                     {303, "/to", false},
		"300":                     {300, "/to", false},
		"304":                     {304, "/to", false},
		"twice":                   {307, "/hook", false},
	} {
		t.Run(name, func(t *testing.T) {
			hook := &remote{answer: allow}
			calls := 0
			mux := http.NewServeMux()
			mux.Handle("/to", hook)
			mux.HandleFunc("/hook", func(w http.ResponseWriter, r *http.Request) {
				calls++
				_, port, _ := strings.Cut(r.Host, ":")
				if tc.location != "" {
					w.Header().Set("Location", strings.NewReplacer(here, r.Host, "{port}", port).Replace(tc.location))
				}
				w.WriteHeader(tc.code)
			})
			hook.start(t, mux)
			w := newWorld(t, Config{Credentials: func(string) Credential {
				return Credential{Token: func() (string, error) { return "token", nil }}
			}})
			w.validate(validatingHook(t, hook, "v.example.com", ""))
			_, err := w.create(`{"metadata":{"name":"w"}}`)
			if tc.followed {
				if err != nil || len(hook.seen()) != 1 {
					t.Errorf("%v, %d reviews", err, len(hook.seen()))
				}
				return
			}
			want := fmt.Sprintf(`failed calling webhook "v.example.com": failed to call webhook: it answered with the HTTP status %d; redirects are not followed`, tc.code)
			wantStatus(t, err, 500, want)
			if !strings.HasSuffix(err.Error(), "redirects are not followed") || len(hook.seen()) > 0 {
				t.Errorf("%v, %d reviews", err, len(hook.seen()))
			}
			if most := map[string]int{"twice": 2}[name]; calls > max(most, 1) {
				t.Errorf("%d calls", calls)
			}
		})
	}
	if n := elsewhere.Load(); n > 0 {
		t.Errorf("%d redirects to another server were followed", n)
	}
}

// TestRedirectInTime: the timeout of a webhook covers both requests, and the error of the second
// one shows the configured URL.
func TestRedirectInTime(t *testing.T) {
	hook := newRaw(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hook" {
			time.Sleep(700 * time.Millisecond)
			http.Redirect(w, r, "/behind", http.StatusTemporaryRedirect)
			return
		}
		<-r.Context().Done()
	})
	w := newWorld(t, Config{})
	w.validate(validatingHook(t, hook, "v.example.com", "timeoutSeconds: 1"))
	began := time.Now()
	_, err := w.create(`{"metadata":{"name":"w"}}`)
	wantStatus(t, err, 500, fmt.Sprintf(`failed to call webhook: Post "%s/hook?timeout=1s": context deadline exceeded`, hook.URL))
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	if strings.Contains(fmt.Sprint(err), "behind") {
		t.Error(err)
	}
}
