package tool

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program/programtest"
)

// asProgram is a variable of the environment that has the test's binary be a program with commands.
const asProgram = "TYPEPLANE_TOOL_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	if err := Run(context.Background(), programtest.Widgets(), os.Args[1:], SystemConsole()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// harnesses complete a command line, which is $line. Each sources a script, and calls what the
// script has declared for the program as its shell does. It prints what is offered, one in each
// line.
var harnesses = map[string]string{
	"bash": `
source "$script"
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:' COMP_LINE=$line COMP_POINT=${#line}
declared=$(complete -p | sed 's/.*-F \([^ ]*\).*/\1/')
"$declared"
printf '%s\n' "${COMPREPLY[@]}"`,
	"zsh": `
compdef() { declared=$1 }
compadd() { print -rl -- $offers }
_files() { print -r -- $PREFIX '<files>' $1 }
compset() { PREFIX=${PREFIX#*=} }
source "$script"
words=("${(@z)line}") PREFIX=
[[ $line == *' ' ]] && words+=('')
CURRENT=$#words PREFIX=$words[-1]
$declared`,
	"fish": `
source $script
complete -C "$line" | string replace -r '\t.*' ''; true`,
}

// TestScripts: a shell offers what the program offers, whatever the program is called.
func TestScripts(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for shell, harness := range harnesses {
		if _, err := exec.LookPath(shell); err != nil && shell != "bash" {
			t.Logf("%s is not installed", shell)
			continue
		}
		names := []string{"widgets", "1.my-widgets", "our widgets"}
		if shell != "fish" { // which completes no command with such a sign, whoever asks
			names = append(names, "mike's")
		}
		for _, name := range names {
			dir := t.TempDir()
			if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
				t.Fatal(err)
			}
			s := scripted{t, shell, harness, dir, name}
			s.wants("i", "import inspect")
			s.wants("--logging-format ", "json text")
			s.wants("inspect -o y", "yaml")
			s.wants("--no-such", "")
			switch shell {
			case "bash":
				s.wants("--logging-format=j", "json")
				s.wants("--authorization-mode=RBAC,W", "RBAC,Webhook")
				s.wants("backup ", "") // readline offers files
			case "zsh":
				s.wants("--authorization-mode=RBAC,W", "--authorization-mode=RBAC,Webhook")
				s.wants("backup ", "<files>")
				s.wants("--data-dir=fol", "fol <files> -/")
			case "fish":
				s.wants("--authorization-mode=RBAC,W", "--authorization-mode=RBAC,Webhook")
				s.wants("backup fol", "folder/")
				s.wants("--data-dir=fol", "--data-dir=folder/")
			}
		}
	}
}

// scripted is a shell with the script of a program in dir.
type scripted struct {
	t                         *testing.T
	shell, harness, dir, name string
}

func (s scripted) wants(line, want string) {
	s.t.Helper()
	var script bytes.Buffer
	if err := printScript(s.shell, Console{Program: s.name, Out: &script}); err != nil {
		s.t.Fatal(err)
	}
	file := filepath.Join(s.dir, "script")
	if err := os.WriteFile(file, script.Bytes(), 0o666); err != nil {
		s.t.Fatal(err)
	}
	typed := strings.NewReplacer(" ", `\ `, "'", `\'`).Replace(s.name) + " " + line
	cmd := exec.Command(s.shell, "-c", s.harness)
	cmd.Dir, cmd.Stderr = s.dir, s.t.Output()
	cmd.Env = append(os.Environ(), asProgram+"=1", "PATH="+s.dir+":"+os.Getenv("PATH"), "HOME="+s.dir, "script="+file, "line="+typed)
	out, err := cmd.Output()
	if err != nil {
		s.t.Errorf("%s: %s: %v", s.shell, typed, err)
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	slices.Sort(got)
	if text := strings.Join(got, " "); text != want {
		s.t.Errorf("%s: %s: %q, want %q", s.shell, typed, text, want)
	}
}

// TestScriptsAreSaidToExist: each shell of the help has a script, and others are refused.
func TestScriptsAreSaidToExist(t *testing.T) {
	for shell := range shells {
		if out := must(t, "completion", shell); !strings.Contains(out, "completion "+shell) || strings.Contains(out, "@function@") || strings.Contains(out, "@program@") {
			t.Errorf("%s:\n%s", shell, out)
		}
	}
	if _, _, err := do(t, "", "completion", "tcsh"); err == nil || !strings.Contains(err.Error(), "bash, fish, powershell, zsh") {
		t.Error(err)
	}
}
