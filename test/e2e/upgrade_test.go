package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/drill"
)

// TestUpgrade runs the commands of docs/upgrading.md: three releases of one program over one
// database.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	tellAlone(t, "../../docs/upgrading.md", goEnv(t))
	drill.Upgrade.Count("upgrades", 1)
}

// goEnv is what the go command needs to build in another home directory what it has built in this
// one.
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
