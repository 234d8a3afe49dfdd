package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// TestMatrix sends the same raw requests to an example and to the same kinds on k8s.io/apiserver.
// It sends every verb on every path with every query, header and body of the tables in matrixOf.
// What is compared of an answer is its code, media type, kind and reason, and of a stream the types
// of its events. Every difference is in testdata/peer/matrix.txt, with the reason for it.
func TestMatrix(t *testing.T) {
	if *peer == "" {
		t.Skip("-peer names no server; run `make kubectl-peer`")
	}
	ours, rules := examples(t), readRules(t, "testdata/peer/matrix.txt")
	for _, example := range []string{"library", "cluster"} {
		t.Run(example, func(t *testing.T) {
			world := worlds[example]
			a := newSide(t, start(t, t.TempDir(), ours(example, filepath.Join(t.TempDir(), "ours"))))
			b := newSide(t, start(t, t.TempDir(), peerCommand(example, filepath.Join(t.TempDir(), "peer"))))
			a.seed(t, world)
			b.seed(t, world)
			requests := matrixOf(world)
			a.sendAll(t, requests)
			b.sendAll(t, requests)
			different := 0
			for i, r := range requests {
				answerA, answerB := a.answers[i], b.answers[i]
				if !rules.allow(r, answerA, answerB) { // alone, since it may be that the machine was too busy
					answerA, answerB = a.answer(t.Context(), r), b.answer(t.Context(), r)
				}
				if !rules.allow(r, answerA, answerB) {
					t.Errorf("not listed: %s\n\t%s <> %s", r, answerA, answerB)
				}
				if !same(answerA, answerB) {
					different++
				}
			}
			t.Logf("%d requests, %d answered otherwise than by k8s.io/apiserver", len(requests), different)
		})
	}
	rules.finish(t)
}

// same says that two answers are one to clients: what they read of an error is its code, and of a
// Status its reason.
func same(a, b string) bool {
	codeA, restA, _ := strings.Cut(a, " ")
	codeB, restB, _ := strings.Cut(b, " ")
	return a == b || codeA == codeB && codeA >= "400" && (restA == "" || restB == "")
}

// world is what the requests of an example are about.
type world struct {
	// objects are there before the first request: a path of a collection, and a body.
	objects [][2]string
	kinds   []matrixKind
	// documents are paths of no resource.
	documents []string
}

// matrixKind is a resource that requests are made for. name is an object that is there.
type matrixKind struct {
	prefix, resource, namespace, name string
	// create is the body of an object called NAME.
	create string
	field  string // a field that can be selected by, "" for none
}

const (
	libraryV1    = "/apis/library.example.com/v1"
	libraryAlpha = "/apis/library.example.com/v1alpha1"
)

