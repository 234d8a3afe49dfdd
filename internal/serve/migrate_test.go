package serve

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

func TestMigrate(t *testing.T) {
	e := startEtcd(t, map[string]string{
		prefix + "ns/beta":    betaJSON,
		prefix + "ns/loose":   unknownJSON,
		prefix + "ns/current": current(t, betaJSON),
		prefix + "ns/garbage": "what?",
		"/elsewhere" + strings.TrimPrefix(prefix, "/registry") + "ns/x": betaJSON,
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
		out, log, err := do(t, "", append([]string{"migrate", "--data-dir", e.dir}, strings.Fields(step.args)...)...)
		code := 0
		if err != nil {
			code = exitCode(err)
		}
		if diff := cmp.Diff(step.want, regexp.MustCompile(` +`).ReplaceAllString(out, " ")); diff != "" || code != step.code {
			t.Errorf("migrate %s: exit %d, %v\n%s(-want +got)\n%s", step.args, code, err, log, diff)
		}
		if strings.Contains(log, prefix[len("/registry"):]+"ns/garbage") != (code == 3) {
			t.Errorf("migrate %s: what can't be read is not named:\n%s", step.args, log)
		}
	}
	if out := must(t, "inspect", prefix+"ns/loose", "--data-dir", e.dir, "--storage-versions", "shop.example.com/v1beta1"); !strings.Contains(out, "# stored as: shop.example.com/v1beta1 Widget, application/vnd.kubernetes.protobuf, ") ||
		!strings.Contains(out, "# form: current") {
		t.Errorf("after all:\n%s", out)
	}
}

// stopper is a terminal at which somebody types Ctrl-C as soon as there is something to see.
type stopper struct {
	bytes.Buffer
	stop func()
}

func (s *stopper) Write(p []byte) (int, error) {
	s.stop()
	return s.Buffer.Write(p)
}

// What a person sees of a migration, and of one that is stopped and run again.
func TestMigrateStopped(t *testing.T) {
	const n = 40
	keys := map[string]string{}
	for i := range n {
		keys[fmt.Sprintf("%sns/w%d", prefix, i)] = betaJSON
	}
	e := startEtcd(t, keys)
	ctx, stop := context.WithCancel(t.Context())
	terminal := &stopper{stop: stop}
	var out bytes.Buffer
	err := run(ctx, widgetServer(), []string{"migrate", "--data-dir", e.dir, "--rate", "10"}, console{out: &out, err: terminal, terminal: true})
	if err == nil || exitCode(err) != 1 || !regexp.MustCompile(`^stopped, with \d+ objects left in an old form; run it again to go on$`).MatchString(err.Error()) {
		t.Errorf("exit %d, %v", exitCode(err), err)
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
	again := must(t, "migrate", "--data-dir", e.dir, "--rate", "0")
	if objects, old, rewritten := numbers(again); objects != n || old == 0 || rewritten != old {
		t.Errorf("again:\n%s", again)
	}
}

// Who stops a migration before it has begun to rewrite learns that nothing was.
func TestMigrateStoppedWhileItCounts(t *testing.T) {
	e := startEtcd(t, map[string]string{prefix + "ns/beta": betaJSON})
	o := &NewOptions("widgets").Store
	o.DataDir = e.dir
	k, err := widgetServer().allKinds(o)
	if err != nil {
		t.Fatal(err)
	}
	db, err := widgetServer().openForTool(t.Context(), o, console{err: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out bytes.Buffer
	m := migrating{kinds: k, console: console{out: &out, err: &out}}
	if err := m.run(ctx, db, false); err == nil || !strings.Contains(err.Error(), "before anything was rewritten") || strings.Contains(err.Error(), "context") || out.Len() > 0 {
		t.Errorf("%v\n%s", err, &out)
	}
}

func TestStorageReport(t *testing.T) {
	k, err := widgetServer().kinds(&NewOptions("widgets").Store)
	if err != nil {
		t.Fatal(err)
	}
	form, err := k.resources[0].Form(k.scheme, k.options[0])
	if err != nil {
		t.Fatal(err)
	}
	db := memory.NewDatabase()
	for key, value := range map[string]string{"a": betaJSON, "b": current(t, betaJSON), "c": "what?"} {
		db.Put(prefix+"ns/"+key, []byte(value))
	}
	s := &surveyor{kinds: k, stores: []storage.Interface{memory.New(memory.Config{Database: db, Root: "/registry", Form: form})}}
	got, err := s.report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	report := got.(storageReport)
	if problems := report.Resources[0].Problems; len(problems) != 1 || !strings.Contains(problems[0], "ns/c") {
		t.Errorf("problems %q", problems)
	}
	report.Resources[0].Problems = nil
	want := storageReport{Stale: 1, Unreadable: 1, Resources: []resourceReport{{
		Resource: "widgets.shop.example.com", StorageVersion: "shop.example.com/v1", MediaType: "application/vnd.kubernetes.protobuf",
		Objects: 3, Stale: 1, Unreadable: 1,
	}}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
