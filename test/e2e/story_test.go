package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the commands of the story print into its README; read the difference before you commit it")

// TestStory runs the walkthrough of examples/cluster, which starts its servers itself, and holds
// every line of output against the text. Only uids, resourceVersions and times are masked.
func TestStory(t *testing.T) { tellAlone(t, "../../examples/cluster/README.md", nil) }

// tellAlone tells a story that starts its servers itself: their programs are on the path, $DATA is
// an empty directory.
func tellAlone(t *testing.T, file string, env []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bin, err := filepath.Abs(filepath.Dir(kubectlPath(t)))
	if err != nil {
		t.Fatal(err)
	}
	home, data := t.TempDir(), t.TempDir()
	t.Cleanup(func() { endStory(home) })
	story{
		file: file, text: string(text),
		env: append(env, "HOME="+home, "DATA="+data, "KUBECONFIG="+filepath.Join(data, "admin.kubeconfig"), "KUBECACHEDIR="+home,
			"TZ=UTC", "PATH="+programs+":"+bin+":"+os.Getenv("PATH")),
		places: strings.NewReplacer(data, "$DATA", home, "~").Replace,
		mask:   mask,
	}.tell(t)
}

// endStory ends what a story that broke off leaves behind: its processes are in files in home.
func endStory(home string) {
	exec.Command("sh", "-c", "cd "+home+" && for file in *pid; do kill $(cat $file); done").Run()
}

// runStory runs the story in a file. It is in the console blocks: lines that begin with "$ " are
// run, those behind them are what they print.
func runStory(t *testing.T, s *server, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	env := storyEnv(t, s)
	home := strings.TrimPrefix(env[0], "HOME=")
	t.Cleanup(func() { endStory(home) })
	places := strings.NewReplacer(s.dataDir, "$DATA", home, "~")
	story{file: file, text: string(text), env: env, places: places.Replace, mask: mask}.tell(t)
}

// story is a text with commands, which are run in env.
type story struct {
	file, text string
	dir        string // of the first command; "" for the root of the repository
	env        []string
	before     func(text string)          // is called with the text in front of each command, and the command; may be nil
	places     func(output string) string // gives folders of this run the names that the text has for them
	mask       func(output string) string // takes out what differs from run to run, before outputs are compared
}

// tell runs the commands and compares what they print with the text.
func (s story) tell(t *testing.T) {
	t.Helper()
	var out strings.Builder
	if s.dir == "" {
		s.dir = "../.."
	}
	where := filepath.Join(t.TempDir(), "where")
	for _, part := range parseStory(s.text) {
		out.WriteString(part.text)
		if s.before != nil {
			s.before(part.text)
		}
		if part.command == "" {
			continue
		}
		cmd := exec.Command("bash", "-c", part.command+"\npwd > "+where)
		cmd.Dir, cmd.Env = s.dir, s.env
		printed, _ := cmd.CombinedOutput() // a command that fails says so in what it prints
		if now, err := os.ReadFile(where); err == nil {
			s.dir = strings.TrimSpace(string(now)) // for the next one, as in a shell
		}
		got := s.places(strings.TrimRight(string(printed), "\n"))
		if got != "" {
			out.WriteString(got + "\n")
		}
		if !*update && s.mask(got) != s.mask(part.output) {
			t.Errorf("$ %s\nprints\n%s\nwant\n%s", part.command, s.mask(got), s.mask(part.output))
		}
	}
	if *update {
		if err := os.WriteFile(s.file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// storyPart is some text, which ends with a command if there is one, and what the command prints.
type storyPart struct {
	text, command, output string
}

// parseStory cuts a text at its commands. A line that ends with a backslash goes on in the next
// one.
func parseStory(text string) []storyPart {
	var parts []storyPart
	var current storyPart
	inBlock, inCommand := false, false
	for _, line := range strings.SplitAfter(text, "\n") {
		bare := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(bare, "```"):
			if inCommand || current.command != "" {
				parts = append(parts, current)
				current = storyPart{}
			}
			inBlock, inCommand = bare == "```console", false
			current.text += line
		case inBlock && inCommand:
			current.text += line
			current.command += "\n" + bare
			inCommand = strings.HasSuffix(bare, `\`)
		case inBlock && strings.HasPrefix(bare, "$ "):
			if current.command != "" {
				parts = append(parts, current)
				current = storyPart{}
			}
			current.text += line
			current.command = strings.TrimPrefix(bare, "$ ")
			inCommand = strings.HasSuffix(bare, `\`)
		case inBlock && current.command != "":
			if current.output != "" {
				current.output += "\n"
			}
			current.output += bare
		default:
			current.text += line
		}
	}
	return append(parts, current)
}

// storyEnv is the shell of the story: an empty home, the tools on the path, $DATA the server's data
// directory, $SERVER its process.
func storyEnv(t *testing.T, s *server) []string {
	t.Helper()
	bin, err := filepath.Abs(filepath.Dir(kubectlPath(t)))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	return []string{
		"HOME=" + home, "KUBECONFIG=" + s.Kubeconfig, "KUBECACHEDIR=" + home,
		"DATA=" + s.dataDir, fmt.Sprintf("SERVER=%d", s.Cmd.Process.Pid), "TZ=UTC", "PATH=" + filepath.Dir(s.Cmd.Path) + ":" + bin + ":" + os.Getenv("PATH"),
	}
}

var masks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`\btime=\S+`), "time=TIME"},
	{regexp.MustCompile(`(resourceVersion"?: ?"?)\d+`), "${1}N"},
	{regexp.MustCompile(`\b(\d+[smhd])+( +|$)`), "AGE "},
	{regexp.MustCompile(`before-\d{8}-\d{6}\.\d{3}`), "before-TIME"},
	{regexp.MustCompile(`revision \d+, \d+ keys, \d+ KiB`), "revision N, N keys, N KiB"},
	{regexp.MustCompile(`\d+ keys of revision \d+`), "N keys of revision N"},
	{regexp.MustCompile(`(kube-api-access-)[0-9a-z]{5}`), "${1}NAME"},
	{regexp.MustCompile(`x509-[0-9a-f]{20}`), "x509-HASH"},
	{regexp.MustCompile(`X509SHA256=[0-9a-f]{64}`), "X509SHA256=HASH"},
	{regexp.MustCompile(`https://127\.0\.0\.1:\d+`), "https://SERVER"},
	{regexp.MustCompile(`goes on at revision \d{16}`), "goes on at revision N"},
}

// mask takes out what differs from run to run.
func mask(s string) string {
	var lines []string
	for _, line := range strings.Split(s, "\n") {
		if slowMachine.MatchString(line) {
			continue
		}
		for _, m := range masks {
			line = m.pattern.ReplaceAllString(line, m.with)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}
