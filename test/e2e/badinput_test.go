package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

const (
	v1         = "/apis/library.example.com/v1"
	strict     = books + "?fieldValidation=Strict"
	handled    = `Book in version "v1" cannot be handled as a Book: `
	asYAML     = "application/yaml"
	asProtobuf = "application/vnd.kubernetes.protobuf"
)

// status is what a client reads of a refusal.
type status struct {
	Kind, APIVersion, Status, Message, Reason string

	Code    int
	Details struct {
		Name, Group, Kind string
		Causes            []struct{ Reason, Message, Field string }
	}
}

// bad is a request that has to be refused.
type bad struct {
	name   string
	method string // POST if there is a body, else GET
	path   string // books
	header map[string]string
	body   string

	code    int
	reason  string // "" for plain text
	message string // what the message has to contain
	field   string // what the first cause has to name; then the object and its kind are named, too
}

// TestBadInput sends what no client should send. Each request is refused with a Status that says
// what is wrong, none makes the server panic, and it goes on serving.
func TestBadInput(t *testing.T) {
	s := start(t, t.TempDir())
	if code, body, err := s.do(http.MethodPost, books, "", book("there")); err != nil || code != http.StatusCreated {
		t.Fatalf("create: %d %s %v", code, body, err)
	}
	for _, tc := range badRequests() {
		t.Run(tc.name, func(t *testing.T) { s.refuses(t, tc) })
	}
	t.Run("protobuf that ends early", func(t *testing.T) { cutProtobuf(t, s) })
	s.servesOn(t)
}

// servesOn is the end of each test of this kind: a good create works, and the log has nothing in
// it. For whoever can send bad requests must not be able to fill the disk.
func (s *server) servesOn(t *testing.T) {
	t.Helper()
	if code, body, err := s.do(http.MethodPost, books, "", book("after-all-that")); err != nil || code != http.StatusCreated {
		t.Errorf("a good create: %d %s %v", code, body, err)
	}
	if err := s.stop(syscall.SIGTERM); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	for _, line := range s.said() {
		t.Errorf("the log has %s", line)
	}
}

func (s *server) refuses(t *testing.T, tc bad) {
	t.Helper()
	began := time.Now()
	code, contentType, body := s.sendBad(t, tc)
	if took := time.Since(began); took > hangs {
		t.Errorf("it took %v", took)
	}
	if tc.reason == "" {
		if code != tc.code || !strings.Contains(string(body), tc.message) || !strings.HasPrefix(contentType, "text/plain") {
			t.Errorf("got %d %s %.300s; want %d as plain text that contains %q", code, contentType, body, tc.code, tc.message)
		}
		return
	}
	var got status
	if err := yaml.Unmarshal(body, &got); err != nil || got.Kind != "Status" || got.APIVersion != "v1" || got.Status != "Failure" {
		t.Fatalf("got %d, which is no Status (%v): %.300s", code, err, body)
	}
	if code != tc.code || got.Code != tc.code || got.Reason != tc.reason || !strings.Contains(got.Message, tc.message) {
		t.Errorf("got HTTP %d, code %d %s %.600q; want %d %s with %q", code, got.Code, got.Reason, got.Message, tc.code, tc.reason, tc.message)
	}
	if len(body) > 64<<10 {
		t.Errorf("the answer has %d bytes", len(body))
	}
	if tc.field == "" {
		return
	}
	if d := got.Details; len(d.Causes) == 0 || d.Causes[0].Field != tc.field || d.Causes[0].Reason == "" || d.Causes[0].Message == "" || d.Kind == "" || d.Group == "" {
		t.Errorf("details %+v; want a cause in the field %q, the kind and the group", d, tc.field)
	}
}