var worlds = map[string]world{
	"library": {
		objects: [][2]string{
			{libraryV1 + "/namespaces/default/books", `{"metadata":{"name":"a","labels":{"x":"1"}},"spec":{"title":"A"}}`},
			{libraryV1 + "/namespaces/default/books", `{"metadata":{"name":"b"},"spec":{"title":"B"}}`},
			{libraryV1 + "/namespaces/other/books", `{"metadata":{"name":"c"},"spec":{"title":"C"}}`},
			{libraryV1 + "/shelves", `{"metadata":{"name":"a"},"spec":{"room":"R"}}`},
		},
		kinds: []matrixKind{
			{libraryV1, "books", "default", "a", `{"metadata":{"name":"NAME"},"spec":{"title":"T"}}`, "spec.shelf"},
			{libraryAlpha, "books", "default", "a", `{"metadata":{"name":"NAME"},"spec":{"title":"T"}}`, ""},
			{libraryV1, "shelves", "", "a", `{"metadata":{"name":"NAME"},"spec":{"room":"R"}}`, ""},
		},
		documents: []string{"/apis/library.example.com", "/apis/library.example.com/v1", "/apis/library.example.com/v9", "/apis/nothing.example.com",
			"/openapi/v3/apis/library.example.com", "/openapi/v3/apis/library.example.com/v1"},
	},
	"cluster": {
		objects: [][2]string{
			{"/api/v1/namespaces", `{"metadata":{"name":"default"}}`},
			{"/api/v1/namespaces", `{"metadata":{"name":"other"}}`},
			{"/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"a","labels":{"x":"1"}}}`},
			{"/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"b"}}`},
			{"/api/v1/namespaces/default/pods", `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}`},
			{"/api/v1/namespaces/default/replicationcontrollers", `{"metadata":{"name":"a"},"spec":{"replicas":1,"selector":{"x":"1"},"template":{"metadata":{"labels":{"x":"1"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`},
			{"/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", `{"metadata":{"name":"a"},"rules":[]}`},
		},
		kinds: []matrixKind{
			{"/api/v1", "pods", "default", "a", `{"metadata":{"name":"NAME"},"spec":{"containers":[{"name":"c","image":"i"}]}}`, "status.phase"},
			{"/api/v1", "configmaps", "default", "a", `{"metadata":{"name":"NAME"},"data":{"k":"v"}}`, ""},
			{"/api/v1", "namespaces", "", "other", `{"metadata":{"name":"NAME"}}`, ""},
			{"/api/v1", "replicationcontrollers", "default", "a",
				`{"metadata":{"name":"NAME"},"spec":{"replicas":1,"selector":{"x":"1"},"template":{"metadata":{"labels":{"x":"1"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`, ""},
			{"/apis/rbac.authorization.k8s.io/v1", "roles", "default", "a", `{"metadata":{"name":"NAME"},"rules":[]}`, ""},
		},
		documents: []string{"/api/v1", "/api/v9", "/apis/rbac.authorization.k8s.io", "/apis/rbac.authorization.k8s.io/v1", "/openapi/v3/api", "/openapi/v3/api/v1"},
	},
}

// raw is one request. Writes are dry runs, so that no request depends on those before it.
type raw struct {
	method, path string
	accept       string
	contentType  string
	body         string
}

func (r raw) String() string {
	text := r.method + " " + r.path
	for _, more := range [][2]string{{"Accept", r.accept}, {"Content-Type", r.contentType}, {"body", r.body}} {
		if more[1] != "" {
			text += " | " + more[0] + ": " + more[1]
		}
	}
	return text
}

const (
	asPartial     = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	asPartialList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	asTable       = "application/json;as=Table;g=meta.k8s.io;v=v1"
	protobuf      = "application/vnd.kubernetes.protobuf"
)

var (
	accepts = []string{
		"application/json", "application/yaml", protobuf, "*/*", "application/*", "text/html", "text/html,*/*;q=0.8", "application/json;q=0", "application/json;;", ",", "application/json;stream=watch",
		asPartial, asPartial + "beta1", asPartial + "9", asPartialList, asPartialList + "beta1", asTable, asTable + "beta1", asTable + "9",
		protobuf + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1", protobuf + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1", protobuf + ";as=Table;g=meta.k8s.io;v=v1",
		asTable + ",application/json", "application/json;as=Nothing;g=meta.k8s.io;v=v1", "application/json;as=Table;g=other;v=v1",
	}
	reads = []string{
		"resourceVersion=0", "resourceVersion=1", "resourceVersion=abc", "resourceVersion=-1", "resourceVersion=99999999", "pretty=true", "timeout=10s", "timeout=-1s", "timeout=abc", "timeout=0",
		"%zz", "a;b", "limit=1;a=b", "unknown=1",
	}
	lists = []string{
		"limit=1", "limit=-1", "limit=abc", "limit=", "limit=99999999999999999999", "timeoutSeconds=-1", "timeoutSeconds=abc", "timeoutSeconds=0", "continue=abc", "continue=abc&resourceVersion=1",
		"labelSelector=x%3D1", "labelSelector=x+in", "labelSelector=!!", "labelSelector=a%3Db%2Cc%21%3Dd", "fieldSelector=metadata.name%3Da", "fieldSelector=metadata.namespace%3Ddefault",
		"fieldSelector=spec.nothing%3Da", "fieldSelector=x", "fieldSelector=metadata.name%21%3Da",
		"resourceVersionMatch=Exact", "resourceVersionMatch=Exact&resourceVersion=0", "resourceVersionMatch=NotOlderThan&resourceVersion=1", "resourceVersionMatch=Other&resourceVersion=1",
		"resourceVersionMatch=NotOlderThan&continue=abc", "sendInitialEvents=true", "sendInitialEvents=abc", "allowWatchBookmarks=true", "watch=false", "watch=0",
		"includeObject=Object", "includeObject=Nothing", "shardSelector=x", "labelSelector=zz;x=1", "labelSelector=x%3D1&labelSelector=", "labelSelector=&labelSelector=x%3D1",
		"labelSelector=x%3D1&labelSelector=y%3D1", "fieldSelector=metadata.name%3Da&fieldSelector=metadata.name%3Db", "limit=1&limit=2", "limit=1&limit=x", "limit=x&limit=1", "limit=1.0", "limit=0x1", "limit=+1",
		"labelSelector", "limit", "watch=no&watch=1", "watch=0&watch=1", "LabelSelector=x%3D1", "pretty=x", "timeoutSeconds=", "resourceVersion=&resourceVersion=1",
	}
	// Those of watches end after a second.
	watches = []string{
		"", "resourceVersion=0", "resourceVersion=1", "resourceVersion=abc", "resourceVersion=-1", "labelSelector=x%3D1", "labelSelector=!!", "fieldSelector=metadata.name%3Da", "fieldSelector=metadata.name%3Db",
		"fieldSelector=spec.nothing%3Da", "limit=1", "limit=-1", "continue=abc", "timeout=-1s", "allowWatchBookmarks=abc", "%zz", "a;b",
		"sendInitialEvents=true", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
		"sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0", "sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0&allowWatchBookmarks=true",
		"sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1", "resourceVersionMatch=NotOlderThan&resourceVersion=1", "resourceVersionMatch=Other",
	}
	writes = []string{
		"dryRun=All", "dryRun=Some", "dryRun=All&dryRun=All", "dryRun=", "dryRun=All&fieldManager=m", "dryRun=All&fieldManager=%0a", "dryRun=All&fieldManager=" + strings.Repeat("x", 129),
		"dryRun=All&fieldValidation=Strict", "dryRun=All&fieldValidation=Loud", "dryRun=All&timeout=-1s", "dryRun=All&timeout=abc", "dryRun=All&%zz", "dryRun=All&a;b", "dryRun=All&pretty=1", "dryRun=All&force=true",
	}
	deletes = []string{
		"dryRun=All", "dryRun=Some", "dryRun=All&propagationPolicy=Orphan", "dryRun=All&propagationPolicy=Foreground", "dryRun=All&propagationPolicy=Other", "dryRun=All&gracePeriodSeconds=0",
		"dryRun=All&gracePeriodSeconds=-1", "dryRun=All&gracePeriodSeconds=abc", "dryRun=All&orphanDependents=true&propagationPolicy=Orphan",
		"dryRun=All&uid=x", "dryRun=All&uid=", "dryRun=All&resourceVersion=1", "dryRun=All&resourceVersion=", "dryRun=All&gracePeriodSeconds=", "dryRun=All&gracePeriodSeconds=1&gracePeriodSeconds=x",
		"dryRun=All&propagationPolicy=", "dryRun=All&preconditions.uid=x",
	}
	bodyTypes = []string{"", "application/json", "application/json;;", "application/json; charset=utf-8", "application/yaml", protobuf, "text/plain", "application/merge-patch+json"}
	patches   = []string{"application/merge-patch+json", "application/strategic-merge-patch+json", "application/json-patch+json", "application/apply-patch+yaml", "application/json", "", "text/plain"}
	// They are dry runs or no options at all: nothing is deleted.
	deleteBodies = []string{
		`{"dryRun":["All"]}`, `{"dryRun":["Some"]}`, `{"dryRun":"All"}`, "[]", "x", "{", `{"kind":"Other","dryRun":["All"]}`, `{"apiVersion":"v9","dryRun":["All"]}`, `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`,
		`{"kind":"DeleteOptions","apiVersion":"nothing.example.com/v1","dryRun":["All"]}`, `{"dryRun":["All"],"preconditions":{"uid":"x"}}`, `{"dryRun":["All"],"preconditions":{"resourceVersion":"1"}}`,
		`{"dryRun":["All"],"unknown":1}`, `{"dryRun":["All"],"gracePeriodSeconds":-1}`, `{"dryRun":["All"],"propagationPolicy":"Other"}`,
	}
	bodies = []string{"", "{}", "[]", "null", "x", `"x"`, "{", `{"kind":"Other"}`, `{"apiVersion":"v9"}`, `{"kind":"Other","apiVersion":"v9"}`, `{"metadata":null}`, `{"metadata":{"name":"other-name"}}`}
)

// matrixOf is every request. A row of a table is tried alone, beside what is usual in the others.
func matrixOf(w world) []raw {
	var all []raw
	add := func(method, path, query, accept, contentType, body string) {
		if query != "" {
			path += "?" + query
		}
		all = append(all, raw{method, path, accept, contentType, body})
	}
	for _, k := range w.kinds {
		k.reads(add)
		k.watches(add)
		k.writes(add)
	}
	documents := append([]string{
		"/", "/api", "/api/", "/apis", "/apis/", "/version", "/version/", "/healthz", "/healthz/", "/healthz/ping", "/healthz/nothing", "/livez", "/livez/ping", "/readyz", "/readyz/ping", "/readyz/shutdown",
		"/openapi/v2", "/openapi/v3", "/openapi/v3/apis", "/openapi/v3/version", "/openapi/v3/nothing", "/metrics", "/nothing", "/index.html", "/statusz", "/debug/pprof/",
	}, w.documents...)
	for _, path := range documents {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			add(method, path, "", "", "", "")
		}
		for _, accept := range accepts {
			add("GET", path, "", accept, "", "")
		}
		for _, query := range []string{"%zz", "timeout=-1s", "timeout=abc", "watch=1", "pretty=true"} {
			add("GET", path, query, "", "", "")
		}
	}
	return all
}

type adder func(method, path, query, accept, contentType, body string)

// paths are where the resource is: its collections, and objects that are there or not.
func (k matrixKind) paths() (collection, all, item, missing string) {
	collection = k.prefix + "/" + k.resource
	all = collection
	if k.namespace != "" {
		collection = k.prefix + "/namespaces/" + k.namespace + "/" + k.resource
	}
	return collection, all, collection + "/" + k.name, collection + "/missing"
}

func (k matrixKind) reads(add adder) {
	collection, all, item, missing := k.paths()
	oddities := []string{
		k.prefix + "/namespaces//" + k.resource, k.prefix + "/namespaces//" + k.resource + "/" + k.name, k.prefix + "/namespaces/" + k.resource, collection + "/", item + "/", collection + "//", item + "/nothing",
		item + "/status", item + "/scale", item + "/status/more", k.prefix + "//" + k.resource, "/" + collection, k.prefix + "/namespaces/nowhere/" + k.resource, k.prefix + "/nothing", k.prefix + "/nothing/x",
		k.prefix + "/watch", k.prefix + "/proxy/" + k.resource, collection + "/.", collection + "/..", collection + "/%2e", collection + "/a%2fb", collection + "/a%25b", collection + "/%00", collection + "/" + strings.Repeat("x", 300),
	}
	for _, path := range append([]string{collection, all, item, missing}, oddities...) {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "FOO"} {
			query := "dryRun=All"
			if method == "GET" || method == "HEAD" {
				query = ""
			}
			add(method, path, query, "", "", "")
		}
	}
	for _, path := range []string{collection, item, missing} {
		for _, accept := range accepts {
			add("GET", path, "", accept, "", "")
		}
		for _, query := range reads {
			add("GET", path, query, "", "", "")
		}
	}
	for _, path := range []string{collection, all} {
		for _, query := range append(lists, "fieldSelector="+k.field+"%3Dx") {
			add("GET", path, query, "", "", "")
		}
	}
	for _, query := range []string{"includeObject=Object", "includeObject=None", "includeObject=Nothing"} {
		add("GET", collection, query, asTable, "", "")
		add("GET", item, query, asTable, "", "")
	}
}

