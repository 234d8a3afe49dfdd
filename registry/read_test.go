package registry_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
)

func TestGetAtRevision(t *testing.T) {
	s := serve(t, strategy{})
	obj := s.mustCreate(`{"metadata":{"name":"w"}}`)
	for _, rv := range []string{"", "0", "1", obj.ResourceVersion} {
		if _, err := s.v1.Get.Get(ctx, named, metav1.GetOptions{ResourceVersion: rv}); err != nil {
			t.Errorf("resourceVersion %q: %v", rv, err)
		}
	}
	_, err := s.v1.Get.Get(ctx, named, metav1.GetOptions{ResourceVersion: "999"})
	wantStatus(t, err, 504, "Timeout", fmt.Sprintf("Timeout: Too large resource version: 999, current: %d", s.Revision()))
	if d := status(t, err).Details; d.RetryAfterSeconds != 1 || d.Causes[0].Type != metav1.CauseTypeResourceVersionTooLarge {
		t.Errorf("details %+v", d)
	}
	for _, rv := range []string{"x", "-1"} {
		_, err = s.v1.Get.Get(ctx, named, metav1.GetOptions{ResourceVersion: rv})
		wantStatus(t, err, 400, "BadRequest", fmt.Sprintf("invalid resourceVersion %q: want one that the server gave, or nothing", rv))
	}
	_, err = s.v1.Get.Get(ctx, rest.Name{Namespace: "ns", Name: "v"}, metav1.GetOptions{})
	wantStatus(t, err, 404, "NotFound", `widgets.shop.example.com "v" not found`)
	for _, name := range []rest.Name{{Namespace: "ns", Name: ".."}, {Namespace: "..", Name: "w"}, {Namespace: "ns", Name: "a/b"}, {Namespace: "ns"}, {Name: "w"}} {
		if _, err := s.v1.Get.Get(ctx, name, metav1.GetOptions{}); status(t, err).Code != 400 {
			t.Errorf("%+v: %v", name, err)
		}
	}
}

// five makes objects in two namespaces: a/1 … a/4 and b/5, the even ones with the label even=yes
// and the color blue.
func five(t *testing.T) (*server, []string) {
	s := serve(t, strategy{})
	var revisions []string
	for i := 1; i <= 5; i++ {
		ns, more := "a", `{"metadata":{"name":"%d"}}`
		if i == 5 {
			ns = "b"
		}
		if i%2 == 0 {
			more = `{"metadata":{"name":"%d","labels":{"even":"yes"}},"spec":{"color":"blue"}}`
		}
		view, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: ns}, parse(t, widget.GV1, fmt.Sprintf(more, i)), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		revisions = append(revisions, read[*widget.V1](t, view).ResourceVersion)
	}
	return s, revisions
}

func (s *server) list(ns string, opts metav1.ListOptions) (names string, meta metav1.ListMeta, err error) {
	s.t.Helper()
	view, err := s.v1.List.List(ctx, ns, opts)
	if err != nil {
		return "", meta, err
	}
	list := read[*widget.V1List](s.t, view)
	if list.Items == nil {
		s.t.Error("items are null, want []")
	}
	var all []string
	for _, w := range list.Items {
		all = append(all, w.Name)
	}
	return strings.Join(all, ""), list.ListMeta, nil
}

func TestListSelects(t *testing.T) {
	s, _ := five(t)
	for _, tc := range []struct {
		ns, labels, fields, want string
	}{
		{"", "", "", "12345"},
		{"a", "", "", "1234"},
		{"none", "", "", ""},
		{"", "even=yes", "", "24"},
		{"", "even", "", "24"},
		{"", "even notin (yes)", "", "135"},
		{"", "!even", "", "135"},
		{"", "", "metadata.name=3", "3"},
		{"a", "", "metadata.name=3", "3"},
		{"b", "", "metadata.name=3", ""},
		{"", "", "metadata.namespace=b", "5"},
		{"a", "", "metadata.namespace=b", ""},
		{"a", "", "metadata.name=3,metadata.namespace=a", "3"},
		{"", "", "metadata.name!=3", "1245"},
		{"", "", "spec.color=blue", "24"},
		{"", "even=yes", "spec.color=blue,metadata.name!=2", "4"},
		{"", "even=yes", "spec.color!=blue", ""},
		{"", "", "metadata.name=../b/5", ""},
		{"", "", "metadata.namespace=..", ""},
	} {
		got, meta, err := s.list(tc.ns, metav1.ListOptions{LabelSelector: tc.labels, FieldSelector: tc.fields})
		if err != nil || got != tc.want || meta.ResourceVersion != fmt.Sprint(s.Revision()) {
			t.Errorf("%+v: %q at %s, %v", tc, got, meta.ResourceVersion, err)
		}
	}
	for _, tc := range []struct {
		opts    metav1.ListOptions
		message string
	}{
		{metav1.ListOptions{FieldSelector: "spec.size=1"}, "field label not supported: spec.size"},
		{metav1.ListOptions{FieldSelector: "spec.colour=blue"}, "field label not supported: spec.colour"},
		{metav1.ListOptions{FieldSelector: "x"}, `invalid fieldSelector "x": invalid selector: 'x'; can't understand 'x'`},
		{metav1.ListOptions{LabelSelector: "a in"}, `invalid labelSelector "a in": unable to parse requirement: found '' expected: '('`},
		{metav1.ListOptions{ShardSelector: "x"}, "shardSelector is not supported: leave it out"},
	} {
		_, _, err := s.list("", tc.opts)
		wantStatus(t, err, 400, "BadRequest", tc.message)
	}
	// Each version has its own fields.
	view, err := s.beta.List.List(ctx, "", metav1.ListOptions{FieldSelector: "spec.colour=blue"})
	if err != nil {
		t.Fatal(err)
	}
	if list := read[*widget.V1beta1List](t, view); len(list.Items) != 2 {
		t.Errorf("%d items", len(list.Items))
	}
}

