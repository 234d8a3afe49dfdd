package e2e

import (
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestControlPlaneKinds drives the kinds of examples/cluster that Kubernetes' users know, with a
// stock kubectl. Lines that begin with ~ are regular expressions.
func TestControlPlaneKinds(t *testing.T) {
	s := startProgram(t, "cluster", t.TempDir())
	defer s.stop(syscall.SIGTERM)
	for _, step := range []struct {
		args []string
		want string
		fail bool
	}{
		{args: words("create namespace room"), want: "namespace/room created"},
		{args: words("get namespace room"), want: "NAME   STATUS   AGE\n~room   Active   \\d+s"},
		{args: words("-n room create secret generic pass --from-literal=username=me --type=kubernetes.io/basic-auth"), want: "secret/pass created"},
		{args: words("-n room get secret pass"), want: "NAME   TYPE                       DATA   AGE\n~pass   kubernetes.io/basic-auth   1      \\d+s"},
		{args: words("-n room get secret pass -o jsonpath={.data.username}"), want: "bWU="},
		{args: words("-n room create secret tls broken --cert=/dev/null --key=/dev/null"), fail: true, want: "~error: .*"},
		{args: words("-n room create configmap conf --from-literal=a=b"), want: "configmap/conf created"},
		{args: words("-n room get cm conf"), want: "NAME   DATA   AGE\n~conf   1      \\d+s"},
		{args: words("-n room patch cm conf -p {\"immutable\":true}"), want: "configmap/conf patched"},
		{args: words("-n room patch cm conf -p {\"data\":{\"a\":\"c\"}}"), fail: true, want: "The ConfigMap \"conf\" is invalid: data: Forbidden: field is immutable when `immutable` is set"},
		{args: words("-n room wait --for=create serviceaccount/default --timeout=120s"), want: "serviceaccount/default condition met"},
		{args: words("-n room create token default --duration=20m"), want: "~[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+"},
		{args: words("-n room create token default --duration=1m"), fail: true, want: `~error: failed to create token: TokenRequest.authentication.k8s.io "default" is invalid: spec.expirationSeconds: .*`},
		{args: words("-n room create token nobody"), fail: true, want: `error: failed to create token: serviceaccounts "nobody" not found`},
		{args: words("-n room get events"), want: "No resources found in room namespace."},
		{args: words("delete namespace default"), fail: true, want: `Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted`},
		{args: words("delete namespace room --timeout=120s"), want: `namespace "room" deleted`},
		{args: words("get namespace room"), fail: true, want: `Error from server (NotFound): namespaces "room" not found`},
		{args: words("get secrets,configmaps,serviceaccounts -n room -o name"), want: ""},
	} {
		out, err := s.kubectl(t, step.args...)
		if (err != nil) != step.fail || !sameLines(strings.TrimSpace(out), step.want) {
			t.Fatalf("kubectl %s: %v\n%s\nwant\n%s", strings.Join(step.args, " "), err, out, step.want)
		}
	}
}

func words(line string) []string { return strings.Fields(line) }

func sameLines(got, want string) bool {
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(gotLines) != len(wantLines) {
		return false
	}
	for i, line := range wantLines {
		pattern, isPattern := strings.CutPrefix(line, "~")
		if !isPattern {
			pattern = regexp.QuoteMeta(line)
		}
		if !regexp.MustCompile("^" + pattern + "$").MatchString(strings.TrimRight(gotLines[i], " ")) {
			return false
		}
	}
	return true
}

// A name that is not there is refused, with the one that was probably meant.
func TestEnableAPI(t *testing.T) {
	s := startProgram(t, "cluster", t.TempDir(), "--enable-api=namespaces,secrets")
	defer s.stop(syscall.SIGTERM)
	out, err := s.kubectl(t, words("api-resources --api-group= -o name")...)
	if err != nil || strings.TrimSpace(out) != "namespaces\npersistentvolumeclaims\npersistentvolumes\npods\nreplicationcontrollers\nsecrets" {
		t.Errorf("%v\n%s", err, out)
	}
}
