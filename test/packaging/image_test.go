package packaging

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	spdx "github.com/spdx/tools-golang/json"

	"github.com/typeplane/typeplane/internal/image"
)

// TestImage makes the image of examples/library. The library of those who wrote the format finds
// nothing wrong with it, and podman runs it, without any right and with nothing to write to but its
// volume.
func TestImage(t *testing.T) {
	dir := t.TempDir()
	archive, sbom := filepath.Join(dir, "library.oci.tar"), filepath.Join(dir, "library.spdx.json")
	o := image.Options{Package: "./examples/library", Dir: root, Platforms: []string{"linux/amd64", "linux/arm64"}, File: archive, SBOM: sbom}
	first, err := image.Write(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := image.Write(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if first.Digest != again.Digest {
		t.Errorf("made twice, it is %s and %s", first.Digest, again.Digest)
	}
	for _, p := range first.Platforms {
		t.Logf("%s: %.1f MB, %s", p.Platform, float64(p.Size)/1e6, p.Digest)
	}
	unpacked := filepath.Join(dir, "layout")
	unpack(t, archive, unpacked)
	l, err := layout.FromPath(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	index, err := l.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Errorf("go-containerregistry: %v", err)
	}
	text, err := os.ReadFile(sbom)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := spdx.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("spdx: %v", err)
	}
	if len(doc.Packages) < 50 {
		t.Errorf("the SBOM has %d packages", len(doc.Packages))
	}
	if !bytes.Contains(text, []byte("pkg:npm/%40codemirror/view@")) {
		t.Error("the SBOM lacks what is in the page of the console")
	}
	t.Run("podman", func(t *testing.T) { runImage(t, dir, archive) })
}

func unpack(t *testing.T, archive, into string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(into, filepath.FromSlash(h.Name))
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// engine is a podman with a store of its own.
type engine struct{ args []string }

// runImage starts a server in a container, adds a user to it, takes a backup, and stops it.
func runImage(t *testing.T, dir, archive string) {
	e := engine{[]string{"--root", filepath.Join(dir, "containers"), "--runroot", filepath.Join(dir, "run"), "--storage-driver=vfs", "--cgroup-manager=cgroupfs"}}
	if runc, err := exec.LookPath("runc"); err == nil { // crun wants cgroups of one version
		e.args = append(e.args, "--runtime", runc)
	}
	podman := func(args ...string) (string, error) {
		return run(t, nil, "podman", append(e.args[:len(e.args):len(e.args)], args...)...)
	}
	if out, err := podman("load", "--quiet", "--input", archive); err != nil || !strings.Contains(out, "localhost/library:latest") {
		t.Fatalf("podman load: %v\n%s", err, out)
	}
	// Limits that any machine allows: the defaults of podman are more than some have.
	const name = "packaging-library"
	out, err := podman("run", "--detach", "--name", name, "--network=host", "--read-only", "--cap-drop=all", "--security-opt=no-new-privileges",
		"--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096", "localhost/library:latest", "--bind-address=127.0.0.1", "--secure-port=0")
	t.Cleanup(func() {
		if out, err := exec.Command(tool(t, "podman"), append(e.args, "rm", "--force", name)...).CombinedOutput(); err != nil {
			t.Errorf("podman rm: %v\n%s", err, out)
		}
	})
	if err != nil {
		t.Fatalf("podman run: %v\n%s", err, out)
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		out, err := podman("exec", name, "/library", "user", "add", "ann", "--clusterrole", "cluster-admin", "--server", "https://library.example.com")
		if err == nil && strings.Contains(out, "the role cluster-admin says") && strings.Contains(out, "server: https://library.example.com") {
			break
		}
		if time.Now().After(end) {
			logs, _ := podman("logs", name)
			t.Fatalf("user add: %v\n%s\n%s", err, out, logs)
		}
	}
	if out, err := podman("exec", name, "/library", "backup", "/data/library.snapshot"); err != nil || !strings.Contains(out, "checked") {
		t.Errorf("backup: %v\n%s", err, out)
	}
	if out, err := podman("inspect", "--format", "{{.Config.User}}", name); err != nil || strings.TrimSpace(out) != "65532:65532" {
		t.Errorf("its user: %s %v", out, err)
	}
	if out, err := podman("stop", "--time", "60", name); err != nil {
		t.Errorf("podman stop: %v\n%s", err, out)
	}
	if out, err := podman("inspect", "--format", "{{.State.ExitCode}}", name); err != nil || strings.TrimSpace(out) != "0" {
		t.Errorf("its exit code: %s %v", out, err)
	}
}

// TestEmulated builds the program for arm64 and runs it on this machine.
func TestEmulated(t *testing.T) {
	program := filepath.Join(t.TempDir(), "library")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./examples/library")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=arm64")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out := must(t, nil, "qemu-aarch64-static", program, "version"); !strings.Contains(out, "linux/arm64") {
		t.Errorf("version: %s", out)
	}
	data := t.TempDir()
	server := exec.CommandContext(t.Context(), tool(t, "qemu-aarch64-static"), program, "--data-dir", data, "--secure-port", "0")
	var said bytes.Buffer
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		server.Process.Signal(os.Interrupt)
		if err := server.Wait(); err != nil {
			t.Errorf("it ended with %v:\n%s", err, &said)
		}
	}()
	kubeconfig := filepath.Join(data, "admin.kubeconfig")
	kubectl := func(args ...string) (string, error) {
		return run(t, nil, "kubectl", append([]string{"--kubeconfig", kubeconfig, "--cache-dir", t.TempDir()}, args...)...)
	}
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(500 * time.Millisecond) {
		if out, err := kubectl("get", "--raw", "/readyz"); err == nil && out == "ok" {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it is not ready")
		}
	}
	if out, err := kubectl("create", "-f", filepath.Join(root, "examples/library/samples/book-v1.yaml")); err != nil {
		t.Errorf("%s %v", out, err)
	}
	if out, err := kubectl("get", "books", "-o", "name"); err != nil || !strings.Contains(out, "the-go-programming-language") {
		t.Errorf("%s %v", out, fmt.Sprint(err))
	}
}
