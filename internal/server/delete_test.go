package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/serializer"
)

func ptr[T any](v T) *T { return &v }

func TestDeleteOptions(t *testing.T) {
	var got metav1.DeleteOptions
	r := books()
	answer := r.Delete
	r.Delete = deleteFunc(func(ctx context.Context, req *rest.Request, n rest.Name, o metav1.DeleteOptions) (rest.View, error) {
		got = o
		return answer.Delete(ctx, req, n, o)
	})
	s := newServer(t, config(t, r))

	inProtobuf, err := serializer.Append(nil, withKind(&metav1.DeleteOptions{GracePeriodSeconds: ptr(int64(5))}, "v1"), serializer.Protobuf, false)
	if err != nil {
		t.Fatal(err)
	}
	uid := &metav1.Preconditions{ResourceVersion: ptr("7")}
	for _, tc := range []struct {
		name, query, typ, body string
		want                   metav1.DeleteOptions
	}{
		{"nothing", "", "", "", metav1.DeleteOptions{}},
		{"query", "?gracePeriodSeconds=3&propagationPolicy=Orphan&dryRun=All", "", "", metav1.DeleteOptions{GracePeriodSeconds: ptr(int64(3)), PropagationPolicy: ptr(metav1.DeletePropagationOrphan), DryRun: []string{"All"}}},
		{"preconditions in the query", "?uid=u&resourceVersion=7", "", "", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr(types.UID("u")), ResourceVersion: ptr("7")}}},
		{"empty preconditions in the query", "?uid=&resourceVersion=", "", "", metav1.DeleteOptions{}},
		//lint:ignore SA1019 deprecated, but still what some clients send
		{"deprecated query", "?orphanDependents=false", "", "", metav1.DeleteOptions{OrphanDependents: ptr(false)}},
		{"kubectl", "", "application/json", `{"propagationPolicy":"Background"}`, metav1.DeleteOptions{PropagationPolicy: ptr(metav1.DeletePropagationBackground)}},
		{"the body takes the place of the query", "?gracePeriodSeconds=3", "", `{"preconditions":{"resourceVersion":"7"}}`, metav1.DeleteOptions{Preconditions: uid}},
		{"meta.k8s.io", "", "", `{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","gracePeriodSeconds":0}`, metav1.DeleteOptions{GracePeriodSeconds: ptr(int64(0))}},
		{"v1", "", "", `{"kind":"DeleteOptions","apiVersion":"v1"}`, metav1.DeleteOptions{}},
		{"the resource's version", "", "", `{"kind":"DeleteOptions","apiVersion":"library.example.com/v1"}`, metav1.DeleteOptions{}},
		{"yaml", "", "application/yaml", "propagationPolicy: Foreground", metav1.DeleteOptions{PropagationPolicy: ptr(metav1.DeletePropagationForeground)}},
		{"protobuf", "", "application/vnd.kubernetes.protobuf", string(inProtobuf), metav1.DeleteOptions{GracePeriodSeconds: ptr(int64(5))}},
		{"what can't be read", "?ignoreStoreReadErrorWithClusterBreakingPotential=true", "", "", metav1.DeleteOptions{IgnoreStoreReadErrorWithClusterBreakingPotential: ptr(true)}},
		{"what can't be read, in the body", "", "", `{"ignoreStoreReadErrorWithClusterBreakingPotential":true,"dryRun":["All"]}`, metav1.DeleteOptions{IgnoreStoreReadErrorWithClusterBreakingPotential: ptr(true), DryRun: []string{"All"}}},
		{"what can be read", "", "", `{"ignoreStoreReadErrorWithClusterBreakingPotential":false,"gracePeriodSeconds":1}`, metav1.DeleteOptions{IgnoreStoreReadErrorWithClusterBreakingPotential: ptr(false), GracePeriodSeconds: ptr(int64(1))}},
		{"negative in the query", "?gracePeriodSeconds=-5", "", "", metav1.DeleteOptions{GracePeriodSeconds: ptr(int64(1))}},
		{"negative in the body", "", "", `{"gracePeriodSeconds":-5}`, metav1.DeleteOptions{GracePeriodSeconds: ptr(int64(1))}},
		{"unknown fields don't matter", "", "", `{"x":1}`, metav1.DeleteOptions{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := do(s, request{method: "DELETE", path: bookPath + tc.query, header: map[string]string{"Content-Type": tc.typ}, body: tc.body})
			if w.Code != http.StatusOK {
				t.Fatalf("got %d %s", w.Code, w.Body)
			}
			got.TypeMeta = metav1.TypeMeta{}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}

func withKind(o *metav1.DeleteOptions, apiVersion string) *metav1.DeleteOptions {
	o.TypeMeta = metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: apiVersion}
	return o
}

