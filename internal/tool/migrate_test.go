package tool

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
)

func TestMigrate(t *testing.T) {
	e := programtest.StartEtcd(t, map[string]string{
		programtest.Prefix + "ns/beta":                                              programtest.BetaJSON,
		programtest.Prefix + "ns/loose":                                             programtest.UnknownJSON,
		programtest.Prefix + "ns/current":                                           programtest.Current(t, programtest.BetaJSON),
		programtest.Prefix + "ns/garbage":                                           "what?",
		"/elsewhere" + strings.TrimPrefix(programtest.Prefix, "/registry") + "ns/x": programtest.BetaJSON,
	})
	table := func(numbers, version, form string) string {
		return fmt.Sprintf("RESOURCE STORED AS OBJECTS OLD REWRITTEN GONE UNREADABLE\nwidgets.shop.example.com %s application/%s %s\n", version, form, numbers)
	}
	const protobuf = "vnd.kubernetes.protobuf"
	for _, step := range []struct {
		args, want string
		code       int
	}{
		{"--dry-run", table("4 2 0 0 1", "shop.example.com/v1", protobuf), 3},
		{"--rate 50", table("4 2 2 0 1", "shop.example.com/v1", protobuf), 3},
		{"", table("4 0 0 0 1", "shop.example.com/v1", protobuf), 3},
		{"--storage-media-type application/json --rate 0", table("4 3 3 0 1", "shop.example.com/v1", "json"), 3},
		{"--storage-versions shop.example.com/v1beta1", table("4 3 3 0 1", "shop.example.com/v1beta1", protobuf), 3},
		{"--etcd-prefix /elsewhere", table("1 1 1 0 0", "shop.example.com/v1", protobuf), 0},
		{"--etcd-prefix /elsewhere", table("1 0 0 0 0", "shop.example.com/v1", protobuf), 0},
	} {
		out, log, err := do(t, "", append([]string{"migrate", "--data-dir", e.Dir}, strings.Fields(step.args)...)...)
		code := 0
		if err != nil {
			code = ExitCode(err)
		}
		if diff := cmp.Diff(step.want, regexp.MustCompile(` +`).ReplaceAllString(out, " ")); diff != "" || code != step.code {
			t.Errorf("migrate %s: exit %d, %v\n%s(-want +got)\n%s", step.args, code, err, log, diff)
		}
		if strings.Contains(log, programtest.Prefix[len("/registry"):]+"ns/garbage") != (code == 3) {
			t.Errorf("migrate %s: what can't be read is not named:\n%s", step.args, log)
		}
	}
	if out := must(t, "inspect", programtest.Prefix+"ns/loose", "--data-dir", e.Dir, "--storage-versions", "shop.example.com/v1beta1"); !strings.Contains(out, "# stored as: shop.example.com/v1beta1 Widget, application/vnd.kubernetes.protobuf, ") ||
		!strings.Contains(out, "# form: current") {
		t.Errorf("after all:\n%s", out)
	}
}

// What a person sees of a migration, and of one that is stopped and run again.
func TestMigrateStopped(t *testing.T) {
	const n = 40
	keys := map[string]string{}
	for i := range n {
		keys[fmt.Sprintf("%sns/w%d", programtest.Prefix, i)] = programtest.BetaJSON
	}
	e := programtest.StartEtcd(t, keys)
	ctx, stop := context.WithCancel(t.Context())
	terminal := &programtest.Stopper{Stop: stop}
	var out bytes.Buffer
	err := Run(ctx, programtest.Widgets(), []string{"migrate", "--data-dir", e.Dir, "--rate", "10"}, Console{Out: &out, Err: terminal, Terminal: true})
	if err == nil || ExitCode(err) != 1 || !regexp.MustCompile(`^stopped, with \d+ objects left in an old form; run it again to go on$`).MatchString(err.Error()) {
		t.Errorf("exit %d, %v", ExitCode(err), err)
	}
	if seen := terminal.String(); !strings.HasPrefix(seen, "\rmigrate [") || !strings.Contains(seen, fmt.Sprintf(" of %d, ", n)) || !strings.HasSuffix(seen, "\n") {
		t.Errorf("on the terminal: %q", seen)
	}
	row := regexp.MustCompile(`protobuf +(\d+) +(\d+) +(\d+) +0 +0\n`)
	numbers := func(out string) (objects, old, rewritten int) {
		t.Helper()
		m := row.FindStringSubmatch(out)
		if m == nil {
			t.Fatalf("table:\n%s", out)
		}
		if _, err := fmt.Sscan(strings.Join(m[1:], " "), &objects, &old, &rewritten); err != nil {
			t.Fatal(err)
		}
		return objects, old, rewritten
	}
	if objects, old, rewritten := numbers(out.String()); objects != n || old != n || rewritten == n {
		t.Errorf("stopped:\n%s", &out)
	}
	again := must(t, "migrate", "--data-dir", e.Dir, "--rate", "0")
	if objects, old, rewritten := numbers(again); objects != n || old == 0 || rewritten != old {
		t.Errorf("again:\n%s", again)
	}
}

// Who stops a migration before it has begun to rewrite learns that nothing was.
func TestMigrateStoppedWhileItCounts(t *testing.T) {
	e := programtest.StartEtcd(t, map[string]string{programtest.Prefix + "ns/beta": programtest.BetaJSON})
	o := &program.NewOptions("widgets").Store
	o.DataDir = e.Dir
	k, err := database.AllKinds(programtest.Widgets(), o)
	if err != nil {
		t.Fatal(err)
	}
	db, err := database.Attach(t.Context(), programtest.Widgets(), o, func(string) {}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out bytes.Buffer
	m := migrating{Kinds: k, Console: Console{Out: &out, Err: &out}, dbs: &database.Databases{Main: db}}
	if err := m.run(ctx, false); err == nil || !strings.Contains(err.Error(), "before anything was rewritten") || strings.Contains(err.Error(), "context") || out.Len() > 0 {
		t.Errorf("%v\n%s", err, &out)
	}
}
