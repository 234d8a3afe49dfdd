package serve

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1unstructured "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// reads is a server over etcd, with a history: a, b and c were created, in that order, and b was
// deleted. The rows below name its revisions in braces.
type reads struct {
	*testing.T
	i         *Instance
	client    *http.Client
	revisions *strings.Replacer
}

func withHistory(t *testing.T, cache bool) *reads {
	t.Helper()
	r := &reads{T: t}
	dir := compactedEtcd(t)
	r.i, r.client = running(t, func(o *program.Options) { o.Store.InMemory, o.Store.WatchCache, o.Store.DataDir = false, cache, dir })
	var at []string
	for _, name := range []string{"a", "b", "c"} {
		post(t, r.client, r.i.URL()+widgetsPath, fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"half":"%t"}},"spec":{}}`, name, name == "b"))
		at = append(at, r.get("").GetResourceVersion())
	}
	deleteAt(t, r.client, r.i.URL()+widgetsPath+"/b")
	now := r.get("").GetResourceVersion()
	r.revisions = strings.NewReplacer("{a}", at[0], "{b}", at[1], "{c}", at[2], "{now}", now, "{future}", now+"000")
	return r
}

// compactedEtcd is a data directory whose first revisions are gone: no cache can read them again.
func compactedEtcd(t *testing.T) (dir string) {
	t.Helper()
	etcd := programtest.StartEtcd(t, nil)
	defer etcd.Close()
	for range 5 {
		etcd.Put(t, "/somebody-else", "writes")
	}
	resp, err := etcd.Client().Get(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := etcd.Client().Compact(t.Context(), resp.Header.Revision); err != nil {
		t.Fatal(err)
	}
	return etcd.Dir
}

func deleteAt(t *testing.T, client *http.Client, url string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodDelete, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", url, resp.Status)
	}
}

// get answers a query for the collection; a Status stands for what went wrong.
func (r *reads) get(query string) *metav1unstructured.UnstructuredList {
	r.Helper()
	resp, err := r.client.Get(r.i.URL() + widgetsPath + "?" + query)
	if err != nil {
		r.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.Fatal(err)
	}
	var list metav1unstructured.UnstructuredList
	if err := json.Unmarshal(body, &list); err != nil {
		r.Fatalf("%s: %v in %s", query, err, body)
	}
	return &list
}

// token is one of the server's for continue.
func token(revision, start string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(`{"v":"meta.k8s.io/v1","rv":` + revision + `,"start":"` + start + `"}`))
}

// answer says in a line what a list was answered with: the names, the revision, what follows; or
// the error.
func (r *reads) answer(query string) string {
	r.Helper()
	parts := strings.Split(r.revisions.Replace(query), "&")
	for i, part := range parts {
		if revision, ok := strings.CutPrefix(part, "continue="); ok {
			revision, start, _ := strings.Cut(revision, ",")
			parts[i] = "continue=" + url.QueryEscape(token(revision, start))
		}
	}
	list := r.get(strings.Join(parts, "&"))
	if list.GetKind() == "Status" {
		return failure(list.Object)
	}
	var line strings.Builder
	for _, item := range list.Items {
		line.WriteString(item.GetName())
	}
	fmt.Fprintf(&line, " at %s", list.GetResourceVersion())
	if n := list.GetRemainingItemCount(); n != nil {
		fmt.Fprintf(&line, ", %d more", *n)
	}
	if next := list.GetContinue(); next != "" {
		text, _ := base64.RawURLEncoding.DecodeString(next)
		fmt.Fprintf(&line, ", next %s", text)
	}
	return line.String()
}

// failure is a Status in a line.
func failure(object map[string]any) string {
	data, _ := json.Marshal(object)
	var status metav1.Status
	_ = json.Unmarshal(data, &status)
	line := fmt.Sprintf("%d %s: %s", status.Code, status.Reason, status.Message)
	if d := status.Details; d != nil {
		for _, cause := range d.Causes {
			line += fmt.Sprintf(" [%s]", cause.Type)
		}
		if d.RetryAfterSeconds > 0 {
			line += fmt.Sprintf(" retry %d", d.RetryAfterSeconds)
		}
	}
	if next := status.Continue; next != "" {
		text, _ := base64.RawURLEncoding.DecodeString(next)
		line += fmt.Sprintf(", next %s", text)
	}
	return line
}

const (
	tooLarge   = "504 Timeout: Timeout: Too large resource version: {future}, current: {now} [ResourceVersionTooLarge] retry 1"
	withRV     = "400 BadRequest: specifying resource version is not allowed when using continue"
	tooOldList = "410 Expired: The resourceVersion for the provided list is too old."
)

// TestTableOfLists is what resourceVersion, resourceVersionMatch, limit and continue mean together,
// with a watch cache and without.
func TestTableOfLists(t *testing.T) {
	rows := []struct{ query, want string }{
		// the newest
		{"", "ac at {now}"},
		{"resourceVersion=", "ac at {now}"},
		{"limit=1", `a at {now}, 1 more, next {"v":"meta.k8s.io/v1","rv":{now},"start":"a\u0000"}`},
		{"limit=2", "ac at {now}"},
		{"labelSelector=half=false&limit=1", `a at {now}, next {"v":"meta.k8s.io/v1","rv":{now},"start":"a\u0000"}`},
		{"labelSelector=half=true", " at {now}"},
		{"fieldSelector=metadata.name=c", "c at {now}"},
		{"fieldSelector=metadata.name=b", " at {now}"},
		// any, and all of it
		{"resourceVersion=0", "ac at {now}"},
		{"resourceVersion=0&limit=1", "ac at {now}"},
		{"resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=1", "ac at {now}"},
		{"resourceVersion=0&fieldSelector=metadata.name=c", "c at {now}"},
		// not older
		{"resourceVersion={b}", "ac at {now}"},
		{"resourceVersion={b}&resourceVersionMatch=NotOlderThan", "ac at {now}"},
		{"resourceVersion={b}&resourceVersionMatch=NotOlderThan&limit=1", `a at {now}, 1 more, next {"v":"meta.k8s.io/v1","rv":{now},"start":"a\u0000"}`},
		{"resourceVersion={b}&fieldSelector=metadata.name=b", " at {now}"},
		// exact, which a limit also means
		{"resourceVersion={b}&limit=1", `a at {b}, 1 more, next {"v":"meta.k8s.io/v1","rv":{b},"start":"a\u0000"}`},
		{"resourceVersion={b}&resourceVersionMatch=Exact", "ab at {b}"},
		{"resourceVersion={c}&resourceVersionMatch=Exact&limit=2", `ab at {c}, 1 more, next {"v":"meta.k8s.io/v1","rv":{c},"start":"b\u0000"}`},
		{"resourceVersion={now}&resourceVersionMatch=Exact", "ac at {now}"},
		{"resourceVersion={c}&resourceVersionMatch=Exact&labelSelector=half=true", "b at {c}"},
		{"resourceVersion={c}&resourceVersionMatch=Exact&fieldSelector=metadata.name=b", "b at {c}"},
		{"resourceVersion={a}&resourceVersionMatch=Exact&fieldSelector=metadata.name=b", " at {a}"},
		// the next page, of the same state or of the newest
		{"continue={c},a\\u0000", "bc at {c}"},
		{"continue={c},a\\u0000&limit=1", `b at {c}, 1 more, next {"v":"meta.k8s.io/v1","rv":{c},"start":"b\u0000"}`},
		{"continue={c},a\\u0000&resourceVersion=0", "bc at {c}"},
		{"continue=-1,a\\u0000", "c at {now}"},
		{"continue=-1,a&limit=1", `a at {now}, 1 more, next {"v":"meta.k8s.io/v1","rv":{now},"start":"a\u0000"}`},
		{"continue={c},a\\u0000&resourceVersion={c}", withRV},
		{"continue=0,a", "400 BadRequest: invalid continue token: it has no resourceVersion; use the one from metadata.continue of the last page"},
		{"continue={c},../a", "400 BadRequest: invalid continue token: its start is not a key; use the one from metadata.continue of the last page"},
		// what is not there yet
		{"resourceVersion={future}", tooLarge},
		{"resourceVersion={future}&limit=1", tooLarge},
		{"resourceVersion={future}&resourceVersionMatch=NotOlderThan", tooLarge},
		{"resourceVersion={future}&resourceVersionMatch=Exact", tooLarge},
		{"resourceVersion={future}&fieldSelector=metadata.name=c", tooLarge},
		{"continue={future},a", tooLarge},
		// what nobody may ask for
		{"resourceVersion=x", `400 BadRequest: invalid resourceVersion "x": want one that the server gave, or nothing`},
	}
	for _, match := range []string{"Exact", "NotOlderThan"} {
		rows = append(rows, struct{ query, want string }{"resourceVersionMatch=" + match,
			`422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided [FieldValueForbidden]`})
	}
	compacted := []struct{ query, want string }{
		{"resourceVersion={first}&resourceVersionMatch=Exact", tooOldList},
		{"resourceVersion={first}&limit=1", tooOldList},
		{"resourceVersion={first}&resourceVersionMatch=Exact&fieldSelector=metadata.name=a", tooOldList},
		{"resourceVersion={first}&resourceVersionMatch=Exact&labelSelector=half=false&limit=1", tooOldList},
		{"resourceVersion={first}", "ac at {now}"},
		{"resourceVersion={first}&resourceVersionMatch=NotOlderThan&limit=2", "ac at {now}"},
		{"continue={first},a\\u0000&limit=1", `410 Expired: ` + inconsistent + `, next {"v":"meta.k8s.io/v1","rv":-1,"start":"a\u0000"}`},
	}
	for _, cache := range []bool{true, false} {
		t.Run(fmt.Sprintf("cache %t", cache), func(t *testing.T) {
			r := withHistory(t, cache)
			check := func(query, want string) {
				t.Helper()
				if diff := cmp.Diff(r.revisions.Replace(want), r.answer(query)); diff != "" {
					t.Errorf("%s (-want +got)\n%s", query, diff)
				}
			}
			for _, row := range rows {
				check(row.query, row.want)
			}
			forget(r)
			for _, row := range compacted {
				check(row.query, row.want)
			}
		})
	}
}

const inconsistent = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list."

// forget compacts away all that is not current. From then on {first} is a revision that is older
// than what a cache, if there is one, remembers itself.
func forget(r *reads) {
	r.Helper()
	resp, err := r.i.dbs.Main.Client.Get(r.Context(), "/")
	if err != nil {
		r.Fatal(err)
	}
	if _, err := r.i.dbs.Main.Client.Compact(r.Context(), resp.Header.Revision); err != nil {
		r.Fatal(err)
	}
	if n, err := etcd3.Compacted(r.Context(), r.i.dbs.Main.Client); err != nil || n != resp.Header.Revision {
		r.Fatalf("compacted to %d, %v", n, err)
	}
	r.revisions = strings.NewReplacer("{first}", "1", "{now}", fmt.Sprint(resp.Header.Revision))
}
