// Package packaging tries what runs servers: the image, the chart, the kustomize files, the unit of
// systemd and the alerts. Each is judged by the tool that it is for, and run where it can be.
package packaging

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is that of the repository, deploy the folder of what is tried.
const (
	root   = "../.."
	deploy = "../../deploy"
)

// from says where a tool comes from that is not built here.
var from = map[string]string{
	"podman":              "the Debian packages podman and runc",
	"prometheus":          "the Debian package prometheus",
	"promtool":            "the Debian package prometheus",
	"systemd-analyze":     "the Debian package systemd",
	"qemu-aarch64-static": "the Debian package qemu-user-static",
	"openssl":             "the Debian package openssl",
	"helm":                "make packaging",
	"kubectl":             "make packaging",
}

// tool is the path of a program. One that is missing is an error: nothing is left out in silence.
func tool(t *testing.T, name string) string {
	t.Helper()
	if path := os.Getenv(strings.ToUpper(name)); path != "" {
		return path
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is needed: it comes from %s", name, from[name])
	}
	return path
}

// run runs a tool, and returns what it prints and whether it did it.
func run(t *testing.T, in []byte, name string, args ...string) (out string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool(t, name), args...)
	cmd.Stdin = bytes.NewReader(in)
	home := filepath.Join(os.TempDir(), "packaging-home")
	cmd.Env = append(os.Environ(), "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
	data, err := cmd.CombinedOutput()
	return string(data), err
}

// must is run for a tool that has nothing to say against it.
func must(t *testing.T, in []byte, name string, args ...string) string {
	t.Helper()
	out, err := run(t, in, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// built is a server with the kinds of Kubernetes.
func built(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(root, "bin", "kubernetes"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	cmd.Dir = filepath.Join(root, "examples", "kubernetes", "server")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