func (s *server) sendBad(t *testing.T, tc bad) (code int, contentType string, body []byte) {
	t.Helper()
	if tc.method == "" {
		tc.method = http.MethodGet
		if tc.body != "" {
			tc.method = http.MethodPost
		}
	}
	if tc.path == "" {
		tc.path = books
	}
	req, err := http.NewRequest(tc.method, s.URL, strings.NewReader(tc.body))
	if err != nil {
		t.Fatal(err)
	}
	// The path is sent as it stands here.
	path, query, _ := strings.Cut(tc.path, "?")
	base := *req.URL
	req.URL = &url.URL{Scheme: base.Scheme, Host: base.Host, Opaque: "//" + base.Host + path, RawQuery: query}
	for key, value := range tc.header {
		if key == "Transfer-Encoding" {
			req.ContentLength = -1
			continue
		}
		req.Header.Set(key, value)
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Content-Type"), body
}

// cutProtobuf sends the first bytes of a good body, for every number of them.
func cutProtobuf(t *testing.T, s *server) {
	req, err := http.NewRequest(http.MethodGet, s.URL+books+"/there", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", asProtobuf)
	resp, err := s.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	whole, err := io.ReadAll(resp.Body)
	if err != nil || !bytes.HasPrefix(whole, []byte("k8s\x00")) {
		t.Fatalf("%v: %q", err, whole)
	}
	const typ = "Content-Type"
	half := len(whole) / 2
	s.refuses(t, bad{body: string(whole[:half]), header: map[string]string{typ: asProtobuf},
		code: 400, reason: "BadRequest", message: "the object provided is unrecognized (must be of type Book): protobuf envelope: "})
	for n := range whole {
		code, _, body := s.sendBad(t, bad{body: string(whole[:n]), method: http.MethodPost, header: map[string]string{typ: asProtobuf}})
		// What ends between two fields is good protobuf, of an object that lacks most.
		if code != 400 && code != 422 {
			t.Errorf("the first %d bytes: %d %s", n, code, body)
		}
	}
	// The envelope is whole, the message in it is not.
	cut := bytes.Clone(whole[:4])
	cut = append(cut, 0x0a, 0x1e, 0x0a, 0x16)
	cut = append(cut, "library.example.com/v1"...)
	cut = append(cut, 0x12, 0x04)
	cut = append(cut, "Book"...)
	cut = append(cut, 0x12, 0x02, 0x0a, 0x7f)
	s.refuses(t, bad{body: string(cut), header: map[string]string{typ: asProtobuf}, code: 400, reason: "BadRequest", message: handled + "unexpected EOF"})
}

func badRequests() []bad {
	type header = map[string]string
	good := string(book("good"))
	with := func(spec string) string {
		return fmt.Sprintf(`{"apiVersion":"library.example.com/v1","kind":"Book","metadata":{"name":"bad"},"spec":{%s}}`, spec)
	}
	named := func(name string) string {
		return fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"title":"T"}}`, name)
	}
	meta := func(meta string) string {
		return fmt.Sprintf(`{"metadata":{"name":"bad",%s},"spec":{"title":"T"}}`, meta)
	}
	const badRequest, invalid = "BadRequest", "Invalid"
	tests := []bad{
		// Bodies.
		{name: "unknown field", path: strict, body: with(`"title":"T","pages":1`), code: 400, reason: badRequest, message: handled + `strict decoding error: unknown field "spec.pages"`},
		{name: "duplicate field", path: strict, body: with(`"title":"T","title":"U"`), code: 400, reason: badRequest, message: handled + `strict decoding error: duplicate field "spec.title"`},
		{name: "unknown field in YAML", path: strict, header: header{"Content-Type": asYAML}, body: "metadata: {name: bad}\nspec: {title: T, pages: 1}\n", code: 400, reason: badRequest, message: `unknown field "spec.pages"`},
		{name: "duplicate field in YAML", path: strict, header: header{"Content-Type": asYAML}, body: "metadata: {name: bad}\nspec:\n  title: T\n  title: U\n", code: 400, reason: badRequest, message: `line 4: key "title" already set in map`},
		{name: "wrong type", body: with(`"title":"T","copies":"many"`), code: 400, reason: badRequest, message: "spec.copies of type int32"},
		{name: "number that does not fit", body: with(`"title":"T","copies":4294967296`), code: 400, reason: badRequest, message: "spec.copies of type int32"},
		{name: "list for an object", body: `[]`, code: 400, reason: badRequest, message: "cannot unmarshal array"},
		{name: "null", body: `null`, code: 422, reason: invalid, message: `metadata.name: Required value: name or generateName is required`, field: "metadata.name"},
		{name: "no body", method: "POST", code: 400, reason: badRequest, message: "unexpected end of JSON input (<empty>)"},
		{name: "broken JSON", body: `{"metadata":{"name":"bad"`, code: 400, reason: badRequest, message: "unexpected end of JSON input"},
		{name: "two objects", body: good + good, code: 400, reason: badRequest, message: "invalid character '{' after top-level value"},
		{name: "broken YAML", header: header{"Content-Type": asYAML}, body: "metadata: {name: bad\nspec: ]", code: 400, reason: badRequest, message: "yaml: line 1: did not find expected ',' or '}'"},
		{name: "no protobuf", header: header{"Content-Type": asProtobuf}, body: good, code: 400, reason: badRequest, message: `it does not begin with "k8s\x00"`},
		{name: "too large", body: with(`"title":"` + strings.Repeat("x", 3<<20) + `"`), code: 413, reason: "RequestEntityTooLarge", message: "Request entity too large: limit is 3145728"},
		{name: "too large, in chunks", header: header{"Transfer-Encoding": "chunked"}, body: with(`"title":"` + strings.Repeat("x", 3<<20) + `"`), code: 413, reason: "RequestEntityTooLarge", message: "limit is 3145728"},
		{name: "nested JSON", body: strings.Repeat("[", 10_000), code: 400, reason: badRequest},
		{name: "nested JSON in a field", body: with(`"title":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)), code: 400, reason: badRequest},
		{name: "3 million brackets", body: strings.Repeat("[", 3_000_000), code: 400, reason: badRequest, message: "exceeded max depth"},
		{name: "nested YAML", header: header{"Content-Type": asYAML}, body: strings.Repeat("[", 10_000), code: 400, reason: badRequest},
		{name: "3 million brackets of YAML", header: header{"Content-Type": asYAML}, body: strings.Repeat("[", 3_000_000), code: 413, reason: "RequestEntityTooLarge", message: "the YAML document has more than 150000 items"},
		{name: "deep indentation", header: header{"Content-Type": asYAML}, body: strings.Repeat("- ", 1_000_000) + "x", code: 413, reason: "RequestEntityTooLarge", message: "the YAML document has more than 150000 items"},
		{name: "alias bomb", header: header{"Content-Type": asYAML}, body: aliasBomb(), code: 400, reason: badRequest, message: "expands to more than"},
		{name: "alias to itself", header: header{"Content-Type": asYAML}, body: "metadata: &a {name: x, labels: *a}", code: 400, reason: badRequest, message: "contains"},

		// What the object says that it is.
		{name: "unknown kind", body: strings.Replace(good, `"Book"`, `"Bok"`, 1), code: 400, reason: badRequest, message: `no kind "Bok" is registered for version "library.example.com/v1"`},
		{name: "other kind", body: strings.Replace(good, `"Book"`, `"Shelf"`, 1), code: 400, reason: badRequest, message: "the path " + books + " takes objects of kind Book only"},
		{name: "unknown version", body: strings.Replace(good, "/v1", "/v9", 1), code: 400, reason: badRequest, message: `no kind "Book" is registered for version "library.example.com/v9"`},
		{name: "other version", body: strings.Replace(good, "/v1", "/v1alpha1", 1), code: 400, reason: badRequest, message: "the API version in the data (library.example.com/v1alpha1) does not match the expected API version (library.example.com/v1)"},
		{name: "version that is none", body: strings.Replace(good, "/v1", "/a/b", 1), code: 400, reason: badRequest, message: "unexpected GroupVersion string: library.example.com/a/b"},

		// What the object says.
		{name: "invalid name", body: named("Not_A_Name"), code: 422, reason: invalid, message: `Book.library.example.com "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain`, field: "metadata.name"},
		{name: "very long name", body: named(strings.Repeat("x", 300_000)), code: 422, reason: invalid, field: "metadata.name"},
		{name: "name of dots", body: named(".."), code: 422, reason: invalid, field: "metadata.name"},
		{name: "name with a slash", body: named("a/b"), code: 422, reason: invalid, field: "metadata.name"},
		{name: "name with a NUL", body: `{"metadata":{"name":"a\u0000b"},"spec":{"title":"T"}}`, code: 422, reason: invalid, field: "metadata.name"},
		{name: "no name", body: `{"spec":{"title":"T"}}`, code: 422, reason: invalid, field: "metadata.name"},
		{name: "bad label", body: meta(`"labels":{"a b":"c"}`), code: 422, reason: invalid, field: "metadata.labels"},
		{name: "annotations that are too large", body: meta(`"annotations":{"a":"` + strings.Repeat("x", 300<<10) + `"}`), code: 422, reason: invalid, field: "metadata.annotations"},
		{name: "bad finalizer", body: meta(`"finalizers":["a b"]`), code: 422, reason: invalid, field: "metadata.finalizers"},
		{name: "missing field", body: with(``), code: 422, reason: invalid, message: "spec.title: Required value", field: "spec.title"},
		{name: "bad field", body: with(`"title":"T","copies":-1`), code: 422, reason: invalid, message: "spec.copies: Invalid value: -1: must be greater than or equal to 0", field: "spec.copies"},
		{name: "bad item", body: with(`"title":"T","authors":["a","b;c"]`), code: 422, reason: invalid, field: "spec.authors[1]"},
		{name: "other namespace", body: meta(`"namespace":"elsewhere"`), code: 400, reason: badRequest, message: "the namespace of the provided object does not match the namespace sent on the request"},
		{name: "resourceVersion on create", body: meta(`"resourceVersion":"1"`), code: 400, reason: badRequest, message: "resourceVersion should not be set on objects to be created"},
		{name: "it is there", body: string(book("there")), code: 409, reason: "AlreadyExists", message: `books.library.example.com "there" already exists`},
		{name: "other name on update", method: "PUT", path: books + "/there", body: named("another"), code: 400, reason: badRequest, message: "the name of the object (another) does not match the name on the URL (there)"},
		{name: "bad resourceVersion on update", method: "PUT", path: books + "/there", body: `{"metadata":{"name":"there","resourceVersion":"old"},"spec":{"title":"T"}}`, code: 422, reason: invalid, field: "metadata.resourceVersion"},
		{name: "old resourceVersion on update", method: "PUT", path: books + "/there", body: `{"metadata":{"name":"there","resourceVersion":"1"},"spec":{"title":"T"}}`, code: 409, reason: "Conflict", message: "the object has been modified; please apply your changes to the latest version and try again"},
		{name: "other uid on update", method: "PUT", path: books + "/there", body: `{"metadata":{"name":"there","uid":"x"},"spec":{"title":"T"}}`, code: 409, reason: "Conflict", message: "Precondition failed: UID in precondition: x"},
		{name: "update of nothing", method: "PUT", path: books + "/absent", body: named("absent"), code: 404, reason: "NotFound", message: `books.library.example.com "absent" not found`},
		{name: "bad delete options", method: "DELETE", path: books + "/there", body: `{"propagationPolicy":"Sometimes"}`, code: 422, reason: invalid, field: "propagationPolicy"},
		{name: "delete options of another kind", method: "DELETE", path: books + "/there", body: good, code: 400, reason: badRequest, message: `no kind "Book" is registered`},
		{name: "delete of another object", method: "DELETE", path: books + "/there", body: `{"preconditions":{"uid":"x"}}`, code: 409, reason: "Conflict", message: "UID in precondition: x"},

		// Media types.
		{name: "unknown content type", header: header{"Content-Type": "text/plain"}, body: good, code: 415, reason: "UnsupportedMediaType", message: "accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{name: "content type that is none", header: header{"Content-Type": ";;;"}, body: good, code: 415, reason: "UnsupportedMediaType"},
		{name: "unknown accept", header: header{"Accept": "text/html"}, code: 406, reason: "NotAcceptable", message: "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		{name: "accept that is none", header: header{"Accept": ";q=x,,;"}, code: 406, reason: "NotAcceptable"},
		{name: "watch as YAML", path: books + "?watch=1", header: header{"Accept": asYAML}, code: 406, reason: "NotAcceptable", message: "application/json;stream=watch"},
	}
	return append(tests, badAddresses()...)
}

// aliasBomb is a document of a few hundred bytes that stands for many gigabytes.
func aliasBomb() string {
	var b strings.Builder
	b.WriteString("metadata: {name: bad}\na: &a [x,x,x,x,x,x,x,x,x]\n")
	for c := byte('b'); c <= 'm'; c++ {
		fmt.Fprintf(&b, "%c: &%c [%s*%c]\n", c, c, strings.Repeat("*"+string(c-1)+",", 8), c-1)
	}
	return b.String()
}