func TestBadDeleteOptions(t *testing.T) {
	s := newServer(t, config(t, books()))
	const invalid = `DeleteOptions.meta.k8s.io "" is invalid: `
	for _, tc := range []struct {
		name, query, typ, body string
		code                   int
		reason                 metav1.StatusReason
		message                string
	}{
		{"no number", "?gracePeriodSeconds=soon", "", "", 400, metav1.StatusReasonBadRequest, `gracePeriodSeconds: "soon" is not a whole number`},
		{"policy", "?propagationPolicy=Sideways", "", "", 422, metav1.StatusReasonInvalid, invalid + `propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"`},
		{"two ways to say it", "?propagationPolicy=Orphan&orphanDependents=true", "", "", 422, metav1.StatusReasonInvalid, invalid + `propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set`},
		{"dry run", "?dryRun=yes", "", "", 422, metav1.StatusReasonInvalid, invalid + `dryRun: Unsupported value: ["yes"]: supported values: "All"`},
		{"unread and a policy", "?ignoreStoreReadErrorWithClusterBreakingPotential=true&propagationPolicy=Orphan", "", "", 422, metav1.StatusReasonInvalid, invalid + `ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .propagationPolicy`},
		{"unread and orphans", "?ignoreStoreReadErrorWithClusterBreakingPotential=true&orphanDependents=true", "", "", 422, metav1.StatusReasonInvalid, invalid + `ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .orphanDependents`},
		{"unread and a grace period", "?ignoreStoreReadErrorWithClusterBreakingPotential=true&gracePeriodSeconds=0", "", "", 422, metav1.StatusReasonInvalid, invalid + `ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .gracePeriodSeconds`},
		{"unread and preconditions", "", "", `{"ignoreStoreReadErrorWithClusterBreakingPotential":true,"preconditions":{"uid":"u"}}`, 422, metav1.StatusReasonInvalid, invalid + `ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: cannot be set together with .preconditions`},
		{"content type", "", "text/plain", `{}`, 415, metav1.StatusReasonUnsupportedMediaType, badType},
		{"other kind", "", "", `{"kind":"Book","apiVersion":"library.example.com/v1"}`, 400, metav1.StatusReasonBadRequest, `no kind "Book" is registered for version "library.example.com/v1"`},
		{"other group", "", "", `{"kind":"DeleteOptions","apiVersion":"apps/v1"}`, 400, metav1.StatusReasonBadRequest, `no kind "DeleteOptions" is registered for version "apps/v1"`},
		{"not JSON", "", "", `{`, 400, metav1.StatusReasonBadRequest, `the body can't be read as DeleteOptions: unexpected end of JSON input`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := do(s, request{method: "DELETE", path: bookPath + tc.query, header: map[string]string{"Content-Type": tc.typ}, body: tc.body})
			wantStatus(t, w, tc.code, tc.reason, tc.message)
		})
	}
}

