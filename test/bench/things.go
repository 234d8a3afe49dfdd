package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// things is the module of a user, as gen init writes it, with as many kinds as a part wants. They
// are called Thing0, Thing1 and so on, and differ in nothing else.
type things struct {
	dir, gen string
	kinds    int
}

// thingsPath is where the objects of the first kind are.
const thingsPath = "/apis/scale.example.com/v1alpha1/thing0s"

// newThings makes a module with one kind.
func (l *lab) newThings(ctx context.Context, dir string) (*things, error) {
	clone, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	t := &things{dir: filepath.Join(dir, "module"), gen: filepath.Join(l.bin, "gen"), kinds: 1}
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return nil, err
	}
	if _, err := runIn(ctx, clone, "go", "build", "-o", t.gen, "./cmd/gen"); err != nil {
		return nil, err
	}
	_, err = runIn(ctx, t.dir, t.gen, "init", "example.com/scale", "--kind", "Thing0", "--clone", clone)
	return t, err
}

// grow adds kinds until there are n. Their code is not there yet.
func (t *things) grow(n int) error {
	first, err := os.ReadFile(t.typesOf(0))
	if err != nil {
		return err
	}
	for ; t.kinds < n; t.kinds++ {
		number := strconv.Itoa(t.kinds)
		text := strings.NewReplacer("Thing0", "Thing"+number, "thing0", "thing"+number).Replace(string(first))
		if err := os.WriteFile(t.typesOf(t.kinds), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (t *things) typesOf(kind int) string {
	return filepath.Join(t.dir, "api", "v1alpha1", fmt.Sprintf("thing%d_types.go", kind))
}

// generate runs gen, and returns its CPU time.
func (t *things) generate(ctx context.Context) (time.Duration, error) {
	return runIn(ctx, t.dir, t.gen, "./...")
}

// build links the server to a file, and returns the CPU time of the compiler.
func (t *things) build(ctx context.Context, file string) (time.Duration, error) {
	return runIn(ctx, t.dir, "go", "build", "-ldflags", "-s -w", "-o", file, "./cmd/scale")
}

// runIn runs a program to its end, and returns its CPU time, with that of the programs that it has
// run itself.
func runIn(ctx context.Context, dir, name string, args ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// thingServer is a running server of things.
type thingServer struct {
	*process
	client *client
	tls    *tls.Config
	ready  time.Duration // from its start to /readyz
}

// startThings starts bin/scale, with what it writes in dir, and waits until it is ready.
func startThings(ctx context.Context, dir, bin string, flags ...string) (*thingServer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	p, err := start(dir, bin, "scale", false, append([]string{"--secure-port", strconv.Itoa(port), "--data-dir", data, "--enable-api", "none"}, flags...)...)
	if err != nil {
		return nil, err
	}
	s := &thingServer{process: p}
	probe := newClient(port, &tls.Config{InsecureSkipVerify: true})
	err = p.until(ctx, func(ctx context.Context) error {
		_, err := probe.do(ctx, request{method: "GET", path: "/readyz", accept: "text/plain"})
		return err
	})
	s.ready = time.Since(p.begun)
	if err == nil {
		s.tls, err = adminTLS(filepath.Join(data, "admin.kubeconfig"))
	}
	if err != nil {
		p.stop()
		return nil, err
	}
	s.client = newClient(port, s.tls)
	return s, nil
}

// each is the CPU time of the server for one of count calls of do, of which eight are under way at
// once. Some calls before warm it up.
func (s *thingServer) each(ctx context.Context, count int, do func(ctx context.Context, i int) error) (time.Duration, error) {
	r := row{name: "things", workers: 8}
	t := &target{process: s.process}
	call := func(ctx context.Context, _ *target, i int) error { return do(ctx, i) }
	warm := max(1, count/10)
	if err := r.repeat(ctx, t, call, warm); err != nil {
		return 0, err
	}
	before, err := cpu(s.pid())
	if err != nil {
		return 0, err
	}
	if err := r.repeat(ctx, t, func(ctx context.Context, _ *target, i int) error { return do(ctx, warm+i) }, count); err != nil {
		return 0, err
	}
	after, err := cpu(s.pid())
	return (after - before) / time.Duration(count), err
}

// get reads all of a path.
func (s *thingServer) get(ctx context.Context, path, accept string) ([]byte, error) {
	return s.client.do(ctx, request{method: "GET", path: path, accept: accept})
}

// revision is the resourceVersion of the things right now.
func (s *thingServer) revision(ctx context.Context) (string, error) {
	body, err := s.get(ctx, thingsPath+"?limit=1", asJSON)
	if err != nil {
		return "", err
	}
	var list metav1.PartialObjectMetadataList
	err = json.Unmarshal(body, &list)
	return list.ResourceVersion, err
}

// create makes a thing of a kind.
func (s *thingServer) create(ctx context.Context, kind int, namespace, name string, labels string) error {
	body := fmt.Appendf(nil, `{"apiVersion":"scale.example.com/v1alpha1","kind":"Thing%d","metadata":{"name":%q,"labels":{%s},"annotations":{"padding":%q}},"spec":{"title":"a thing"}}`,
		kind, name, labels, strings.Repeat("x", thingPadding))
	_, err := s.client.do(ctx, request{
		method: "POST", path: fmt.Sprintf("/apis/scale.example.com/v1alpha1/namespaces/%s/thing%ds", namespace, kind),
		accept: protobuf, contentType: asJSON, body: body,
	})
	return err
}

// thingPadding makes a stored thing about 1,024 bytes long.
const thingPadding = 620
