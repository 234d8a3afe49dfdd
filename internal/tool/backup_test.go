package tool

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program/programtest"
)

func TestBackupAndRestore(t *testing.T) {
	e := programtest.StartEtcd(t, map[string]string{programtest.Prefix + "ns/beta": programtest.BetaJSON})
	dir := t.TempDir()
	file := filepath.Join(dir, "widgets.snapshot")
	want := regexp.MustCompile(regexp.QuoteMeta(file) + `: revision 2, 1 keys, \d+ KiB, checked\n$`)
	if out := must(t, "backup", file, "--data-dir", e.Dir); !want.MatchString(out) {
		t.Errorf("%q", out)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, _, err := do(t, "", "backup", file, "--data-dir", e.Dir); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("a second time: %v", err)
	}
	e.Put(t, programtest.Prefix+"ns/more", programtest.BetaJSON)
	// As a cluster that is named by its endpoints.
	must(t, "backup", file, "--force", "--etcd-servers", "unix://"+e.Socket())
	if files, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(files) != 1 {
		t.Errorf("there is something left beside the file: %v, %v", files, err)
	}
	if _, _, err := do(t, "", "restore", file, "--data-dir", e.Dir, "--replace"); err == nil || !strings.Contains(err.Error(), "stop it first") {
		t.Errorf("while a server runs: %v", err)
	}
	e.Put(t, programtest.Prefix+"ns/after", programtest.BetaJSON)
	e.Close()

	if _, _, err := do(t, "", "restore", file, "--data-dir", e.Dir); err == nil || !strings.Contains(err.Error(), "(--replace)") {
		t.Errorf("over a database: %v", err)
	}
	for _, args := range [][]string{{"--data-dir", e.Dir, "--replace"}, {"--data-dir", filepath.Join(dir, "new")}} {
		if out := must(t, append([]string{"restore", file}, args...)...); !strings.Contains(out, ": 2 keys of revision 3, which goes on at revision ") ||
			strings.Contains(out, "member.before-") != (len(args) == 3) {
			t.Errorf("%q", out)
		}
		out := must(t, "inspect", "/", "--data-dir", args[1])
		if strings.Count(out, "\n") != 3 || !strings.Contains(out, "ns/more") || strings.Contains(out, "ns/after") {
			t.Errorf("restored:\n%s", out)
		}
	}
	// Into the standard output goes the file and nothing else, and nothing is left of it.
	before, _ := os.ReadDir(e.Dir)
	out, said, err := do(t, "", "backup", "-", "--data-dir", e.Dir)
	if after, _ := os.ReadDir(e.Dir); err != nil || !strings.Contains(said, "\nstandard output: revision ") || !strings.Contains(said, ", 2 keys, ") || len(after) != len(before) {
		t.Errorf("%v, %q, %v", err, said, after)
	}
	piped := filepath.Join(dir, "piped")
	if err := os.WriteFile(piped, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "restore", piped, "--data-dir", filepath.Join(dir, "from-pipe"))
	if _, _, err := do(t, "", "backup", "-", "--force", "--data-dir", e.Dir); err == nil || !strings.Contains(err.Error(), "--force: ") {
		t.Errorf("--force: %v", err)
	}
	// A stopped server can be backed up, too.
	must(t, "backup", filepath.Join(dir, "again"), "--data-dir", e.Dir)
}

// What is not whole gets no name.
func TestBackupThatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := do(t, "", "backup", filepath.Join(dir, "f"), "--data-dir", filepath.Join(dir, "none")); err == nil {
		t.Error("there was nothing to back up")
	}
	e := programtest.StartEtcd(t, nil)
	if _, _, err := do(t, "", "backup", filepath.Join(dir, "no", "such", "folder"), "--data-dir", e.Dir); err == nil {
		t.Error("there was no place to write to")
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("left: %v", files)
	}
}

// TestRestoreOfACluster: the flags and the settings of a server over a cluster bring the command
// that restores it, and nothing is made.
func TestRestoreOfACluster(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(config, []byte("etcd-servers: [https://a:2379]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--etcd-servers=https://a:2379", "--etcd-cafile=ca.crt"}, {"--config=" + config}} {
		_, _, err := do(t, "", append([]string{"restore", "f.snapshot", "--data-dir", filepath.Join(dir, "new")}, args...)...)
		if err == nil || !strings.Contains(err.Error(), "etcdutl snapshot restore f.snapshot --bump-revision 1000000000 --mark-compacted") {
			t.Errorf("%v: %v", args, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); !os.IsNotExist(err) {
		t.Errorf("there is something: %v", err)
	}
	if help := must(t, "help", "restore"); strings.Contains(help, "--etcd-") || !strings.Contains(help, "--data-dir directory") {
		t.Errorf("the help has flags that are refused:\n%s", help)
	}
}
