package etcd3_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/storage/etcd3"
)

// TestEngine says over which etcd these tests run: the one that ENGINE names, or the one inside
// this process.
func TestEngine(t *testing.T) {
	version, err := etcd3.Version(t.Context(), server.Client())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("etcd %s", version)
	binary := os.Getenv("ENGINE")
	if binary == "" {
		return
	}
	out, err := exec.Command(binary, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "etcd Version: "+version+"\n") {
		t.Errorf("these tests run over etcd %s, and ENGINE=%s is\n%s", version, binary, out)
	}
}