func TestListPages(t *testing.T) {
	for _, tc := range []struct {
		ns, labels string
		limit      int64
		pages      []string
	}{
		{"", "", 2, []string{"12", "34", "5"}},
		{"", "", 5, []string{"12345"}},
		{"a", "", 3, []string{"123", "4"}},
		{"", "even", 1, []string{"2", "4"}},
		{"", "even", 2, []string{"24"}}, // one more page would be empty, but nobody has looked yet
		{"", "!even", 2, []string{"13", "5"}},
		{"", "!even", 1, []string{"1", "3", "5"}},
	} {
		s, _ := five(t)
		opts := metav1.ListOptions{LabelSelector: tc.labels, Limit: tc.limit}
		var pages []string
		remaining := 5 - int64(strings.Count(tc.ns, "a"))
		first := ""
		for {
			names, meta, err := s.list(tc.ns, opts)
			if err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = meta.ResourceVersion
			}
			if meta.ResourceVersion != first {
				t.Errorf("%+v: a page at %s, the first was at %s", tc, meta.ResourceVersion, first)
			}
			if names != "" || meta.Continue != "" || len(pages) == 0 {
				pages = append(pages, names)
			}
			remaining -= int64(len(names))
			switch {
			case tc.labels != "" && meta.RemainingItemCount != nil:
				t.Errorf("%+v: a remainingItemCount with a selector", tc)
			case tc.labels == "" && meta.Continue != "" && (meta.RemainingItemCount == nil || *meta.RemainingItemCount != remaining):
				t.Errorf("%+v: remainingItemCount %v, want %d", tc, meta.RemainingItemCount, remaining)
			}
			if meta.Continue == "" {
				break
			}
			opts.Continue = meta.Continue
			// What comes later is not in the list.
			s.mustCreate(`{"metadata":{"generateName":"late-","labels":{"even":"yes"}}}`)
		}
		if diff := cmp.Diff(tc.pages, pages); diff != "" {
			t.Errorf("%+v (-want +got)\n%s", tc, diff)
		}
	}
}

func TestListRevisions(t *testing.T) {
	s, rv := five(t)
	now := fmt.Sprint(s.Revision())
	exact, notOlder := metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan
	for _, tc := range []struct {
		rv    string
		match metav1.ResourceVersionMatch
		limit int64
		want  string
		at    string
	}{
		{"", "", 0, "12345", now},
		{"0", "", 0, "12345", now},
		{"0", "", 2, "12345", now}, // the limit does not count
		{"0", notOlder, 2, "12345", now},
		{rv[2], "", 0, "12345", now},
		{rv[2], "", 2, "12", rv[2]}, // exact, as it was before there was a match
		{rv[2], "", 9, "123", rv[2]},
		{rv[2], notOlder, 0, "12345", now},
		{rv[2], notOlder, 2, "12", now},
		{rv[2], exact, 0, "123", rv[2]},
		{rv[2], exact, 2, "12", rv[2]},
	} {
		got, meta, err := s.list("", metav1.ListOptions{ResourceVersion: tc.rv, ResourceVersionMatch: tc.match, Limit: tc.limit})
		if err != nil || got != tc.want || meta.ResourceVersion != tc.at {
			t.Errorf("%+v: %q at %s, %v", tc, got, meta.ResourceVersion, err)
		}
	}
	for _, match := range []metav1.ResourceVersionMatch{"", exact, notOlder} {
		_, _, err := s.list("", metav1.ListOptions{ResourceVersion: "999", ResourceVersionMatch: match})
		wantStatus(t, err, 504, "Timeout", "Timeout: Too large resource version: 999, current: "+now)
	}
}

