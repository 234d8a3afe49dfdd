package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/testserver"
)

var programsDir = flag.String("bin", "", "`directory` of the programs, as make aggregator builds them")

// TestAggregator puts examples/library behind a kube-apiserver, by docs/aggregated.md and the
// manifests in its folder deploy. What users do with its objects goes through the aggregator.
func TestAggregator(t *testing.T) {
	if *programsDir == "" {
		t.Skip("it wants a kube-apiserver: make aggregator")
	}
	a := aggregate(t)
	for _, part := range []struct {
		name string
		do   func(*testing.T, *aggregated)
	}{
		{"discovery", discovered},
		{"schemas", described},
		{"objects", worked},
		{"watch", watched},
		{"users", permitted},
		{"garbage", collected},
		{"quota", counted},
		{"namespaces", emptied},
		{"absence", absent},
	} {
		t.Run(part.name, func(t *testing.T) {
			a.T = t
			part.do(t, a)
		})
	}
}

// aggregated is the library behind a kube-apiserver.
type aggregated struct {
	*testing.T
	*cluster
	ca      *authority
	port    int
	flags   []string
	library *testserver.Process
}

// aggregate starts an etcd, a kube-apiserver, a controller manager and the library.
func aggregate(t *testing.T) *aggregated {
	t.Helper()
	a := &aggregated{T: t, cluster: startKubernetes(t, programs[0])}
	pki := filepath.Join(a.data(), "pki")
	var err error
	a.ca, err = newAuthority(pki, "library-ca")
	a.must(err)
	a.must(a.ca.server("library", "library.library.svc"))
	a.port, err = freePort()
	a.must(err)
	a.want(a.overlay(), "", "namespace/library", "apiservice.apiregistration.k8s.io/v1.library.example.com")
	kubeconfig, err := a.clusterCA().tokenKubeconfig("library", a.server.URL, strings.TrimSpace(a.want("create token library -n library", "")))
	a.must(err)
	a.flags = []string{
		"--data-dir", filepath.Join(a.dir, "library"), "--secure-port", fmt.Sprint(a.port),
		"--tls-cert-file", filepath.Join(pki, "library.crt"), "--tls-private-key-file", filepath.Join(pki, "library.key"),
		"--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig,
	}
	a.startLibrary()
	t.Cleanup(a.stopLibrary)
	a.until("get apiservices v1.library.example.com v1alpha1.library.example.com -o jsonpath={.items[*].status.conditions[0].status}", "True True")
	return a
}

// patience is after which time something that has to happen is taken to hang.
const patience = 5 * time.Minute

// startKubernetes starts an etcd, a kube-apiserver and programs beside it.
func startKubernetes(t *testing.T, programs ...program) *cluster {
	t.Helper()
	c := &cluster{bin: *programsDir, dir: t.TempDir(), patience: patience}
	ctx, cancel := context.WithTimeout(t.Context(), c.patience)
	defer cancel()
	etcd, err := startEtcd(ctx, c.bin, c.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.stop)
	c.etcd = etcd.url
	if err := c.start(ctx, kubeAPIServer, programs...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.stop)
	return c
}

// clusterCA signs for the kube-apiserver and its users.
func (a *aggregated) clusterCA() *authority {
	a.Helper()
	ca, err := readAuthority(filepath.Join(a.data(), "pki"), "ca")
	a.must(err)
	return ca
}

// overlay is the command that applies the manifests of the library, with what is different here: it
// runs outside of the cluster.
func (a *aggregated) overlay() string {
	a.Helper()
	dir := filepath.Join(a.dir, "manifests")
	a.must(os.CopyFS(filepath.Join(dir, "deploy"), os.DirFS("../../examples/library/deploy")))
	bundle, err := os.ReadFile(a.ca.file())
	a.must(err)
	a.must(os.Mkdir(filepath.Join(dir, "overlay"), 0o700))
	a.must(os.WriteFile(filepath.Join(dir, "overlay", "kustomization.yaml"), fmt.Appendf(nil, overlay, base64.StdEncoding.EncodeToString(bundle), a.port), 0o600))
	return "apply -k " + filepath.Join(dir, "overlay")
}

const overlay = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
- ../deploy
patches:
- target: {kind: APIService}
  patch: |-
    - {op: add, path: /spec/caBundle, value: %s}
    - {op: replace, path: /spec/service/port, value: %d}
