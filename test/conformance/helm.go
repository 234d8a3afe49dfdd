package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// helmVersion is that of helm/go.mod. A release of helm has it written in by the linker.
const (
	helmVersion = "v4.3.1"
	helmStamp   = "-X helm.sh/helm/v4/internal/version.version=" + helmVersion
)

// helm runs the command against a server, in a namespace.
type helm struct {
	binary, chart, home string
	*server
}

// shopNamespace is where the releases are.
const shopNamespace = "shops"

func runHelm(ctx context.Context, w *workshop) (string, []result, error) {
	if err := w.build(ctx, "test/conformance/helm", "helm.sh/helm/v4/cmd/helm", "helm", "-ldflags", helmStamp); err != nil {
		return "", nil, err
	}
	s, err := w.serve(ctx)
	if err != nil {
		return "", nil, err
	}
	defer s.close()
	h := &helm{binary: w.path("helm"), chart: "helm/chart", home: w.path("helm-home"), server: s}
	version, err := h.run(ctx, "version", "--template", "{{.Version}}")
	if err == nil && version != helmVersion {
		err = fmt.Errorf("it says that it is %s: helm/go.mod and helm.go have different versions", version)
	}
	if err != nil {
		return "", nil, err
	}
	var results []result
	for _, c := range h.checks() {
		r := result{check: c.name, holds: true}
		if err := c.run(ctx); err != nil {
			r.holds, r.said = false, strings.Join(strings.Fields(err.Error()), " ")
		}
		results = append(results, r)
	}
	return version, results, nil
}

// run runs helm and returns what it prints; if it fails, an error with what it says.
func (h *helm) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.binary, append(args, "--namespace", shopNamespace)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+h.Kubeconfig, "HELM_CACHE_HOME="+h.home, "HELM_CONFIG_HOME="+h.home, "HELM_DATA_HOME="+h.home)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if ctx.Err() != nil {
		return string(out), fmt.Errorf("helm %s: it was stopped: %w", args[0], ctx.Err())
	}
	if errors.As(err, &failed) {
		return string(out), fmt.Errorf("helm %s: %s", args[0], failed.Stderr)
	}
	return string(out), err
}

// release runs a command that takes a release and the chart.
func (h *helm) release(ctx context.Context, command, name string, args ...string) (string, error) {
	return h.run(ctx, append([]string{command, name, h.chart}, args...)...)
}

// fails wants helm to fail, with some words.
func fails(err error, words ...string) error {
	if err == nil {
		return errors.New("it did not fail")
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			return fmt.Errorf("the error says nothing of %q: %w", w, err)
		}
	}
	return nil
}

// state is what helm says of a release: revision and status.
func (h *helm) state(ctx context.Context, name string) (string, error) {
	out, err := h.run(ctx, "status", name, "--output", "json")
	if err != nil {
		return "", err
	}
	var release struct {
		Version int
		Info    struct{ Status string }
	}
	if err := json.Unmarshal([]byte(out), &release); err != nil {
		return "", err
	}
	return fmt.Sprint(release.Version, " ", release.Info.Status), nil
}

func (h *helm) inState(ctx context.Context, name, want string) error {
	got, err := h.state(ctx, name)
	if err != nil {
		return err
	}
	return equal("state", got, want)
}

// Paths of objects.

func configPath(name string) string {
	return "/api/v1/namespaces/" + shopNamespace + "/configmaps/" + name
}

func deploymentPath(name string) string {
	return "/apis/apps/v1/namespaces/" + shopNamespace + "/deployments/" + name
}

func claimPath(name string) string {
	return "/api/v1/namespaces/" + shopNamespace + "/persistentvolumeclaims/" + name
}

// data wants a key of a config map to be so.
func (h *helm) data(ctx context.Context, name, key, want string) error {
	o, err := h.object(ctx, configPath(name))
	if err != nil {
		return err
	}
	return equal(key, o.at("data", key), want)
}

// gone wants a 404.
func (h *helm) gone(ctx context.Context, path string) error {
	_, err := h.get(ctx, path)
	if err == nil {
		return fmt.Errorf("%s is still there", path)
	}
	if !strings.Contains(err.Error(), "404") {
		return err
	}
	return nil
}

// owners are the managers of an object, with what they did.
func (h *helm) owners(ctx context.Context, path string) ([]string, error) {
	o, err := h.object(ctx, path)
	if err != nil {
		return nil, err
	}
	entries, _ := o.at("metadata", "managedFields").([]any)
	var owners []string
	for _, e := range entries {
		entry, _ := e.(map[string]any)
		owners = append(owners, fmt.Sprint(entry["manager"], " ", entry["operation"]))
	}
	return owners, nil
}

// ownedBy wants an owner.
func (h *helm) ownedBy(ctx context.Context, path, want string) error {
	owners, err := h.owners(ctx, path)
	if err != nil {
		return err
	}
	if !slices.Contains(owners, want) {
		return fmt.Errorf("%s is owned by %q, not by %q", path, owners, want)
	}
	return nil
}

func (h *helm) create(ctx context.Context, collection, body string) error {
	_, err := h.ask(ctx, "POST", collection, "application/json", body)
	return err
}

// merge sends a merge patch.
func (h *helm) merge(ctx context.Context, path, body string) error {
	_, err := h.ask(ctx, "PATCH", path, "application/merge-patch+json", body)
	return err
}

// take applies an object for somebody else, by force.
func (h *helm) take(ctx context.Context, path, body string) error {
	_, err := h.ask(ctx, "PATCH", path+"?fieldManager=somebody&force=true", "application/apply-patch+yaml", body)
	return err
}

func equal(what string, got, want any) error {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("%s is %q, not %q", what, fmt.Sprint(got), fmt.Sprint(want))
	}
	return nil
}

// all runs steps until one fails.
func all(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// whenThere writes the status of an object as soon as it is there, and waits until helm has seen
// it.
func (h *helm) whenThere(ctx context.Context, path, status string, done <-chan error) error {
	for {
		err := h.merge(ctx, path+"/status", status)
		if err == nil {
			return <-done
		}
		select {
		case early := <-done:
			return fmt.Errorf("helm has ended before %s was there: %v, and then %w", path, early, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
