package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUpgrade runs the commands of docs/upgrading.md: three releases of one program over one database.
func TestUpgrade(t *testing.T) {
	file := "../../docs/upgrading.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bin, err := filepath.Abs(filepath.Dir(kubectlPath(t)))
	if err != nil {
		t.Fatal(err)
	}
	home, data := t.TempDir(), t.TempDir()
	t.Cleanup(func() { exec.Command("sh", "-c", "kill $(cat "+home+"/pid)").Run() }) // a server of a story that broke off
	story{
		file: file, text: string(text),
		env: append(goEnv(t), "HOME="+home, "DATA="+data, "KUBECONFIG="+filepath.Join(data, "admin.kubeconfig"), "KUBECACHEDIR="+home,
			"TZ=UTC", "PATH="+bin+":"+os.Getenv("PATH")),
		places: strings.NewReplacer(data, "$DATA", home, "~").Replace,
		mask:   mask,
	}.tell(t)
}

// goEnv is what the go command needs to build in another home directory what it has built in this one.
func goEnv(t *testing.T) []string {
	t.Helper()
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN", "GONOSUMDB", "GOSUMDB"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	var env []string
	for i, name := range names {
		env = append(env, name+"="+values[i])
	}
	return env
}
