package boot

import (
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