// kubectl waits for the object with this uid to go.
func TestDeleteAnswersWithTheUID(t *testing.T) {
	s := newServer(t, config(t, books()))
	w := do(s, request{method: "DELETE", path: bookPath})
	const want = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"b","uid":"u-1"}}` + "\n"
	if w.Code != http.StatusOK || w.Body.String() != want {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

type deleteCollectionFunc func(context.Context, *rest.Request, string, metav1.DeleteOptions, metav1.ListOptions) (rest.View, error)

func (f deleteCollectionFunc) DeleteCollection(ctx context.Context, req *rest.Request, ns string, o metav1.DeleteOptions, l metav1.ListOptions) (rest.View, error) {
	return f(ctx, req, ns, o, l)
}

func TestDeleteCollection(t *testing.T) {
	type asked struct {
		namespace string
		opts      metav1.DeleteOptions
		list      metav1.ListOptions
	}
	var got asked
	r := books()
	r.DeleteCollection = deleteCollectionFunc(func(_ context.Context, _ *rest.Request, ns string, o metav1.DeleteOptions, l metav1.ListOptions) (rest.View, error) {
		got = asked{ns, o, l}
		return objectView{&bookList{TypeMeta: metav1.TypeMeta{Kind: "BookList", APIVersion: gv1.String()}, Items: []book{}}}, nil
	})
	s := newServer(t, config(t, r))
	background, zero := metav1.DeletePropagationBackground, int64(0)
	for name, tc := range map[string]struct {
		query, body string
		want        asked
	}{
		"query": {"?labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&limit=7&dryRun=All&gracePeriodSeconds=0&watch=true", "",
			asked{"ns", metav1.DeleteOptions{DryRun: []string{"All"}, GracePeriodSeconds: &zero}, metav1.ListOptions{LabelSelector: "a=b", FieldSelector: "metadata.name=x", Limit: 7}}},
		"preconditions": {"?uid=u&resourceVersion=7", "",
			asked{"ns", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr(types.UID("u"))}}, metav1.ListOptions{ResourceVersion: "7"}}},
		"body": {"?limit=1&dryRun=All", `{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}`,
			asked{"ns", metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: "v1"}, PropagationPolicy: &background}, metav1.ListOptions{Limit: 1}}},
	} {
		w := do(s, request{method: "DELETE", path: booksPath + tc.query, body: tc.body})
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"BookList"`) {
			t.Errorf("%s: HTTP %d %s", name, w.Code, w.Body)
		}
		if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(asked{})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	for name, tc := range map[string]struct {
		path, body string
		code       int
		reason     metav1.StatusReason
		message    string
	}{
		"bad selector": {booksPath + "?labelSelector=a%3D%3D%3Db", "", 400, metav1.StatusReasonBadRequest, `unable to parse requirement: found '=', expected: identifier`},
		"bad match":    {booksPath + "?resourceVersionMatch=Exact", "", 422, metav1.StatusReasonInvalid, `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`},
		"bad options":  {booksPath, `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["Some"]}`, 422, metav1.StatusReasonInvalid, `DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"`},
		"everywhere":   {"/apis/library.example.com/v1/books", "", 405, metav1.StatusReasonMethodNotAllowed, "the server does not allow this method on the requested resource"},
	} {
		t.Run(name, func(t *testing.T) {
			wantStatus(t, do(s, request{method: "DELETE", path: tc.path, body: tc.body}), tc.code, tc.reason, tc.message)
		})
	}
	if list := do(s, request{path: "/apis/library.example.com/v1"}).Body.String(); !strings.Contains(list, `"delete","deletecollection","get"`) {
		t.Errorf("discovery: %s", list)
	}
}

// To delete what can't be read is a right of its own, and for one object at a time.
func TestDeleteOfWhatCantBeRead(t *testing.T) {
	r := books()
	r.DeleteCollection = deleteCollectionFunc(func(context.Context, *rest.Request, string, metav1.DeleteOptions, metav1.ListOptions) (rest.View, error) {
		t.Error("a collection was deleted")
		return nil, nil
	})
	c := config(t, r)
	var asked []string
	allowed := "delete"
	c.Authorizer = authorizerFunc(func(a auth.Attributes) (bool, string, error) {
		asked = append(asked, a.Verb+" "+a.Namespace+"/"+a.Name)
		return strings.HasPrefix(a.Verb, allowed) || a.Verb == "deletecollection", "", nil
	})
	s := newServer(t, c)
	const option = "?ignoreStoreReadErrorWithClusterBreakingPotential=true"
	w := do(s, request{method: "DELETE", path: bookPath + option})
	wantStatus(t, w, 403, metav1.StatusReasonForbidden, `books.library.example.com "b" is forbidden: User "admin" cannot unsafe-delete-ignore-read-errors resource "books" in API group "library.example.com" in the namespace "ns"`)
	if diff := cmp.Diff([]string{"delete ns/b", "unsafe-delete-ignore-read-errors ns/b"}, asked); diff != "" {
		t.Errorf("the authorizer was asked (-want +got):\n%s", diff)
	}
	if w := do(s, request{method: "DELETE", path: bookPath}); w.Code != 200 {
		t.Errorf("without the option: %d %s", w.Code, w.Body)
	}
	allowed = ""
	if w := do(s, request{method: "DELETE", path: bookPath + option}); w.Code != 200 {
		t.Errorf("with the right: %d %s", w.Code, w.Body)
	}
	w = do(s, request{method: "DELETE", path: strings.TrimSuffix(bookPath, "/b") + option})
	wantStatus(t, w, 422, metav1.StatusReasonInvalid, `DeleteOptions.meta.k8s.io "" is invalid: ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: is not allowed with DELETECOLLECTION, try again after removing the option`)
}