func (k matrixKind) watches(add adder) {
	collection, all, item, missing := k.paths()
	old := func(path string) string { return strings.Replace(path, k.prefix, k.prefix+"/watch", 1) }
	ends := func(query string) string { return strings.TrimPrefix(query+"&timeoutSeconds=1", "&") }
	for _, query := range watches {
		add("GET", collection, ends("watch=1&"+query), "", "", "")
		add("GET", old(collection), ends(query), "", "", "")
	}
	add("GET", collection, "watch=1&timeoutSeconds=-1&resourceVersion=1", "", "", "")
	for _, path := range []string{old(all), old(item), old(missing), old(item) + "/status", old(collection) + "/", k.prefix + "/watch/namespaces//" + k.resource} {
		add("GET", path, ends(""), "", "", "")
	}
	for _, query := range []string{"fieldSelector=metadata.name%3D" + k.name, "fieldSelector=metadata.name%3Dother", "fieldSelector=spec.nothing%3Da", "watch=1", "watch=false", "resourceVersion=abc"} {
		add("GET", old(item), ends(query), "", "", "")
	}
	for _, method := range []string{"HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		add(method, old(collection), "", "", "", "")
		add(method, old(item), "", "", "", "")
	}
	for _, accept := range accepts {
		add("GET", collection, ends("watch=1"), accept, "", "")
	}
	add("GET", item, ends("watch=1"), "", "", "")
	add("GET", missing, ends("watch=1"), "", "", "")
}

