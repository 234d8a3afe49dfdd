package serve

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1unstructured "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestTableOfWatches is what resourceVersion, sendInitialEvents and allowWatchBookmarks mean
// together, with a watch cache and without. A watch is read until d was created, which happens once
// it is open.
func TestTableOfWatches(t *testing.T) {
	const (
		ab   = "ADDED a {a}, ADDED c {c}"
		end  = ", BOOKMARK {now} end"
		then = "ADDED d"
		sent = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
		none = "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan"
		bm   = "&allowWatchBookmarks=true"
	)
	rows := []struct{ query, want string }{
		{"", ab + ", " + then},
		{"&resourceVersion=0", ab + ", " + then},
		{bm, ab + end + ", " + then},
		{"&resourceVersion=0" + bm, ab + end + ", " + then},
		{"&resourceVersion={a}", "ADDED b {b}, ADDED c {c}, DELETED b {now}, " + then},
		{"&resourceVersion={now}", then},
		{sent + bm, ab + end + ", " + then},
		{"&resourceVersion=0" + sent + bm, ab + end + ", " + then},
		{"&resourceVersion={b}" + sent + bm, ab + end + ", " + then},
		{sent, ab + ", " + then},
		{none, then},
		{"&resourceVersion=0" + none, then},
		{"&resourceVersion={c}" + none + bm, "DELETED b {now}, " + then},
		{"&resourceVersion={a}&labelSelector=half=true", "ADDED b {b}, DELETED b {now}"},
		{"&fieldSelector=metadata.name=c" + bm, "ADDED c {c}" + end},
		{"&resourceVersion={future}" + sent + bm, "ERROR " + tooLarge},
		{"&resourceVersion={future}", ""}, // events up to that revision are not wanted
	}
	for _, cache := range []bool{true, false} {
		t.Run(fmt.Sprintf("cache %t", cache), func(t *testing.T) {
			r := withHistory(t, cache)
			var open []*watched
			for _, row := range rows {
				open = append(open, r.watch(row.query))
			}
			post(t, r.client, r.i.URL()+widgetsPath, `{"metadata":{"name":"d"},"spec":{}}`)
			for i, row := range rows {
				n := 0
				if row.want != "" {
					n = 1 + strings.Count(row.want, ", ")
				}
				if diff := cmp.Diff(r.revisions.Replace(row.want), open[i].upTo(n)); diff != "" {
					t.Errorf("watch%s (-want +got)\n%s", row.query, diff)
				}
			}
			forget(r)
			if got := r.watch("&resourceVersion={first}").next(); !strings.HasPrefix(got, "ERROR 410 Expired: too old resource version: 1 (") {
				t.Errorf("a watch after what is compacted: %s", got)
			}
		})
	}
}

// watched is an open watch.
type watched struct {
	*testing.T
	body  io.ReadCloser
	lines *bufio.Scanner
}

// watch opens a watch, which is there when this returns.
func (r *reads) watch(query string) *watched {
	r.Helper()
	return r.watchPath(widgetsPath + "?watch=1" + r.revisions.Replace(query))
}

func (r *reads) watchPath(path string) *watched {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, r.i.URL()+path, nil)
	if err != nil {
		r.Fatal(err)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { resp.Body.Close() })
	if resp.StatusCode != http.StatusOK {
		r.Fatalf("%s: %s", path, resp.Status)
	}
	return &watched{T: r.T, body: resp.Body, lines: bufio.NewScanner(resp.Body)}
}

// next is the next event in words, "" at the end.
func (w *watched) next() string {
	w.Helper()
	if !w.lines.Scan() {
		return ""
	}
	var event struct {
		Type   string
		Object metav1unstructured.Unstructured
	}
	if err := json.Unmarshal(w.lines.Bytes(), &event); err != nil {
		w.Fatal(err)
	}
	switch o := event.Object; {
	case event.Type == "ERROR":
		return "ERROR " + failure(o.Object)
	case event.Type == "BOOKMARK":
		return "BOOKMARK " + o.GetResourceVersion() + strings.Repeat(" end", len(o.GetAnnotations()))
	case o.GetName() == "d":
		return event.Type + " d"
	default:
		return event.Type + " " + o.GetName() + " " + o.GetResourceVersion()
	}
}

// upTo reads n events, or an error.
func (w *watched) upTo(n int) string {
	w.Helper()
	var got []string
	for len(got) < n {
		got = append(got, w.next())
		if last := got[len(got)-1]; last == "" || strings.HasPrefix(last, "ERROR") {
			break
		}
	}
	return strings.Join(got, ", ")
}
