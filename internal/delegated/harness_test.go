package delegated

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// remote is the other server of the tests. It notes what it is asked.
type remote struct {
	*httptest.Server
	mu     sync.Mutex // guards asked
	asked  []inquiry
	answer http.HandlerFunc
}

type inquiry struct {
	method, path, authorization string
	body                        map[string]any
}

// newRemote answers with what answer writes. Reviews that it is asked are in asked.
func newRemote(t *testing.T, answer http.HandlerFunc) (*remote, *Client) {
	t.Helper()
	r := &remote{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	client, err := NewClient(Config{Server: r.URL, Token: "ours"})
	if err != nil {
		t.Fatal(err)
	}
	client.pause = time.Millisecond
	t.Cleanup(client.Close)
	return r, client
}

func (r *remote) serve(w http.ResponseWriter, req *http.Request) {
	q := inquiry{method: req.Method, path: req.URL.Path, authorization: req.Header.Get("Authorization")}
	if req.Method == http.MethodPost {
		if err := json.NewDecoder(req.Body).Decode(&q.body); err != nil {
			panic(err)
		}
	}
	r.mu.Lock()
	r.asked = append(r.asked, q)
	r.mu.Unlock()
	r.answer(w, req)
}

func (r *remote) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.asked)
}

func (r *remote) last(t *testing.T) inquiry {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.asked) == 0 {
		t.Fatal("nothing was asked")
	}
	return r.asked[len(r.asked)-1]
}

// says answers with a text.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
}

func tokenReview(status string) http.HandlerFunc {
	return says(`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","status":` + status + `}`)
}

func accessReview(status string) http.HandlerFunc {
	return says(`{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","status":` + status + `}`)
}