func (k matrixKind) writes(add adder) {
	collection, all, item, missing := k.paths()
	body := func(name string) string { return strings.ReplaceAll(k.create, "NAME", name) }
	for _, query := range writes {
		add("POST", collection, query, "", "application/json", body("new"))
		add("PUT", item, query, "", "application/json", body(k.name))
		add("PATCH", item, query, "", "application/merge-patch+json", `{"metadata":{"labels":{"y":"2"}}}`)
	}
	for _, contentType := range bodyTypes {
		add("POST", collection, "dryRun=All", "", contentType, body("new"))
		add("PUT", item, "dryRun=All", "", contentType, body(k.name))
		add("DELETE", item, "", "", contentType, `{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","dryRun":["All"]}`)
	}
	for _, b := range bodies {
		add("POST", collection, "dryRun=All", "", "application/json", b)
		add("PUT", item, "dryRun=All", "", "application/json", b)
		for _, contentType := range patches {
			add("PATCH", item, "dryRun=All&fieldManager=m", "", contentType, b)
		}
	}
	for _, b := range deleteBodies {
		add("DELETE", item, "", "", "application/json", b)
		add("DELETE", collection, "", "", "application/json", b)
	}
	for _, contentType := range patches {
		add("PATCH", missing, "dryRun=All&fieldManager=m", "", contentType, `{"metadata":{"labels":{"y":"2"}}}`)
		add("PATCH", collection, "dryRun=All&fieldManager=m", "", contentType, `{"metadata":{"labels":{"y":"2"}}}`)
	}
	for _, query := range deletes {
		add("DELETE", item, query, "", "", "")
		add("DELETE", collection, query, "", "", "")
	}
	for _, query := range lists {
		add("DELETE", collection, "dryRun=All&"+query, "", "", "")
	}
	for _, accept := range accepts {
		add("POST", collection, "dryRun=All", accept, "application/json", body("new"))
		add("DELETE", item, "dryRun=All", accept, "", "")
	}
	add("POST", all, "dryRun=All", "", "application/json", body("new"))
	add("POST", collection, "dryRun=All", "", "application/json", body(k.name))
	add("PUT", missing, "dryRun=All", "", "application/json", body("missing"))
	add("DELETE", missing, "dryRun=All", "", "", "")
	add("DELETE", all, "dryRun=All", "", "", "")
}

