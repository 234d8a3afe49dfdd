package serve

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/internal/tool"
)

// TestImportServer takes objects over from a server, is stopped in the middle, and goes on.
func TestImportServer(t *testing.T) {
	const n = 400
	i, client := running(t, func(o *program.Options) { o.Store.InMemory = false })
	for k := range n {
		post(t, client, i.URL()+widgetsPath, fmt.Sprintf(`{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w%d"},"spec":{"color":"c%d"}}`, k, k))
	}
	e := programtest.StartEtcd(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	written := e.Client().Watch(t.Context(), programtest.Prefix, clientv3.WithPrefix())
	go func() {
		defer stop()
		seen := 0
		for r := range written {
			if seen += len(r.Events); seen >= n/4 {
				return
			}
		}
	}()
	var out, terminal bytes.Buffer
	args := []string{"import", "--from", i.Kubeconfig(), "--data-dir", e.Dir}
	err := run(ctx, programtest.Widgets(), args, tool.Console{Out: &out, Err: &terminal, Terminal: true})
	stopped := regexp.MustCompile(`^stopped, after (\d+) of 400 objects; run it again to go on$`)
	if err == nil || tool.ExitCode(err) != 1 || !stopped.MatchString(err.Error()) {
		t.Fatalf("exit %d, %v\n%s", tool.ExitCode(err), err, terminal.String())
	}
	numbers := func(out string) (created, there, refused int) {
		t.Helper()
		m := regexp.MustCompile(`example.com +(\d+) +(\d+) +(\d+)\n`).FindStringSubmatch(out)
		if m == nil {
			t.Fatalf("table:\n%s", out)
		}
		if _, err := fmt.Sscan(strings.Join(m[1:], " "), &created, &there, &refused); err != nil {
			t.Fatal(err)
		}
		return created, there, refused
	}
	first, _, refused := numbers(out.String())
	if first == 0 || first == n || refused > 0 {
		t.Errorf("stopped:\n%s", &out)
	}
	again := output(t, args...)
	if created, there, refused := numbers(again); created+there != n || there < first || there > first+1 || refused > 0 {
		t.Errorf("again:\n%s", again)
	}
	if stored := output(t, "inspect", programtest.Prefix+"default/w7", "--data-dir", e.Dir); !strings.Contains(stored, "color: c7") {
		t.Errorf("stored:\n%s", stored)
	}
}