func TestListGoesOnAfterCompaction(t *testing.T) {
	s, rv := five(t)
	_, meta, err := s.list("", metav1.ListOptions{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.v1Delete("a", "3"); err != nil {
		t.Fatal(err)
	}
	if err := s.Compact(s.Revision()); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.list("", metav1.ListOptions{ResourceVersion: rv[0], ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	wantStatus(t, err, 410, "Expired", "The resourceVersion for the provided list is too old.")

	_, _, err = s.list("", metav1.ListOptions{Limit: 2, Continue: meta.Continue})
	st := status(t, err)
	if st.Code != 410 || st.Reason != "Expired" || !strings.HasPrefix(st.Message, "The provided continue parameter is too old") {
		t.Fatalf("%+v", st)
	}
	names, again, err := s.list("", metav1.ListOptions{Limit: 1, Continue: st.Continue})
	if err != nil || names != "4" || again.ResourceVersion != fmt.Sprint(s.Revision()) {
		t.Fatalf("%q at %s, %v", names, again.ResourceVersion, err)
	}
	names, _, err = s.list("", metav1.ListOptions{Limit: 1, Continue: again.Continue})
	if err != nil || names != "5" {
		t.Fatalf("%q, %v", names, err)
	}
}

func (s *server) v1Delete(ns, name string) error {
	_, err := s.v1.Delete.Delete(ctx, new(rest.Request), rest.Name{Namespace: ns, Name: name}, metav1.DeleteOptions{})
	return err
}

func TestContinueTokens(t *testing.T) {
	s, _ := five(t)
	_, meta, err := s.list("a", metav1.ListOptions{Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	data, err := base64.RawURLEncoding.DecodeString(meta.Continue)
	if want := fmt.Sprintf(`{"v":"meta.k8s.io/v1","rv":%d,"start":"2\u0000"}`, s.Revision()); string(data) != want || err != nil {
		t.Errorf("token %s, want %s", data, want)
	}
	token := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(data)
	}
	type m = map[string]any
	for name, tok := range map[string]string{
		"no base64":      "%%%",
		"no JSON":        base64.RawURLEncoding.EncodeToString([]byte("x")),
		"other version":  token(m{"v": "v0", "rv": 3, "start": "2"}),
		"no revision":    token(m{"v": "meta.k8s.io/v1", "start": "2"}),
		"no start":       token(m{"v": "meta.k8s.io/v1", "rv": 3}),
		"out of the box": token(m{"v": "meta.k8s.io/v1", "rv": 3, "start": "../b/5"}),
		"dots inside":    token(m{"v": "meta.k8s.io/v1", "rv": 3, "start": "x/../../b"}),
	} {
		_, _, err := s.list("a", metav1.ListOptions{Continue: tok, Limit: 1})
		if st := status(t, err); st.Code != 400 || !strings.HasPrefix(st.Message, "invalid continue token: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, _, err = s.list("a", metav1.ListOptions{Continue: meta.Continue, ResourceVersion: "3"})
	wantStatus(t, err, 400, "BadRequest", "specifying resource version is not allowed when using continue")
	if names, _, err := s.list("a", metav1.ListOptions{Continue: meta.Continue, FieldSelector: "metadata.name=1"}); names != "" || err != nil {
		t.Errorf("one name on a later page: %q, %v", names, err)
	}
	// A page is as long as it may be, whoever made the token.
	if names, _, err := s.list("a", metav1.ListOptions{Continue: token(m{"v": "meta.k8s.io/v1", "rv": -1, "start": "3"}), Limit: 1}); names != "3" || err != nil {
		t.Errorf("%q, %v", names, err)
	}
}

func TestListInEveryNamespaceIsInKeyOrder(t *testing.T) {
	s, _ := five(t)
	names, _, err := s.list("", metav1.ListOptions{})
	if err != nil || !slices.IsSorted(strings.Split(names, "")) {
		t.Errorf("%q, %v", names, err)
	}
}

// busy writes after every page that is read.
type busy struct {
	storage.Interface
	after func()
}

func (b busy) List(ctx context.Context, prefix string, opts storage.ListOptions) (storage.Page, error) {
	page, err := b.Interface.List(ctx, prefix, opts)
	b.after()
	return page, err
}

func TestAListIsOfOneRevision(t *testing.T) {
	after := func() {}
	s := serveThrough(t, strategy{}, func(store storage.Interface) storage.Interface { return busy{store, func() { after() }} })
	for _, name := range []string{"a", "b", "c", "d"} {
		s.mustCreate(`{"metadata":{"name":"` + name + `","labels":{"x":"` + name + `"}}}`)
	}
	revision := fmt.Sprint(s.Revision())
	lists := 0
	after = func() {
		lists++
		s.mustCreate(fmt.Sprintf(`{"metadata":{"name":"bb%d","labels":{"x":"d"}}}`, lists))
	}
	names, meta, err := s.list("", metav1.ListOptions{LabelSelector: "x=d", Limit: 1})
	if err != nil || names != "d" || meta.ResourceVersion != revision || lists < 2 {
		t.Errorf("%q at %s after %d pages of the store, want d at %s; %v", names, meta.ResourceVersion, lists, revision, err)
	}
}
