package uptodate

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// goEnv is what the go command says about its environment in a folder: its version, its flags,
// which modules.
type goEnv struct{ vars map[string]string }

func readGoEnv(dir string, env []string) (goEnv, error) {
	cmd := exec.Command("go", "env", "-json")
	cmd.Dir = dir
	if env == nil {
		env = os.Environ()
	}
	cmd.Env = append(slices.Clip(env), "PWD="+dir)
	out, err := cmd.Output()
	if err != nil {
		return goEnv{}, err
	}
	var vars map[string]string
	if err := json.Unmarshal(out, &vars); err != nil {
		return goEnv{}, err
	}
	delete(vars, "GOGCCFLAGS") // has the name of a temporary folder in it
	return goEnv{vars}, nil
}

// replacesFiles tells whether flags make the go command read other files than those that are there.
func (e goEnv) replacesFiles() bool {
	return strings.Contains(e.vars["GOFLAGS"], "-modfile") || strings.Contains(e.vars["GOFLAGS"], "-overlay")
}

// inModule tells whether there is a module or a workspace around.
func (e goEnv) inModule() bool {
	work, mod := e.vars["GOWORK"], e.vars["GOMOD"]
	return work != "" && work != "off" || mod != "" && mod != os.DevNull
}

// immutable tells whether the content of a folder follows from the version of Go and from go.sum.
func (e goEnv) immutable(folder string) bool {
	for _, root := range []string{filepath.Join(e.vars["GOROOT"], "src"), e.vars["GOMODCACHE"]} {
		if root != "" && inside(root, folder) {
			return true
		}
	}
	return false
}

func inside(root, path string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
}