- target: {kind: Service}
  patch: |-
    - {op: replace, path: /spec, value: {type: ExternalName, externalName: localhost}}
- target: {kind: Deployment}
  patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: library, namespace: library}
    $patch: delete
`

func (a *aggregated) startLibrary() {
	a.Helper()
	log, err := os.OpenFile(a.log("library"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	a.must(err)
	defer log.Close()
	cmd := exec.Command(filepath.Join(a.bin, "library"), a.flags...)
	cmd.Stderr = log
	ctx, cancel := context.WithTimeout(a.Context(), a.patience)
	defer cancel()
	if a.library, err = testserver.Start(ctx, cmd); err != nil {
		text, _ := os.ReadFile(log.Name())
		a.Fatalf("%v\n%s", err, text)
	}
}

func (a *aggregated) stopLibrary() {
	a.library.Cmd.Process.Signal(syscall.SIGTERM)
	<-a.library.Ended()
}

func (a *aggregated) must(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

// want runs kubectl, which must succeed and say all of some words.
func (a *aggregated) want(args, in string, says ...string) string {
	a.Helper()
	out, err := a.kubectl(a.Context(), in, args)
	a.must(err)
	for _, s := range says {
		if !strings.Contains(out, s) {
			a.Errorf("kubectl %s does not say %q, but\n%s", args, s, out)
		}
	}
	return out
}

// refused runs kubectl, which must fail and say some words.
func (a *aggregated) refused(args, in, says string) {
	a.Helper()
	out, err := a.kubectl(a.Context(), in, args)
	if err == nil {
		a.Errorf("kubectl %s succeeds: %s", args, out)
	} else if !strings.Contains(err.Error(), says) {
		a.Errorf("kubectl %s does not say %q, but %v", args, says, err)
	}
}

// until waits for what kubectl says.
func (a *aggregated) until(args, want string) {
	a.Helper()
	a.must(a.do(a.Context(), step{until: args, want: want}))
}

// untilSays waits for a word of what kubectl says.
func (a *aggregated) untilSays(args, want string) {
	a.Helper()
	ctx, cancel := context.WithTimeout(a.Context(), a.patience)
	defer cancel()
	for {
		out, err := a.kubectl(ctx, "", args)
		if err == nil && strings.Contains(out, want) {
			return
		}
		if ctx.Err() != nil {
			a.Fatalf("kubectl %s does not come to say %q, but %v %s", args, want, err, out)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// book is one, in the namespace that kubectl is told. more is of its metadata.
func book(name, more string) string {
	return fmt.Sprintf("{apiVersion: library.example.com/v1, kind: Book, metadata: {name: %s, %s}, spec: {title: About %s, isbn: 978-0-441-17271-9}}", name, more, name)
}

func discovered(_ *testing.T, a *aggregated) {
	a.want("api-resources --api-group=library.example.com -o name", "", "books.library.example.com", "shelves.library.example.com")
	a.want("get --raw /apis/library.example.com", "", `"preferredVersion":{"groupVersion":"library.example.com/v1"`)
	a.want("get --raw /apis/library.example.com/v1alpha1", "", `"kind":"Book"`)
	a.want("api-versions", "", "library.example.com/v1\n", "library.example.com/v1alpha1\n", "apps/v1\n")
}

// described: what users read of schemas is one document of both servers.
func described(_ *testing.T, a *aggregated) {
	a.untilSays("explain book.spec.isbn", "International Standard Book Number")
	a.untilSays("explain book.spec.author --api-version=library.example.com/v1alpha1", "FIELD: author")
	a.want("get --raw /openapi/v3", "", "apis/library.example.com/v1", "apis/apps/v1")
	a.want("get --raw /openapi/v3/apis/library.example.com/v1", "", "com.example.library.v1.Book")
	a.untilSays("get --raw /openapi/v2", "com.example.library.v1.Book")
	a.want("get --raw /openapi/v2", "", "io.k8s.api.core.v1.Pod", "/apis/library.example.com/v1/namespaces/{namespace}/books/{name}/lend")
}

func worked(_ *testing.T, a *aggregated) {
	samples := "../../examples/library/samples"
	a.want("apply -f "+samples, "", "book.library.example.com/the-go-programming-language created", "shelf.library.example.com/programming created")
	a.want("apply -f "+samples, "", "book.library.example.com/the-go-programming-language unchanged")
	a.want("get books -o wide", "", "TITLE", "The Go Programming Language", "SHELF")
	a.want("get library -A -o name", "", "book.library.example.com/the-c-programming-language")
	a.want("get books --field-selector spec.isbn=0-13-110362-8 -o name", "", "book.library.example.com/the-c-programming-language")
	a.want("get books.v1alpha1.library.example.com the-go-programming-language -o jsonpath={.spec.author}", "", "Alan A. A. Donovan; Brian W. Kernighan")
	a.want("describe book the-go-programming-language", "", "978-0-13-419044-0")
	a.want("label book the-go-programming-language language=go", "", "labeled")
	a.want("get books -l language=go -o name", "", "book.library.example.com/the-go-programming-language")
	a.want(`patch book the-go-programming-language --type=merge -p {"spec":{"copies":3}}`, "", "patched")
	a.want(`patch book the-go-programming-language --type=json -p [{"op":"replace","path":"/spec/copies","value":4}]`, "", "patched")
	a.want("get book the-go-programming-language -o jsonpath={.spec.copies}", "", "4")
	a.refused(`patch book the-go-programming-language --type=merge -p {"spec":{"copies":-1}}`, "", "spec.copies")
	a.refused("create -f -", strings.Replace(book("wrong", ""), "title", "titel", 1), `unknown field "spec.titel"`)
	a.want("create --dry-run=server -f -", book("dry", ""), "book.library.example.com/dry created (server dry run)")
	a.want("apply --server-side --field-manager=one -f -", book("served", ""), "serverside-applied")
	a.refused("apply --server-side --field-manager=two -f -", strings.Replace(book("served", ""), "About", "More about", 1), "conflict")
	lent := a.want("create --raw /apis/library.example.com/v1/namespaces/default/books/the-go-programming-language/lend -f -",
		`{"apiVersion":"library.example.com/v1","kind":"Loan","reader":"ada"}`, `"left":`)
	if !strings.Contains(lent, "Loan") {
		a.Errorf("a loan is %s", lent)
	}
	a.want("delete book served the-c-programming-language", "", "deleted")
	a.refused("get book served", "", "not found")
	a.want("get secrets,configmaps -n kube-system", "", "extension-apiserver-authentication")
}

// watched: each change comes through the aggregator.
func watched(t *testing.T, a *aggregated) {
	ctx, cancel := context.WithTimeout(t.Context(), a.patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(a.bin, "kubectl"), "--kubeconfig", a.server.Kubeconfig, "get", "books", "--watch-only", "--output-watch-events", "--no-headers")
	stdout, err := cmd.StdoutPipe()
	a.must(err)
	a.must(cmd.Start())
	defer cmd.Wait()
	defer cancel()
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(stdout); s.Scan(); {
			lines <- s.Text()
		}
	}()
	// A watch that has begun is known by its first event.
	for begun := false; !begun; {
		a.want("annotate --overwrite book the-go-programming-language at="+time.Now().Format("150405.000"), "")
		select {
		case <-lines:
			begun = true
		case <-time.After(200 * time.Millisecond):
		}
	}
	a.want("create -f -", book("seen", ""))
	a.want(`patch book seen --type=merge -p {"spec":{"copies":7}}`, "")
	a.want("delete book seen", "")
	for _, want := range []string{"ADDED", "MODIFIED", "DELETED"} {
		for found := false; !found; {
			line, ok := <-lines
			if !ok {
				t.Fatalf("the watch ends before a line with %s", want)
			}
			found = strings.HasPrefix(line, want) && strings.Contains(line, "About seen")
		}
	}
}

// permitted: the cluster's users, tokens and roles count, on both ways to the library.
func permitted(_ *testing.T, a *aggregated) {
	a.want("create -f -", book("kept", ""))
	a.refused("get books --as=jane", "", `books.library.example.com is forbidden: User "jane" cannot list resource "books"`)
	a.want("create role reader --verb=get,list --resource=books.library.example.com", "")
	a.want("create rolebinding jane --role=reader --user=jane", "")
	a.want("create rolebinding robot --role=reader --serviceaccount=default:default", "")
	a.until("auth can-i list books --as=jane", "yes")
	a.until("get book kept --as=jane -o name", "book.library.example.com/kept")
	a.refused("delete book kept --as=jane", "", `cannot delete resource "books"`)
	a.refused("get books -n kube-system --as=jane", "", `in the namespace "kube-system"`)

	// Past the aggregator the library asks the cluster itself.
	a.must(a.clusterCA().client("jane", "jane"))
	direct := fmt.Sprintf("https://127.0.0.1:%d", a.port)
	jane, err := a.ca.kubeconfig("jane", direct)
	a.must(err)
	robot, err := a.ca.tokenKubeconfig("robot", direct, strings.TrimSpace(a.want("create token default", "")))
	a.must(err)
	for _, file := range []string{jane, robot} {
		a.want("--kubeconfig "+file+" get book kept -o name", "", "book.library.example.com/kept")
		a.refused("--kubeconfig "+file+" delete book kept", "", `cannot delete resource "books"`)
	}
	a.refused("--kubeconfig "+robot+" --token=wrong get books", "", "Unauthorized")
}

// collected: the cluster's collector sees owners on either server.
func collected(_ *testing.T, a *aggregated) {
	owned := func(kind, name string) string {
		version := map[string]string{"ConfigMap": "v1", "Book": "library.example.com/v1"}[kind]
		uid := a.want("get "+strings.ToLower(kind)+" "+name+" -o jsonpath={.metadata.uid}", "")
		return fmt.Sprintf("ownerReferences: [{apiVersion: %s, kind: %s, name: %s, uid: %s, blockOwnerDeletion: true}]", version, kind, name, uid)
	}
	a.want("create configmap owner", "")
	a.want("create -f -", book("dependent", owned("ConfigMap", "owner")))
	a.want("delete configmap owner", "")
	a.until("get book dependent --ignore-not-found -o name", "")

	for _, cascade := range []string{"background", "foreground", "orphan"} {
		a.want("create -f -", book("owner", ""))
		a.want("create -f -", "{apiVersion: v1, kind: ConfigMap, metadata: {name: dependent, "+owned("Book", "owner")+"}}")
		a.want("delete book owner --cascade="+cascade, "")
		if cascade == "orphan" {
			a.until("get configmap dependent -o jsonpath={.metadata.ownerReferences}", "")
			a.want("delete configmap dependent", "")
		}
		a.until("get configmap dependent --ignore-not-found -o name", "")
	}
}

// counted: a quota of the cluster counts what is there.
func counted(_ *testing.T, a *aggregated) {
	a.want("create namespace few", "")
	for _, name := range []string{"a", "b"} {
		a.want("create -n few -f -", book(name, ""))
	}
	a.want("create quota books -n few --hard=count/books.library.example.com=3", "")
	a.until(`get quota books -n few -o jsonpath={.status.used.count/books\.library\.example\.com}`, "2")
}

// emptied: a namespace goes with its books, and nothing is made where none is.
func emptied(_ *testing.T, a *aggregated) {
	a.want("create namespace brief", "")
	a.want("create -n brief -f -", book("plain", ""))
	a.want("create -n brief -f -", book("held", "finalizers: [example.com/hold]"))
	a.want("delete namespace brief --wait=false", "")
	a.until("get books -n brief -o name", "book.library.example.com/held")
	a.refused("create -n brief -f -", book("late", ""), "because it is being terminated")
	a.want(`patch book held -n brief --type=merge -p {"metadata":{"finalizers":null}}`, "")
	a.until("get namespace brief --ignore-not-found -o name", "")
	a.until("get books -n brief -o name", "")
	a.refused("create -n brief -f -", book("later", ""), `namespaces "brief" not found`)
	// A namespace may be as new as the request.
	for i := range 5 {
		a.want(fmt.Sprintf("create namespace new-%d", i), "")
		a.want(fmt.Sprintf("create -n new-%d -f -", i), book("first", ""))
	}
}

// absent: the cluster does without the library, and has it again when it is back.
func absent(_ *testing.T, a *aggregated) {
	a.stopLibrary()
	a.untilSays("get apiservice v1.library.example.com -o jsonpath={.status.conditions[0].reason}", "FailedDiscoveryCheck")
	a.refused("get --raw /apis/library.example.com/v1/namespaces/default/books", "", "the server is currently unable to handle the request")
	a.want("get pods,configmaps", "", "configmap/kube-root-ca.crt")
	a.startLibrary()
	a.until("get apiservice v1.library.example.com -o jsonpath={.status.conditions[0].status}", "True")
	a.want("get book kept -o name", "", "book.library.example.com/kept")
}
