package cluster

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

// TestCommandsWithoutAQuorum: a command says that most members are down, instead of waiting for
// them.
func TestCommandsWithoutAQuorum(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t, etcdproc.Config{Members: 3})
	endpoints := strings.Join(etcd.Endpoints(), ",")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	run := func(args ...string) (string, error) {
		t.Helper()
		out, err := exec.CommandContext(ctx, library, append(args, "--etcd-servers", endpoints)...).CombinedOutput()
		if ctx.Err() != nil {
			t.Fatalf("%v hangs:\n%s", args, out)
		}
		return string(out), err
	}
	if out, err := run("migrate"); err != nil {
		t.Errorf("with all members: %v\n%s", err, out)
	}
	for _, m := range etcd.Members()[1:] {
		must(t, m.Kill())
	}
	for _, args := range [][]string{{"inspect", "/"}, {"migrate"}} {
		out, err := run(args...)
		if err == nil || !strings.Contains(out, "as if most of them were down") {
			t.Errorf("%v with one of three members: %v\n%s", args, err, out)
		}
	}
}