// side is one of the two servers.
type side struct {
	host    string
	client  *http.Client
	answers []string
}

func newSide(t *testing.T, e *environment) *side {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", e.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &side{host: config.Host, client: client}
}

// seed makes the objects of a world. Some may be there: a server may make them itself.
func (s *side) seed(t *testing.T, w world) {
	t.Helper()
	for _, o := range w.objects {
		if got := s.answer(t.Context(), raw{method: "POST", path: o[0], contentType: "application/json", body: o[1]}); !strings.HasPrefix(got, "201 ") && !strings.HasPrefix(got, "409 ") {
			t.Fatalf("%s: %s: %s", s.host, o, got)
		}
	}
}

// atOnce is how many requests are under way. Most of the time of a watch is spent waiting for its
// end.
const atOnce = 16

func (s *side) sendAll(t *testing.T, requests []raw) {
	s.answers = make([]string, len(requests))
	var working sync.WaitGroup
	next := make(chan int)
	for range atOnce {
		working.Go(func() {
			for i := range next {
				s.answers[i] = s.answer(t.Context(), requests[i])
			}
		})
	}
	for i := range requests {
		next <- i
	}
	close(next)
	working.Wait()
}

// answer is what is compared.
func (s *side) answer(ctx context.Context, r raw) string {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, s.host+r.path, strings.NewReader(r.body))
	if err != nil {
		return "no request: " + err.Error()
	}
	req.Header.Set("User-Agent", "matrix")
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return "no answer: " + err.Error()
	}
	defer resp.Body.Close()
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	line := fmt.Sprint(resp.StatusCode)
	if resp.StatusCode < http.StatusBadRequest {
		line += " " + mediaType
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return line + " broken off"
	}
	return strings.TrimSpace(line + " " + gist(mediaType, body))
}

