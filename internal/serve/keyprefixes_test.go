package serve

import (
	"bytes"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/internal/tool"
	"github.com/typeplane/typeplane/storage/embedded"
)

// A server on a data directory of an earlier release serves what is in it. The tools say what is to
// come before.
func TestServerMovesObjects(t *testing.T) {
	dir := t.TempDir()
	s, err := embedded.Start(t.Context(), embedded.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Client().Put(t.Context(), programtest.Prefix+"ns/beta", programtest.BetaJSON); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		if err := run(t.Context(), programtest.Placed("placed"), append(args, "--data-dir", dir), tool.Console{Out: &out, Err: &out}); err != nil && tool.ExitCode(err) != tool.ExitLeft {
			t.Fatalf("%v: %v\n%s", args, err, &out)
		}
		return out.String()
	}
	if out := command("inspect", programtest.Prefix+"ns/beta"); !strings.Contains(out, "# form: misplaced") || !strings.Contains(out, "colour: red") {
		t.Errorf("inspect: %s", out)
	}
	if out := command("migrate", "--dry-run"); !strings.Contains(out, "objects of widgets.shop.example.com lie below /shop.example.com/widgets/ and are not counted") {
		t.Errorf("dry run: %s", out)
	}
	s.Close()
	i, client := runningServer(t, programtest.Placed("placed"), func(o *program.Options) { o.Store.InMemory, o.Store.DataDir, o.Store.MigrationRate = false, dir, 0 })
	if body := getBody(t, client, i.URL()+"/apis/shop.example.com/v1/namespaces/ns/widgets/beta"); !strings.Contains(body, `"color":"red"`) {
		t.Errorf("%s", body)
	}
	if out := command("inspect", "/registry/placed/ns/beta"); !strings.Contains(out, "# form: stale") {
		t.Errorf("inspect: %s", out)
	}
}
