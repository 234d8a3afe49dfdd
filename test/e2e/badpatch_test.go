package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// TestBadPatches sends patches that can't be applied, and deletions of collections that say
// nonsense.
func TestBadPatches(t *testing.T) {
	s := start(t, t.TempDir())
	if code, body, err := s.do(http.MethodPost, books, "", book("there")); err != nil || code != http.StatusCreated {
		t.Fatalf("create: %d %s %v", code, body, err)
	}
	const there, badRequest, invalid = books + "/there", "BadRequest", "Invalid"
	types := map[string]string{"json": "application/json-patch+json", "merge": "application/merge-patch+json", "strategic": "application/strategic-merge-patch+json"}
	nested := strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_001)
	double := `[{"op":"add","path":"/metadata/annotations","value":{"a":"` + strings.Repeat("x", 100_000) + `"}}` + strings.Repeat(`,{"op":"copy","from":"/metadata/annotations","path":"/metadata/annotations/b"}`, 12) + "]"
	for _, tc := range []struct {
		typ string
		bad
	}{
		{"text", bad{name: "type of a patch that is none", body: "{}", code: 415, reason: "UnsupportedMediaType", message: "application/merge-patch+json"}},
		{"json", bad{name: "broken", body: `[{"op":`, code: 400, reason: badRequest}},
		{"json", bad{name: "no list", body: `{"op":"add"}`, code: 400, reason: badRequest}},
		{"json", bad{name: "unknown operation", body: `[{"op":"swap","path":"/spec/title"}]`, code: 400, reason: badRequest, message: `"swap" is not one of`}},
		{"json", bad{name: "path that is not there", body: `[{"op":"remove","path":"/spec/nothing"}]`, code: 422, reason: invalid}},
		{"json", bad{name: "failed test", body: `[{"op":"test","path":"/spec/title","value":"x"}]`, code: 422, reason: invalid}},
		{"json", bad{name: "10,001 operations", body: "[" + strings.Repeat(`{"op":"test","path":"","value":1},`, 10_000) + `{"op":"test","path":""}]`, code: 413, reason: "RequestEntityTooLarge"}},
		{"json", bad{name: "copies of copies", body: double, code: 413, reason: "RequestEntityTooLarge", message: "copy operations"}},
		{"merge", bad{name: "broken", body: `{"spec":`, code: 400, reason: badRequest}},
		{"merge", bad{name: "empty", body: ``, method: "PATCH", code: 400, reason: badRequest}},
		{"merge", bad{name: "list", body: `[]`, code: 400, reason: badRequest}},
		{"merge", bad{name: "null", body: `null`, code: 400, reason: badRequest}},
		{"merge", bad{name: "nested", body: nested, code: 400, reason: badRequest}},
		{"merge", bad{name: "wrong type", body: `{"spec":{"copies":"many"}}`, code: 422, reason: invalid}},
		{"merge", bad{name: "unknown field, strict", path: there + "?fieldValidation=Strict", body: `{"spec":{"pages":1}}`, code: 422, reason: invalid, field: "patch"}},
		{"merge", bad{name: "other name", body: `{"metadata":{"name":"x"}}`, code: 400, reason: badRequest}},
		{"merge", bad{name: "other kind", body: `{"kind":"Shelf"}`, code: 422, reason: invalid, field: "patch"}},
		{"merge", bad{name: "old resourceVersion", body: `{"metadata":{"resourceVersion":"1"}}`, code: 409, reason: "Conflict"}},
		{"merge", bad{name: "bad resourceVersion", body: `{"metadata":{"resourceVersion":"x"}}`, code: 422, reason: invalid}},
		{"merge", bad{name: "invalid result", body: `{"spec":{"title":null}}`, code: 422, reason: invalid, field: "spec.title"}},
		{"merge", bad{name: "force", path: there + "?force=true", body: `{}`, code: 422, reason: invalid, field: "force"}},
		{"merge", bad{name: "too large", body: `{"spec":{"title":"` + strings.Repeat("x", 3<<20) + `"}}`, code: 413, reason: "RequestEntityTooLarge", message: "limit is 3145728"}},
		{"merge", bad{name: "absent", path: books + "/absent", body: `{}`, code: 404, reason: "NotFound"}},
		{"merge", bad{name: "of a collection", path: books, body: `{}`, code: 405, reason: "MethodNotAllowed"}},
		{"strategic", bad{name: "broken", body: `{"spec":`, code: 400, reason: badRequest}},
		{"strategic", bad{name: "unknown directive", body: `{"spec":{"$patch":"explode"}}`, code: 422, reason: invalid, message: "unknown patch type: explode", field: "patch"}},
		{"strategic", bad{name: "nested", body: nested, code: 400, reason: badRequest}},
	} {
		t.Run(tc.typ+" "+tc.name, func(t *testing.T) {
			tc.method = http.MethodPatch
			if tc.path == "" {
				tc.path = there
			}
			tc.header = map[string]string{"Content-Type": "text/plain"}
			if typ := types[tc.typ]; typ != "" {
				tc.header["Content-Type"] = typ
			}
			s.refuses(t, tc.bad)
		})
	}
	for _, tc := range []bad{
		{name: "selector", path: books + "?labelSelector=a%20b", code: 400, reason: badRequest, message: "unable to parse requirement"},
		{name: "field", path: books + "?fieldSelector=spec.title%3Dx", code: 400, reason: badRequest, message: "field label not supported"},
		{name: "policy", path: books + "?propagationPolicy=Sometimes", code: 422, reason: invalid, field: "propagationPolicy"},
		{name: "dry run", path: books + "?dryRun=%zz", code: 400, reason: badRequest},
		{name: "body", body: `{"kind":"Book"}`, code: 400, reason: badRequest},
		{name: "in all namespaces", path: v1 + "/books", code: 405, reason: "MethodNotAllowed"},
	} {
		t.Run("deletecollection "+tc.name, func(t *testing.T) {
			tc.method = http.MethodDelete
			s.refuses(t, tc)
		})
	}
	if code, body := s.get(there); code != http.StatusOK || !strings.Contains(string(body), `"title":"Title of there"`) || !strings.Contains(string(body), `"generation":1`) {
		t.Errorf("the book is not what it was: %d %s", code, body)
	}
	s.servesOn(t)
}
