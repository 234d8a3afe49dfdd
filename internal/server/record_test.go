package server_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/internal/server/audit"
	"github.com/typeplane/typeplane/registry/rest"
)

// audited answers requests with a policy, and returns the events.
func audited(t *testing.T, policy *audit.Policy, change func(*server.Config), requests ...request) []audit.Event {
	t.Helper()
	file := filepath.Join(t.TempDir(), "audit.log")
	log, err := audit.Open(audit.Config{Policy: policy, Path: file, Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r := books()
	c := config(t, r, shelves())
	c.Audit = log
	if change != nil {
		change(&c)
	}
	s := newServer(t, c)
	for _, req := range requests {
		do(s, req)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var events []audit.Event
	for line := range strings.Lines(string(data)) {
		var e audit.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		events = append(events, e)
	}
	return events
}

const aBookBody = `{"kind":"Book","apiVersion":"library.example.com/v1","metadata":{"name":"b"},"spec":{"title":"hidden"}}`

// TestAuditDefault: the metadata of what writes, and nothing else.
func TestAuditDefault(t *testing.T) {
	events := audited(t, nil, nil,
		request{path: booksPath + "/b"},
		request{path: booksPath},
		request{method: "POST", path: booksPath, body: aBookBody, header: map[string]string{"Content-Type": "application/json", "Audit-ID": "mine", "User-Agent": "test/1", "X-Forwarded-For": "10.0.0.9, nonsense"}},
		request{method: "DELETE", path: booksPath + "/b", header: map[string]string{"Test-User": "eve"}},
		request{method: "DELETE", path: booksPath + "/b", header: map[string]string{"Test-User": ""}},
	)
	if len(events) != 3 {
		t.Fatalf("%d events: %+v", len(events), events)
	}
	e := events[0]
	if e.RequestReceivedTimestamp.IsZero() || e.StageTimestamp.Before(&e.RequestReceivedTimestamp) {
		t.Errorf("times: %v %v", e.RequestReceivedTimestamp, e.StageTimestamp)
	}
	e.RequestReceivedTimestamp, e.StageTimestamp = audit.Event{}.StageTimestamp, audit.Event{}.StageTimestamp
	want := audit.Event{
		Kind: "Event", APIVersion: "audit.k8s.io/v1", Level: audit.LevelMetadata, AuditID: "mine", Stage: audit.StageResponseComplete,
		RequestURI: booksPath, Verb: "create", User: audit.User{Username: "admin", Groups: []string{"system:masters"}},
		SourceIPs: []string{"10.0.0.9", "192.0.2.1"}, UserAgent: "test/1",
		ObjectRef:      &audit.ObjectReference{APIGroup: gv1.Group, APIVersion: "v1", Resource: "books", Namespace: "ns", Name: "b"},
		ResponseStatus: &audit.Status{Code: http.StatusCreated},
		Annotations:    map[string]string{"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": ""},
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if e := events[1]; e.ResponseStatus.Code != http.StatusForbidden || e.ResponseStatus.Reason != "Forbidden" || e.Annotations["authorization.k8s.io/decision"] != "forbid" || e.User.Username != "eve" {
		t.Errorf("forbidden: %+v", e)
	}
	if e := events[2]; e.ResponseStatus.Code != http.StatusUnauthorized || e.User.Username != "" {
		t.Errorf("unauthorized: %+v", e)
	}
}

// TestAuditReference: the event names the object as its body does, where the path does not.
func TestAuditReference(t *testing.T) {
	body := `{"kind":"Book","apiVersion":"library.example.com/v1","metadata":{"name":"b","uid":"u","resourceVersion":"7"},"spec":{"title":"T"}}`
	events := audited(t, nil, nil,
		request{method: "PUT", path: booksPath + "/b", body: body, header: map[string]string{"Content-Type": "application/json"}},
		request{method: "POST", path: booksPath, body: "nonsense", header: map[string]string{"Content-Type": "application/json"}},
	)
	want := []*audit.ObjectReference{
		{APIGroup: gv1.Group, APIVersion: "v1", Resource: "books", Namespace: "ns", Name: "b", UID: "u", ResourceVersion: "7"},
		{APIGroup: gv1.Group, APIVersion: "v1", Resource: "books", Namespace: "ns"},
	}
	for i, e := range events {
		if diff := cmp.Diff(want[i], e.ObjectRef); diff != "" {
			t.Errorf("%s (-want +got)\n%s", e.Verb, diff)
		}
	}
}

// TestAuditMasksCredentials covers credentials in a query: no event has them, whatever the outcome.
func TestAuditMasksCredentials(t *testing.T) {
	policy := &audit.Policy{Rules: []audit.Rule{{Level: audit.LevelRequestResponse}}}
	const query = "?access_token=hidden-1&limit=1&access%5Ftoken=hidden-2&labelSelector=a%3Db"
	events := audited(t, policy, nil,
		request{path: booksPath + query},
		request{path: "/nothing" + query},
		request{path: booksPath + "/b" + query + "&access_token=hidden%zz", method: "DELETE"},
		request{path: booksPath + query, header: map[string]string{"Test-User": ""}},
	)
	if len(events) != 2*4 { // of two stages
		t.Errorf("%d events", len(events))
	}
	for _, e := range events {
		data, err := json.Marshal(e)
		if err != nil || strings.Contains(string(data), "hidden") {
			t.Errorf("%s, %v", data, err)
		}
		if !strings.Contains(e.RequestURI, "?access_token=***&limit=1&access%5Ftoken=***&labelSelector=a%3Db") {
			t.Errorf("URI %s", e.RequestURI)
		}
	}
}

// TestAuditOfStrangers: who shows no credential can't write megabytes into the log.
func TestAuditOfStrangers(t *testing.T) {
	long := strings.Repeat("x", 1<<18)
	policy := &audit.Policy{Rules: []audit.Rule{{Level: audit.LevelMetadata}}}
	events := audited(t, policy, nil,
		request{method: "DELETE", path: booksPath + "/" + long + "?y=" + long, header: map[string]string{"Test-User": ""}},
		request{method: strings.ToUpper(long), path: "/nothing", header: map[string]string{"Test-User": ""}},
		request{method: "DELETE", path: booksPath + "/b?y=" + long},
	)
	var sizes []int
	for _, e := range events {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if sizes = append(sizes, len(text)); e.User.Username == "" && len(text) > 8<<10 {
			t.Errorf("%d bytes: %.200s", len(text), text)
		}
	}
	if len(sizes) < 3 || sizes[len(sizes)-1] < len(long) {
		t.Errorf("the events have %d bytes", sizes)
	}
}

// TestAuditBodies: as JSON, whatever was on the wire.
func TestAuditBodies(t *testing.T) {
	everythingKept := &audit.Policy{Rules: []audit.Rule{{Level: audit.LevelRequestResponse}}}
	events := audited(t, everythingKept, nil,
		request{method: "POST", path: booksPath, body: "kind: Book\napiVersion: library.example.com/v1\nmetadata: {name: b}\nspec: {title: T}\n", header: map[string]string{"Content-Type": "application/yaml", "Accept": "application/yaml"}},
		request{path: booksPath + "?watch=1&timeoutSeconds=1"},
		request{path: "/livez"},
	)
	var stages []string
	for _, e := range events {
		stages = append(stages, e.Verb+" "+string(e.Stage))
	}
	want := []string{"create RequestReceived", "create ResponseComplete", "watch RequestReceived", "watch ResponseStarted", "watch ResponseComplete", "get RequestReceived", "get ResponseComplete"}
	if diff := cmp.Diff(want, stages); diff != "" {
		t.Fatal(diff)
	}
	for name, body := range map[string]json.RawMessage{"request": events[1].RequestObject, "response": events[1].ResponseObject} {
		if !strings.Contains(string(body), `"spec":{"title":"T"}`) || !json.Valid(body) {
			t.Errorf("%s: %s", name, body)
		}
	}
}

// TestAuditPanic: the event says what became of the request.
func TestAuditPanic(t *testing.T) {
	events := audited(t, nil, func(c *server.Config) {
		c.Resources[0].Delete = deleteFunc(func(context.Context, *rest.Request, rest.Name, metav1.DeleteOptions) (rest.View, error) {
			panic("planted")
		})
	}, request{method: "DELETE", path: booksPath + "/b"})
	if len(events) != 1 || events[0].Stage != audit.StagePanic || events[0].ResponseStatus.Code != http.StatusInternalServerError {
		t.Errorf("%+v", events)
	}
}

// TestAuditNeverShowsSecrets: neither their bodies, nor errors that quote them, nor a credential.
func TestAuditNeverShowsSecrets(t *testing.T) {
	kept := &audit.Policy{Rules: []audit.Rule{{Level: audit.LevelRequestResponse}}}
	secrets := func(c *server.Config) {
		r := shelves()
		r.GroupVersion.Group = ""
		r.StorageVersion.Group = ""
		r.Name, r.Singular = "secrets", "secret"
		c.Scheme = coreScheme(t)
		c.Resources = []rest.Resource{r}
	}
	body := `{"kind":"Shelf","apiVersion":"v1","metadata":{"name":"s","annotations":{"k":"hunter2"}}}`
	events := audited(t, kept, secrets,
		request{method: "POST", path: "/api/v1/secrets", body: body, header: map[string]string{"Content-Type": "application/json", "Authorization": "Bearer hunter2"}},
		request{method: "POST", path: "/api/v1/secrets", body: `{"hunter2"`, header: map[string]string{"Content-Type": "application/json"}},
	)
	if len(events) != 4 {
		t.Fatalf("%+v", events)
	}
	if events[1].ResponseStatus.Code != http.StatusCreated || events[3].ResponseStatus.Code != http.StatusBadRequest {
		t.Errorf("%+v", events)
	}
	text, err := json.Marshal(events)
	if err != nil || strings.Contains(string(text), "hunter2") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestAuditAnnotationsOfBodies: what shows a part of an object is kept where the object is.
func TestAuditAnnotationsOfBodies(t *testing.T) {
	for _, tt := range []struct {
		level       audit.Level
		resource    string
		kept, quote bool
	}{
		{audit.LevelMetadata, "shelves", false, true},
		{audit.LevelRequest, "shelves", true, true},
		{audit.LevelRequestResponse, "secrets", false, false},
	} {
		quote := !tt.quote
		events := audited(t, &audit.Policy{Rules: []audit.Rule{{Level: tt.level}}, OmitStages: []audit.Stage{audit.StageRequestReceived}}, func(c *server.Config) {
			r := shelves()
			r.GroupVersion.Group, r.StorageVersion.Group, r.Name = "", "", tt.resource
			create := r.Create
			r.Create = createFunc(func(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.CreateOptions) (rest.View, error) {
				req.AnnotateBody("example.com/part", func() string { return "of it" })
				quote = req.MayQuote()
				return create.Create(ctx, req, name, obj, opts)
			})
			c.Scheme, c.Resources = coreScheme(t), []rest.Resource{r}
		}, request{method: "POST", path: "/api/v1/" + tt.resource, body: `{"kind":"Shelf","apiVersion":"v1","metadata":{"name":"s"}}`, header: map[string]string{"Content-Type": "application/json"}})
		if len(events) != 1 || events[0].ResponseStatus.Code != http.StatusCreated {
			t.Fatalf("%+v", events)
		}
		if _, there := events[0].Annotations["example.com/part"]; there != tt.kept || quote != tt.quote {
			t.Errorf("%+v: %v, may quote: %v", tt, events[0].Annotations, quote)
		}
	}
}

// TestRequestsAreLogged: at the debug level one line with the audit ID, and without what could be a
// secret.
func TestRequestsAreLogged(t *testing.T) {
	var out strings.Builder
	c := config(t, books())
	c.Log = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := newServer(t, c)
	do(s, request{path: booksPath + "/b?pretty=hunter2", header: map[string]string{"Audit-ID": "mine", "Authorization": "Bearer hunter2"}})
	if got := out.String(); strings.Count(got, "\n") != 1 || strings.Contains(got, "hunter2") {
		t.Errorf("%s", got)
	}
	for _, want := range []string{"verb=get", "path=" + booksPath + "/b", "code=200", "user=admin", "auditID=mine", "took="} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
}
