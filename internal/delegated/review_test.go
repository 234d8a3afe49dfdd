package delegated

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/auth"
)

func TestTokens(t *testing.T) {
	jane := &auth.User{Name: "jane", UID: "7", Groups: []string{"dev"}, Extra: map[string][]string{"k": {"v"}}}
	good := `"authenticated":true,"user":{"username":"jane","uid":"7","groups":["dev"],"extra":{"k":["v"]}}`
	for name, tc := range map[string]struct {
		answer    http.HandlerFunc
		own, want []string
		user      *auth.User
		problem   string
	}{
		"good":                     {answer: tokenReview(`{` + good + `}`), user: jane},
		"good for the cluster":     {answer: tokenReview(`{` + good + `,"audiences":["cluster"]}`), user: jane},
		"for us":                   {answer: tokenReview(`{` + good + `,"audiences":["a","b"]}`), own: []string{"a"}, want: []string{"a"}, user: jane},
		"for others":               {answer: tokenReview(`{` + good + `,"audiences":["b"]}`), own: []string{"a"}},
		"it knows of no audiences": {answer: tokenReview(`{` + good + `}`), own: []string{"a"}, want: []string{"a"}, user: jane},
		"not good":                 {answer: tokenReview(`{"authenticated":false}`)},
		"not good, with a reason":  {answer: tokenReview(`{"authenticated":false,"error":"expired"}`), problem: "expired"},
		"no name":                  {answer: tokenReview(`{"authenticated":true}`), problem: "has no name"},
		"another kind":             {answer: accessReview(`{}`), problem: `"SubjectAccessReview" in "authorization.k8s.io/v1", not TokenReview`},
		"no JSON":                  {answer: says("<html>"), problem: "invalid character"},
		"a no of HTTP": {answer: func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"message":"not you"}`, http.StatusForbidden)
		}, problem: "HTTP status 403: not you"},
		"a redirect is not followed": {answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, problem: "HTTP status 307"},
	} {
		r, client := newRemote(t, tc.answer)
		tokens := NewTokens(client, tc.own, time.Minute)
		found, err := tokens.AuthenticateToken(context.Background(), "theirs", []string{"a"})
		if (err == nil) != (tc.problem == "") || err != nil && !strings.Contains(err.Error(), tc.problem) {
			t.Errorf("%s: %v, want %q", name, err, tc.problem)
		}
		if (found == nil) != (tc.user == nil) {
			t.Fatalf("%s: %v", name, found)
		}
		if found != nil {
			if diff := cmp.Diff(tc.user, found.User); diff != "" || len(found.Audiences) != 1 {
				t.Errorf("%s: audiences %v (-want +got)\n%s", name, found.Audiences, diff)
			}
		}
		want := inquiry{method: "POST", path: "/apis/authentication.k8s.io/v1/tokenreviews", authorization: "Bearer ours"}
		spec := map[string]any{"token": "theirs"}
		if len(tc.own) > 0 {
			spec["audiences"] = []any{"a"}
		}
		got := r.last(t)
		if diff := cmp.Diff(spec, got.body["spec"]); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if got.body = nil; !cmp.Equal(want, got, cmp.AllowUnexported(inquiry{})) || r.count() != 1 {
			t.Errorf("%s: %d inquiries, the last is %v", name, r.count(), got)
		}
	}
}

func TestAccess(t *testing.T) {
	jane := &auth.User{Name: "jane", UID: "7", Groups: []string{"dev"}, Extra: map[string][]string{"k": {"v"}}}
	read := auth.Attributes{User: jane, Verb: "list", Group: "g", Version: "v1", Resource: "books", Namespace: "n", IsResource: true, Path: "/x",
		FieldSelector: "spec.isbn=1,spec.lang!=de", LabelSelector: "a in (b,c),!d"}
	for name, tc := range map[string]struct {
		answer   http.HandlerFunc
		decision auth.Decision
		reason   string
		problem  string
	}{
		"yes":        {answer: accessReview(`{"allowed":true,"reason":"why not"}`), decision: auth.Allow, reason: "why not"},
		"no opinion": {answer: accessReview(`{"allowed":false,"reason":"no role"}`), reason: "no role"},
		"no":         {answer: accessReview(`{"allowed":false,"denied":true}`), decision: auth.Deny},
		"both":       {answer: accessReview(`{"allowed":true,"denied":true}`), decision: auth.Deny, problem: "yes and no"},
		"nothing":    {answer: says(`{}`), problem: "not SubjectAccessReview"},
		"an error":   {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }, problem: "404"},
	} {
		r, client := newRemote(t, tc.answer)
		decision, reason, err := NewAccess(client, time.Minute, time.Minute).Authorize(context.Background(), read)
		if decision != tc.decision || reason != tc.reason || (err == nil) != (tc.problem == "") || err != nil && !strings.Contains(err.Error(), tc.problem) {
			t.Errorf("%s: %v, %q, %v", name, decision, reason, err)
		}
		want := map[string]any{
			"user": "jane", "uid": "7", "groups": []any{"dev"}, "extra": map[string]any{"k": []any{"v"}},
			"resourceAttributes": map[string]any{
				"namespace": "n", "verb": "list", "group": "g", "version": "v1", "resource": "books",
				"fieldSelector": map[string]any{"requirements": []any{
					map[string]any{"key": "spec.isbn", "operator": "In", "values": []any{"1"}},
					map[string]any{"key": "spec.lang", "operator": "NotIn", "values": []any{"de"}},
				}},
				"labelSelector": map[string]any{"requirements": []any{
					map[string]any{"key": "a", "operator": "In", "values": []any{"b", "c"}},
					map[string]any{"key": "d", "operator": "DoesNotExist"},
				}},
			},
		}
		if diff := cmp.Diff(want, r.last(t).body["spec"]); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
	r, client := newRemote(t, accessReview(`{"allowed":true}`))
	if _, _, err := NewAccessWebhook(client, 0, 0).Authorize(context.Background(), auth.Attributes{User: jane, Verb: "get", Path: "/metrics"}); err != nil {
		t.Fatal(err)
	}
	got := r.last(t)
	if diff := cmp.Diff(map[string]any{"path": "/metrics", "verb": "get"}, got.body["spec"].(map[string]any)["nonResourceAttributes"]); diff != "" || got.path != "/" {
		t.Errorf("a webhook at %s: (-want +got)\n%s", got.path, diff)
	}
}

// TestAnswersAreRemembered, whichever they are, for their time; that there was none is not.
func TestAnswersAreRemembered(t *testing.T) {
	now := time.Now()
	a := auth.Attributes{User: &auth.User{Name: "jane"}, Verb: "get", Path: "/a"}
	allowed := true
	r, client := newRemote(t, func(w http.ResponseWriter, req *http.Request) {
		accessReview(fmt.Sprintf(`{"allowed":%v}`, allowed))(w, req)
	})
	access := NewAccess(client, 10*time.Second, 5*time.Second)
	access.cache.now = func() time.Time { return now }
	check := func(what string, want auth.Decision, asked int) {
		t.Helper()
		got, _, err := access.Authorize(context.Background(), a)
		if got != want || err != nil || r.count() != asked {
			t.Errorf("%s: %v, %v after %d inquiries, want %v after %d", what, got, err, r.count(), want, asked)
		}
	}
	check("first", auth.Allow, 1)
	allowed = false
	now = now.Add(9 * time.Second)
	check("remembered", auth.Allow, 1)
	now = now.Add(time.Second)
	check("asked again", auth.NoOpinion, 2)
	allowed = true
	now = now.Add(4 * time.Second)
	check("a no is remembered", auth.NoOpinion, 2)
	now = now.Add(time.Second)
	check("but not for long", auth.Allow, 3)
	a.Path = "/b"
	check("another question", auth.Allow, 4)
	a.Path = "/" + strings.Repeat("x", maxQuestion)
	check("a long question", auth.Allow, 5)
	check("is not remembered", auth.Allow, 6)
}

func TestFailuresAreTriedAgainAndForgotten(t *testing.T) {
	failures := 3
	r, client := newRemote(t, func(w http.ResponseWriter, req *http.Request) {
		if failures--; failures >= 0 {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		tokenReview(`{"authenticated":false}`)(w, req)
	})
	tokens := NewTokens(client, nil, time.Minute)
	if found, err := tokens.AuthenticateToken(context.Background(), "t", nil); found != nil || err != nil || r.count() != 4 {
		t.Errorf("%v, %v after %d tries", found, err, r.count())
	}
	failures = tries + 1
	for asked := range 2 {
		_, err := tokens.AuthenticateToken(context.Background(), "u", nil)
		if failed := err != nil; failed != (asked == 0) {
			t.Errorf("call %d: %v", asked, err)
		}
	}
}

// TestOneInquiryForAll: a thousand requests with a new token at the same time are one review, and
// who gives up waiting does not take the answer from others.
func TestOneInquiryForAll(t *testing.T) {
	inside, release := make(chan struct{}), make(chan struct{})
	r, client := newRemote(t, func(w http.ResponseWriter, req *http.Request) {
		close(inside) // a second one panics
		<-release
		tokenReview(`{"authenticated":true,"user":{"username":"jane"}}`)(w, req)
	})
	tokens := NewTokens(client, nil, time.Minute)
	first, giveUp := context.WithCancel(context.Background())
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if _, err := tokens.AuthenticateToken(first, "t", nil); err == nil {
			t.Error("the one that gave up has an answer")
		}
	})
	<-inside
	for range 20 {
		waiting.Go(func() {
			if found, err := tokens.AuthenticateToken(context.Background(), "t", nil); err != nil || found == nil || found.User.Name != "jane" {
				t.Errorf("%v, %v", found, err)
			}
		})
	}
	giveUp()
	close(release)
	waiting.Wait()
	if r.count() != 1 {
		t.Errorf("%d inquiries", r.count())
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache(func(int) time.Duration { return time.Minute })
	for i := range maxCached + 100 {
		if got, err := c.get(context.Background(), i, func(context.Context) (int, error) { return i, nil }); got != i || err != nil {
			t.Fatal(got, err)
		}
		if len(c.known) > maxCached {
			t.Fatalf("%d answers are kept", len(c.known))
		}
	}
	if n := len(c.known); n < maxCached/2 {
		t.Errorf("only %d answers are left", n)
	}
}

func TestPaths(t *testing.T) {
	p, err := NewPaths([]string{"/metrics", "debug/*"})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]auth.Decision{"/metrics": auth.Allow, "/metrics/x": auth.NoOpinion, "/debug/pprof": auth.Allow, "/debugger": auth.NoOpinion} {
		if got, _, _ := p.Authorize(context.Background(), auth.Attributes{Path: path}); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if got, _, _ := p.Authorize(context.Background(), auth.Attributes{Path: "/metrics", IsResource: true}); got != auth.NoOpinion {
		t.Error("a resource")
	}
	for _, wrong := range []string{"", "/", "/a*b"} {
		if _, err := NewPaths([]string{wrong}); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

// TestPanicOfInquiry: a panic is an error of those who wait, and the next inquiry is made.
func TestPanicOfInquiry(t *testing.T) {
	c := newCache(func(int) time.Duration { return time.Minute })
	_, err := c.get(t.Context(), "a", func(context.Context) (int, error) { panic("the answer is hostile") })
	if err == nil || !strings.Contains(err.Error(), "the answer is hostile") {
		t.Errorf("%v", err)
	}
	if got, err := c.get(t.Context(), "a", func(context.Context) (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Error(got, err)
	}
}