// gist is the kind of a body, with the number of its items, or the reason of a Status. For a stream
// it is the types of its events, each once in a row, since servers may have other objects too.
// Bookmarks are left out, for they depend on time.
func gist(mediaType string, body []byte) string {
	if mediaType != "application/json" {
		return ""
	}
	type object struct {
		Kind, Reason, Type string
		Object             *object
		Items              []struct{}
	}
	var all []string
	for decoder := json.NewDecoder(bytes.NewReader(body)); ; {
		var o object
		switch err := decoder.Decode(&o); {
		case err != nil:
			return strings.Join(slices.Compact(all), " ")
		case o.Object == nil && o.Reason != "":
			all = append(all, o.Reason)
		case o.Object == nil && o.Items != nil:
			all = append(all, fmt.Sprintf("%s of %d", o.Kind, len(o.Items)))
		case o.Object == nil:
			all = append(all, o.Kind)
		case o.Type != "BOOKMARK":
			all = append(all, strings.TrimSpace(o.Type+" "+o.Object.Kind+" "+o.Object.Reason))
		}
	}
}

// rules are the differences that there may be: each has a reason.
type rules []*rule

type rule struct {
	pattern *regexp.Regexp
	reason  string
	used    bool
}

// readRules reads a file of them: after "# REASON", in one or more lines, lines with a pattern of
// "REQUEST<tab>OUR ANSWER <> THE PEER'S".
func readRules(t *testing.T, file string) rules {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all rules
	reason, fresh := "", false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if text, ok := strings.CutPrefix(line, "# "); ok {
			if !fresh {
				reason = ""
			}
			reason, fresh = strings.TrimSpace(reason+" "+text), true
			continue
		}
		fresh = false
		pattern, err := regexp.Compile("^(?:" + strings.ReplaceAll(line, " => ", `\t`) + ")$")
		if err != nil || reason == "" || line == "" {
			t.Fatalf("%s: %q: want a pattern below a reason: %v", file, line, err)
		}
		all = append(all, &rule{pattern: pattern, reason: reason})
	}
	return all
}

// allow says that the answers are the same or that the difference has a reason.
func (all rules) allow(request raw, ours, peers string) bool {
	if same(ours, peers) {
		return true
	}
	for _, r := range all {
		if r.pattern.MatchString(fmt.Sprintf("%s\t%s <> %s", request, ours, peers)) {
			r.used = true
			return true
		}
	}
	return false
}

// finish complains of what is listed and is no difference any more.
func (all rules) finish(t *testing.T) {
	t.Helper()
	for _, r := range all {
		if !r.used {
			t.Errorf("there is no such difference: %s", r.pattern)
		}
	}
}
