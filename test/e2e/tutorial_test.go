package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTutorial does what docs/tutorial.md says, from an empty folder: it writes the files that the
// page shows, runs its commands, and compares what they print.
func TestTutorial(t *testing.T) {
	t.Parallel()
	const page = "../../docs/tutorial.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+"/", "./cmd/gen")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	tools, err := filepath.Abs(filepath.Dir(kubectlPath(t)))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	t.Cleanup(func() { endStory(home) })
	env := []string{
		"HOME=" + home, "KUBECONFIG=" + filepath.Join(home, "data/admin.kubeconfig"), "KUBECACHEDIR=" + filepath.Join(home, "kube"),
		"TZ=UTC", "PATH=" + bin + ":" + tools + ":" + os.Getenv("PATH"),
	}
	story{
		file: page, text: string(text), dir: home,
		env: append(env, goEnv(t)...),
		before: func(text string) {
			for _, file := range shownFile.FindAllStringSubmatch(text, -1) {
				name := filepath.Join(home, "shop", file[1])
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(file[2]), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		},
		places: strings.NewReplacer(home, "~").Replace, mask: mask,
	}.tell(t)
}

// shownFile is a block of a page with the whole content of a file.
var shownFile = regexp.MustCompile("(?ms)^```go file=(\\S+)\n(.*?)^```$")
